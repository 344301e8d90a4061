// Hints: the text of `data-tip` next to what the pointer is on, or what has the focus.

/** @type {HTMLElement | null} */
let tip = null;

/**
 * Give an element a hint that is made when it is needed.
 * @template {Element} Kind
 * @param {Kind} element
 * @param {() => string} text
 */
function hint(element, text) {
  element.setAttribute("data-tip", "");
  TIPS.set(element, text);
  return element;
}

/** @type {WeakMap<Element, () => string>} */
const TIPS = new WeakMap();

/** @param {EventTarget | null} target */
function showTip(target) {
  const owner = target instanceof Element ? target.closest("[data-tip]") : null;
  const text = owner && (TIPS.get(owner)?.() ?? owner.getAttribute("data-tip"));
  if (!tip || !owner || !text) return hideTip();
  tip.textContent = text;
  tip.hidden = false;
  const [own, box] = [tip.getBoundingClientRect(), owner.getBoundingClientRect()];
  const left = Math.min(box.left, document.documentElement.clientWidth - own.width - 8);
  const isBelow = box.bottom + own.height + 8 < window.innerHeight;
  tip.style.setProperty("left", `${Math.max(8, left)}px`);
  const top = isBelow ? box.bottom + 6 : Math.max(4, box.top - own.height - 6);
  tip.style.setProperty("top", `${top}px`);
}

function hideTip() {
  if (tip) tip.hidden = true;
}

function startTips() {
  tip = make("div", { class: "tip", role: "tooltip", hidden: true });
  document.body.append(tip);
  document.addEventListener("pointerover", (event) => showTip(event.target));
  document.addEventListener("focusin", (event) => showTip(event.target));
  document.addEventListener("focusout", hideTip);
  document.addEventListener("scroll", hideTip, { capture: true, passive: true });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTip();
  });
}
