// An interactive scatter plot of the sentence scores of two systems.

/** Grid cells per side, which bound the size of the plot for any number of sentences. */
const GRID = 48;
const MARGIN = 46;

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
  const extent = high - low || 1;
  const cells = gather(xs, ys, (value) => (value - low) / extent);
  const most = Math.max(1, ...[...cells.values()].map((found) => found.length));

  /**
   * @param {number} cell
   * @param {number[]} found sentences
   * @param {(step: number) => number} x
   * @param {(step: number) => number} y
   */
  function disc(cell, found, x, y) {
    const [column, row] = [Math.floor(cell / (GRID + 1)), cell % (GRID + 1)];
    const scores = `${a} ${printScore(xs[found[0]])}, ${b} ${printScore(ys[found[0]])}`;
    const label = `${counted(found.length, "sentence")}: ${scores}`;
    const winner = column > row ? `win-a ${colorOf(a)}` : `win-b ${colorOf(b)}`;
    const element = draw("circle", {
      class: column === row ? "tie" : winner,
      cx: x(column).toFixed(1),
      cy: y(row).toFixed(1),
      r: (2.6 + 7 * Math.sqrt((found.length - 1) / most)).toFixed(2),
      role: "button",
      tabindex: -1,
      "aria-label": label,
    });
    const go = () => {
      if (found.length === 1) openSentence(found[0]);
      else browse({ only: { label, numbers: new Set(found) }, metric });
    };
    element.addEventListener("click", go);
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      go();
    });
    return hint(element, () => label);
  }

  /** @param {number} width */
  function draws(width) {
    const side = Math.min(width - MARGIN - 16, 520);
    const box = { left: MARGIN, right: MARGIN + side, top: 24, bottom: 24 + side };
    const axis = (/** @type {number} */ from, /** @type {number} */ to) =>
      scaled(low, low + extent, from, to);
    const [x, y] = [scaled(0, GRID, box.left, box.right), scaled(0, GRID, box.bottom, box.top)];
    const shown = ticks(low, low + extent, 4);
    const discs = [...cells].map(([cell, found]) => disc(cell, found, x, y));
    // Large discs first, so that they do not cover small ones.
    discs.sort((one, two) => Number(two.getAttribute("r")) - Number(one.getAttribute("r")));
    roving(discs);
    const [xAxis, yAxis] = [axis(box.left, box.right), axis(box.bottom, box.top)];
    const corners = { x1: box.left, x2: box.right, y1: box.bottom, y2: box.top };
    return {
      height: box.bottom + 42,
      content: [
        ...chartAxes(box, shown, xAxis, shown, yAxis, `${a} →`, `↑ ${b}`),
        draw("line", { class: "diagonal", ...corners }),
        draw("g", { class: "scatter" }, ...discs),
      ],
    };
  }

  const description = `Sentence scores of ${a} and ${b}; arrow keys move between points`;
  const figure = chart("Sentence scores", description, draws, "group");
  const note = "The larger a disc, the more sentences have these scores. Select it to see them.";
  figure.append(make("p", { class: "muted small" }, note));
  return figure;
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
