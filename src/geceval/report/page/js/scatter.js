// An interactive scatter plot of the sentence scores of two systems.

/** Grid cells per side, which bound the size of the plot for any number of sentences. */
const GRID = 48;
const SIDE = 400;
const MARGIN = 56;

/**
 * Group sentences by grid cell.
 * @param {(number | null)[]} xs
 * @param {(number | null)[]} ys
 * @param {(value: number) => number} position position along the side, from 0 to 1
 */
function gather(xs, ys, position) {
  const step = (/** @type {number | null} */ value) => Math.round(position(Number(value)) * GRID);
  const known = xs.flatMap((x, i) => (x === null || ys[i] === null ? [] : i));
  return groupBy(known, (i) => step(xs[i]) * (GRID + 1) + step(ys[i]));
}

/**
 * Draw the scatter plot; the size of a disc shows the number of sentences in its cell.
 * @param {string} a
 * @param {string} b
 * @param {string} metric
 */
function scatter(a, b, metric) {
  const [xs, ys] = [a, b].map((system) => results.sentences.systems[system].scores[metric]);
  let [low, high] = [Infinity, -Infinity];
  for (const value of xs.concat(ys)) {
    if (value !== null) [low, high] = [Math.min(low, value), Math.max(high, value)];
  }
  const width = high - low || 1;
  const cells = gather(xs, ys, (value) => (value - low) / width);
  const most = Math.max(1, ...[...cells.values()].map((found) => found.length));
  const spot = (/** @type {number} */ step) => (step / GRID) * SIDE;
  const discs = [...cells].map(([cell, found]) => {
    const [column, row] = [Math.floor(cell / (GRID + 1)), cell % (GRID + 1)];
    const [x, y] = [printScore(xs[found[0]]), printScore(ys[found[0]])];
    const label = `${counted(found.length, "sentence")}: ${a} ${x}, ${b} ${y}`;
    const disc = draw(
      "circle",
      {
        class: column > row ? "win-a" : column < row ? "win-b" : "tie",
        cx: MARGIN + spot(column),
        cy: 8 + SIDE - spot(row),
        r: (2.6 + 12 * Math.sqrt((found.length - 1) / most)).toFixed(2),
        role: "button",
        tabindex: -1,
        "aria-label": label,
      },
      draw("title", {}, label),
    );
    const go = () => {
      if (found.length === 1) openSentence(found[0]);
      else browse({ only: { label, numbers: new Set(found) }, metric });
    };
    disc.addEventListener("click", go);
    disc.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      go();
    });
    return disc;
  });
  // Large discs first, so that they do not cover small ones.
  discs.sort((one, two) => Number(two.getAttribute("r")) - Number(one.getAttribute("r")));
  roving(discs);
  const svg = draw(
    "svg",
    {
      class: "scatter",
      viewBox: `0 0 ${MARGIN + SIDE + 12} ${SIDE + MARGIN + 8}`,
      role: "group",
      "aria-label": `Sentence scores of ${a} and ${b}; arrow keys move between points`,
    },
    ...axes(a, b, low, width),
    ...discs,
  );
  return make(
    "figure",
    { class: "picture" },
    make("figcaption", {}, "Sentence scores"),
    svg,
  );
}

/**
 * @param {string} a
 * @param {string} b
 * @param {number} low
 * @param {number} width
 */
function axes(a, b, low, width) {
  const [bottom, right] = [8 + SIDE, MARGIN + SIDE];
  const ticks = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
    const label = (low + share * width).toFixed(2);
    const [x, y] = [MARGIN + share * SIDE, bottom - share * SIDE];
    return [
      draw("line", { class: "grid", x1: x, x2: x, y1: 8, y2: bottom }),
      draw("line", { class: "grid", x1: MARGIN, x2: right, y1: y, y2: y }),
      draw("text", { x, y: bottom + 26, "text-anchor": "middle" }, label),
      draw("text", { x: MARGIN - 18, y: y + 4, "text-anchor": "end" }, label),
    ];
  });
  return [
    ...ticks,
    draw("line", { class: "diagonal", x1: MARGIN, x2: right, y1: bottom, y2: 8 }),
    draw("text", { class: "axis", x: right, y: bottom + 46, "text-anchor": "end" }, `${a} →`),
    draw("text", { class: "axis", x: MARGIN + 14, y: 32 }, `↑ ${b}`),
  ];
}

/**
 * Make elements a single tab stop; arrow keys move between them.
 * @param {SVGElement[]} elements
 */
function roving(elements) {
  elements[0]?.setAttribute("tabindex", "0");
  elements.forEach((element, i) =>
    element.addEventListener("keydown", (event) => {
      /** @type {Record<string, number>} */
      const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
      const next = elements[i + (steps[event.key] ?? 0)];
      if (!(event.key in steps) || !next) return;
      event.preventDefault();
      element.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    }),
  );
}
