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

  /** @param {number} width */
  function draws(width) {
    let [low, high] = [Infinity, -Infinity];
    for (const value of xs.concat(ys)) {
      if (value !== null) [low, high] = [Math.min(low, value), Math.max(high, value)];
    }
    const extent = high - low || 1;
    const cells = gather(xs, ys, (value) => (value - low) / extent);
    const side = Math.min(width - MARGIN - 16, 520);
    const box = { left: MARGIN, right: MARGIN + side, top: 24, bottom: 24 + side };
    const axis = (/** @type {number} */ from, /** @type {number} */ to) =>
      scaled(low, low + extent, from, to);
    const shown = ticks(low, low + extent, 4);
    const [xAxis, yAxis] = [axis(box.left, box.right), axis(box.bottom, box.top)];
    const corners = { x1: box.left, x2: box.right, y1: box.bottom, y2: box.top };
    return {
      height: box.bottom + 42,
      content: [
        ...chartAxes(box, shown, xAxis, shown, yAxis, `${labelOf(a)} →`, `↑ ${labelOf(b)}`),
        draw("line", { class: "diagonal", ...corners }),
        discs(cells, box),
      ],
    };
  }

  /**
   * @param {Map<number, number[]>} cells
   * @param {{left: number, right: number, top: number, bottom: number}} box
   */
  function discs(cells, box) {
    const most = Math.max(1, ...[...cells.values()].map((found) => found.length));
    const [x, y] = [scaled(0, GRID, box.left, box.right), scaled(0, GRID, box.bottom, box.top)];
    const [isOfA, isOfB] = [`win-a ${colorOf(a)}`, `win-b ${colorOf(b)}`];
    // Large discs first, so that they do not cover small ones.
    const ordered = [...cells].sort(([, one], [, two]) => two.length - one.length);
    const elements = ordered.map(([cell, found]) => {
      const [column, row] = [Math.floor(cell / (GRID + 1)), cell % (GRID + 1)];
      const label = discLabel(found);
      const element = draw("circle", {
        class: column === row ? "tie" : column > row ? isOfA : isOfB,
        cx: x(column).toFixed(1),
        cy: y(row).toFixed(1),
        r: (2.6 + 7 * Math.sqrt((found.length - 1) / most)).toFixed(2),
        role: "button",
        tabindex: -1,
        "aria-label": label,
      });
      return hint(element, () => label);
    });
    const group = draw("g", { class: "scatter" }, ...elements);
    useDiscs(group, elements, (place) => open(ordered[place][1]));
    return group;
  }

  /** @param {number[]} found sentences */
  function discLabel(found) {
    const [x, y] = [xs[found[0]], ys[found[0]]].map(printScore);
    const scores = `${isolated(a)} ${x}, ${isolated(b)} ${y}`;
    return `${counted(found.length, "sentence")}: ${scores}`;
  }

  /** @param {number[]} found sentences */
  function open(found) {
    if (found.length === 1) openSentence(found[0]);
    else browse({ only: { label: discLabel(found), numbers: new Set(found) }, metric });
  }

  const description = `Sentence scores of ${a} and ${b}; arrow keys move between points`;
  const figure = chart("Sentence scores", description, draws, "group");
  const note = "The larger a disc, the more sentences have these scores. Select it to see them.";
  figure.append(make("p", { class: "muted small" }, note));
  return figure;
}

/**
 * Make discs a single tab stop, in which arrow keys move; click, Enter and space open one.
 * @param {SVGGElement} group which listens for all of them
 * @param {SVGElement[]} discs
 * @param {(place: number) => void} open
 */
function useDiscs(group, discs, open) {
  const placeOf = (/** @type {Event} */ { target }) =>
    discs.indexOf(/** @type {SVGElement} */ (target));
  discs[0]?.setAttribute("tabindex", "0");
  group.addEventListener("click", (event) => open(placeOf(event)));
  group.addEventListener("keydown", (event) => {
    /** @type {Record<string, number>} */
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const place = placeOf(event);
    const next = discs[place + (steps[event.key] ?? 0)];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      open(place);
    } else if (event.key in steps && next) {
      event.preventDefault();
      discs[place].setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    }
  });
}
