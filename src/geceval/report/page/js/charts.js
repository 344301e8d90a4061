// Charts: drawn at the size shown, and again when that changes.

/**
 * Make a figure whose drawing fits its width.
 * @param {string} title "" for none
 * @param {string} description
 * @param {(width: number, isPrinted: boolean) => {height: number, content: Node[]}} draws
 * @param {"img" | "group"} [role] a group if its parts can be used
 * @param {number} [printWidth] width on paper; by default what the screen shows is scaled
 */
function chart(title, description, draws, role = "img", printWidth = 0) {
  const holder = make("div", { class: "chart" });
  let last = 0;
  const show = (isPrinted = false) => {
    const width = isPrinted ? printWidth : Math.floor(holder.clientWidth);
    if (!width || width === last) return;
    last = width;
    const { height, content } = draws(width, isPrinted);
    holder.replaceChildren(
      draw(
        "svg",
        { viewBox: `0 0 ${width} ${height}`, width, height, role, "aria-label": description },
        ...content,
      ),
    );
  };
  new ResizeObserver(() => show()).observe(holder);
  if (printWidth) {
    window.addEventListener("beforeprint", () => show(true));
    window.addEventListener("afterprint", () => show());
  }
  return make("figure", { class: "picture" }, title ? make("figcaption", {}, title) : null, holder);
}

/**
 * Return about `count` round numbers between two values.
 * @param {number} low
 * @param {number} high
 * @param {number} [count]
 */
function ticks(low, high, count = 5) {
  const rough = (high - low || 1) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((x) => x * power).find((x) => x >= rough * 0.999) ?? power;
  const first = Math.ceil(low / step - 1e-9);
  const found = [];
  for (let i = first; i * step <= high + step * 1e-6; i++) found.push(i * step);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return found.map((value) => ({ value, label: value.toFixed(digits).replace("-", "−") }));
}

/**
 * A scale from values to pixels.
 * @param {number} low
 * @param {number} high
 * @param {number} from
 * @param {number} to
 */
const scaled = (low, high, from, to) => (/** @type {number} */ value) =>
  from + ((value - low) / (high - low || 1)) * (to - from);

/** Outlines of marks around the origin; color and outline together rarely repeat. */
const MARKS = [
  "M0-5A5 5 0 1 1 0 5A5 5 0 1 1 0-5Z",
  "M-4.5-4.5H4.5V4.5H-4.5Z",
  "M0-6L6 0L0 6L-6 0Z",
  "M0-5.5L5.5 4.5H-5.5Z",
  "M0 5.5L5.5-4.5H-5.5Z",
  "M-5.5 0L4.5-5.5V5.5Z",
  "M5.5 0L-4.5-5.5V5.5Z",
  "M-2-6H2V-2H6V2H2V6H-2V2H-6V-2H-2Z",
];

/**
 * The mark of a system.
 * @param {string} system
 * @param {number} x
 * @param {number} y
 */
function mark(system, x, y) {
  return draw("path", {
    class: `mark ${colorOf(system)}`,
    d: MARKS[markOf(system)],
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
  });
}

/** @param {SVGElement} element around the origin */
const legendMark = (element) =>
  draw("svg", { viewBox: "-7 -7 14 14", "aria-hidden": "true" }, element);

/** A legend of all systems. */
function systemLegend() {
  return make(
    "ul",
    { class: "legend-line" },
    ...board.order.map((system) =>
      hint(make("li", {}, legendMark(mark(system, 0, 0)), labelOf(system)), () => system),
    ),
  );
}

/**
 * Draw horizontal and vertical axes with a grid.
 * @param {{left: number, right: number, top: number, bottom: number}} box
 * @param {{value: number, label: string}[]} xTicks
 * @param {(value: number) => number} x
 * @param {{value: number, label: string}[]} yTicks
 * @param {(value: number) => number} y
 * @param {string} xTitle
 * @param {string} yTitle
 */
function chartAxes({ left, right, top, bottom }, xTicks, x, yTicks, y, xTitle, yTitle) {
  return [
    ...xTicks.flatMap(({ value, label }) => [
      draw("line", { class: "grid", x1: x(value), x2: x(value), y1: top, y2: bottom }),
      draw("text", { x: x(value), y: bottom + 17, "text-anchor": "middle" }, label),
    ]),
    ...yTicks.flatMap(({ value, label }) => [
      draw("line", { class: "grid", x1: left, x2: right, y1: y(value), y2: y(value) }),
      draw("text", { x: left - 7, y: y(value) + 4, "text-anchor": "end" }, label),
    ]),
    draw("line", { class: "frame", x1: left, x2: right, y1: bottom, y2: bottom }),
    draw("line", { class: "frame", x1: left, x2: left, y1: top, y2: bottom }),
    axisTitle({ x: right, y: bottom + 35, "text-anchor": "end" }, xTitle),
    axisTitle({ x: 2, y: top - 9 }, yTitle),
  ];
}

/** @param {Attributes} place @param {string} label */
const axisTitle = (place, label) => draw("text", { class: "axis-title", ...place }, label);

/** @typedef {{x: number, y: number, width: number, height: number}} Box */

/** @param {Box} one @param {Box} two */
const boxesMeet = (one, two) =>
  one.x < two.x + two.width &&
  two.x < one.x + one.width &&
  one.y < two.y + two.height &&
  two.y < one.y + one.height;

/**
 * Place a label next to each point, where it covers no point and no other label if possible.
 * @param {{x: number, y: number, name: string}[]} points
 * @param {{left: number, right: number, top: number, bottom: number}} box
 */
function labels(points, box) {
  /** @type {Box[]} */
  const taken = points.map(({ x, y }) => ({ x: x - 6, y: y - 6, width: 12, height: 12 }));
  return points.flatMap(({ x, y, name }) => {
    const width = textWidth(name) + 2;
    const places = [];
    for (const distance of [10, 20, 34]) {
      for (let turn = 0; turn < 12; turn++) {
        const angle = (turn * Math.PI) / 6;
        const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
        const left = x + dx * distance - (dx > 0.3 ? 0 : dx < -0.3 ? width : width / 2);
        places.push({ x: left, y: y + dy * distance - 7, width, height: 14, distance });
      }
    }
    const isOutside = (/** @type {Box} */ place) =>
      place.x < box.left ||
      place.x + width > box.right ||
      place.y < box.top ||
      place.y + 14 > box.bottom;
    const badness = (/** @type {Box & {distance: number}} */ place) =>
      taken.filter((other) => boxesMeet(place, other)).length * 100 +
      place.distance +
      (isOutside(place) ? 150 : 0);
    const best = places.reduce((one, two) => (badness(two) < badness(one) ? two : one));
    // The legend and hints name what has no room.
    if (badness(best) >= 100) return [];
    taken.push(best);
    const middle = best.x + width / 2;
    return [
      best.distance > 20
        ? draw("line", { class: "leader", x1: x, y1: y, x2: middle, y2: best.y + 7 })
        : null,
      draw("text", { class: "name halo", x: best.x + 1, y: best.y + 11 }, name),
    ].filter((node) => node !== null);
  });
}
