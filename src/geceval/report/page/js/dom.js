// Making elements. Whatever comes from data becomes text, never markup.

/** @typedef {Record<string, string | number | boolean | null>} Attributes */

/**
 * @param {Element} element
 * @param {Attributes} attributes
 * @param {(Node | string | null)[]} children
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== null && value !== false) element.setAttribute(name, String(value));
  }
  for (const child of children) if (child !== null) element.append(child);
}

/**
 * Make an HTML element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

/**
 * Make an SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Attributes} [attributes]
 * @param {...(Node | string | null)} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
function draw(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, attributes, children);
  return element;
}

/**
 * Make a button.
 * @param {string} label
 * @param {() => void} act
 * @param {Attributes} [attributes]
 */
function button(label, act, attributes = {}) {
  const element = make("button", { type: "button", ...attributes }, label);
  element.addEventListener("click", act);
  return element;
}

/**
 * Find an element that the page always has.
 * @param {string} id
 * @returns {HTMLElement}
 */
function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no #${id}`);
  return element;
}

/**
 * Read a JSON document out of the page.
 * @param {string} id
 */
const embedded = (id) => JSON.parse(byId(id).textContent || "null");

/**
 * Fill a choice and say when it changes.
 * @param {string} id
 * @param {[string, string][]} options values and labels
 * @param {() => void} changed
 * @param {string} [initial]
 * @returns {HTMLSelectElement}
 */
function choose(id, options, changed, initial) {
  const select = /** @type {HTMLSelectElement} */ (byId(id));
  select.replaceChildren(...options.map(([value, label]) => make("option", { value }, label)));
  if (initial !== undefined) select.value = initial;
  select.addEventListener("change", changed);
  return select;
}

/**
 * Tell people that something was done, whether they see it or hear it.
 * @param {string} text
 */
function announce(text) {
  const status = byId("status");
  status.textContent = text;
  status.classList.add("shown");
  window.clearTimeout(Number(status.dataset.timer));
  status.dataset.timer = String(window.setTimeout(() => status.classList.remove("shown"), 2500));
}

/**
 * Say how many there are.
 * @param {number} count
 * @param {string} noun
 */
const counted = (count, noun) => `${count.toLocaleString("en")} ${count === 1 ? noun : noun + "s"}`;
