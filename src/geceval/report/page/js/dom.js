// DOM helpers. Data is always inserted as text, never as markup.

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
 * Create an HTML element.
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
 * Create an SVG element.
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
 * Create a button.
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
 * Return an element that must exist.
 * @param {string} id
 * @returns {HTMLElement}
 */
function byId(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`element #${id} not found`);
  return element;
}

/**
 * Parse a JSON document embedded in the page.
 * @param {string} id
 */
const embedded = (id) => JSON.parse(byId(id).textContent || "null");

/**
 * Fill a drop-down and listen for changes.
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
 * Fill a row of radio buttons and listen for changes; the first is chosen.
 * @param {string} id
 * @param {[string, string][]} options values and labels
 * @param {() => void} changed
 */
function radios(id, options, changed) {
  const inputs = options.map(([value], i) =>
    make("input", { type: "radio", name: id, value, checked: !i }),
  );
  const holder = byId(id);
  inputs.forEach((input, i) => {
    input.addEventListener("change", changed);
    holder.append(make("label", {}, input, options[i][1]));
  });
  return {
    value: () => inputs.find((input) => input.checked)?.value ?? options[0][0],
    /**
     * Disable what does not apply.
     * @param {(value: string) => boolean} applies
     * @param {string} otherwise chosen if what was chosen does not apply
     */
    allow: (applies, otherwise) => {
      for (const input of inputs) input.disabled = !applies(input.value);
      const chosen = inputs.find((input) => input.checked);
      const other = inputs.find((input) => input.value === otherwise);
      if (chosen?.disabled && other) other.checked = true;
    },
  };
}

/**
 * Show a status message, also to screen readers.
 * @param {string} text
 */
function announce(text) {
  const status = byId("status");
  status.textContent = text;
  status.classList.add("shown");
  window.clearTimeout(Number(status.dataset.timer));
  status.dataset.timer = String(window.setTimeout(() => status.classList.remove("shown"), 2500));
}

// `toLocaleString` makes such an object each time, which is slow.
const COUNTS = new Intl.NumberFormat("en");

/** @param {number} count */
const printCount = (count) => COUNTS.format(count);

/**
 * Format a count with its noun.
 * @param {number} count
 * @param {string} noun
 */
const counted = (count, noun) => `${printCount(count)} ${count === 1 ? noun : noun + "s"}`;

/**
 * Group items by a key, in the order of their first occurrence; `Map.groupBy` is too new.
 * @template Item, Key
 * @param {Item[]} items
 * @param {(item: Item) => Key} key
 */
function groupBy(items, key) {
  /** @type {Map<Key, Item[]>} */
  const groups = new Map();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}

/**
 * Act when an element comes into sight for the first time.
 * @template {Element} Kind
 * @param {Kind} element
 * @param {() => void} act
 */
function whenSeen(element, act) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
    observer.disconnect();
    act();
  });
  observer.observe(element);
  return element;
}

const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefe\u{10800}-\u{10fff}]/u;

/**
 * Isolate a name for use in a sentence: a number after words written from right to left would
 * otherwise stand before them.
 * @param {string} name
 */
const isolated = (name) => (RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name);

const PEN = make("canvas").getContext("2d");

/**
 * The width of a label of a chart in pixels.
 * @param {string} text
 */
function textWidth(text) {
  if (!PEN) return 8 * text.length;
  PEN.font = `12px ${getComputedStyle(document.body).fontFamily}`;
  return PEN.measureText(text).width;
}
