// The scoreboard's bars and the matrix of pairwise differences.

/** @typedef {[number, number, number | null, number | null, number | null, number]} PairRow
 *   systems, second minus first, its interval, adjusted p */

/**
 * @typedef {object} Board
 * @property {string[]} systems in the order given, which is that of the colors
 * @property {string[]} labels their names, shortened where they are long
 * @property {string[]} order from best to worst by the first metric
 * @property {{name: string, title: string}[]} metrics
 * @property {number} level
 * @property {number} colors
 * @property {Record<string, PairRow[]>} pairs
 */

/** @type {Board} */
const board = embedded("board");

/**
 * The class that has the color of a system.
 * @param {string} system
 */
const colorOf = (system) => `c${board.systems.indexOf(system) % board.colors}`;

/** Letters that fit side by side above the matrix. */
const MOST_LETTERS = 64;

/** Number of outlines of marks, see `MARKS` and the style. */
const N_MARKS = 8;

/**
 * The number of the mark of a system; color and mark together rarely repeat.
 * @param {string} system
 */
function markOf(system) {
  const place = board.systems.indexOf(system);
  return (place + Math.floor(place / board.colors)) % N_MARKS;
}

/**
 * The classes that have color and mark of a system.
 * @param {string} system
 */
const lookOf = (system) => `${colorOf(system)} m${markOf(system)}`;

/**
 * The name of a system as shown, which is short; others than systems keep theirs.
 * @param {string} system
 */
const labelOf = (system) => board.labels[board.systems.indexOf(system)] ?? system;

/**
 * The name of a system with its color and mark.
 * @param {string} system
 */
function systemName(system) {
  const element = make("span", { class: `system ${lookOf(system)}` }, labelOf(system));
  return labelOf(system) === system ? element : hint(element, () => system);
}

/**
 * Format a difference with its sign.
 * @param {number | null} value
 * @param {number} [digits]
 */
const printSigned = (value, digits = 4) =>
  value === null ? "–" : (value < 0 ? "−" : "+") + Math.abs(value).toFixed(digits);

/** @param {number} value a p-value */
const printP = (value) => (value < 0.0001 ? "< 0.0001" : `= ${value.toFixed(4)}`);

/** Draw the interval of each score on the common scale of its column. */
function drawIntervals() {
  for (const { name } of board.metrics) {
    const cells = /** @type {HTMLElement[]} */ ([
      ...document.querySelectorAll(`td[data-metric="${CSS.escape(name)}"]`),
    ]).filter(({ dataset }) => dataset.value);
    const ends = cells.flatMap(({ dataset: { value, low, high } }) => [
      Number(low ?? value),
      Number(high ?? value),
    ]);
    const least = Math.min(...ends);
    const most = Math.max(...ends);
    const width = most - least || 1;
    drawScale(name, least, most);
    const place = (/** @type {number} */ value) => 2 + (96 * (value - least)) / width;
    for (const cell of cells) {
      const score = Number(cell.dataset.value);
      const [from, to] = [Number(cell.dataset.low ?? score), Number(cell.dataset.high ?? score)];
      const name = cell.closest("tr")?.querySelector("th")?.dataset.value ?? "";
      cell.append(
        draw(
          "svg",
          {
            class: `range ${colorOf(name)}`,
            viewBox: "0 0 100 8",
            preserveAspectRatio: "none",
            "aria-hidden": "true",
          },
          draw("line", { class: "track", x1: 0, x2: 100, y1: 4, y2: 4 }),
          draw("line", { class: "span", x1: place(from), x2: place(to), y1: 4, y2: 4 }),
          draw("line", { class: "point", x1: place(score), x2: place(score), y1: 0, y2: 8 }),
        ),
      );
    }
  }
}

/**
 * Write the ends of the scale of a column above its bars.
 * @param {string} metric
 * @param {number} least
 * @param {number} most
 */
function drawScale(metric, least, most) {
  const place = board.metrics.findIndex(({ name }) => name === metric);
  const header = document.querySelectorAll(".scoreboard thead th")[place + 1];
  if (!header || !Number.isFinite(most) || least === most) return;
  const end = (/** @type {number} */ value) =>
    make("span", {}, value.toFixed(2).replace("-", "−"));
  header.append(make("span", { class: "scale", "aria-hidden": "true" }, end(least), end(most)));
}

/**
 * @typedef {object} PairTest of row against column
 * @property {"win" | "loss" | "undecided"} verdict
 * @property {number | null} difference
 * @property {[number, number] | null} interval
 * @property {number} p
 */

/**
 * Return the test of one system against another: first minus second.
 * @param {string} metric
 * @param {string} first
 * @param {string} second
 * @returns {PairTest | null}
 */
function pairTest(metric, first, second) {
  const [a, b] = [board.systems.indexOf(first), board.systems.indexOf(second)];
  const row = board.pairs[metric]?.find(
    ([one, two]) => (one === a && two === b) || (one === b && two === a),
  );
  if (!row) return null;
  const [, last, known, low, high, p] = row;
  const sign = last === a ? 1 : -1;
  const difference = known === null ? null : sign * known;
  const isSignificant = difference !== null && difference !== 0 && p < 1 - board.level;
  return {
    verdict: !isSignificant ? "undecided" : difference > 0 ? "win" : "loss",
    difference,
    interval: low === null || high === null ? null : sign > 0 ? [low, high] : [-high, -low],
    p,
  };
}

/**
 * Describe a test in words.
 * @param {string} metric
 * @param {string} first
 * @param {string} second
 * @param {PairTest} test
 */
function describeTest(metric, first, second, { verdict, difference, interval, p }) {
  const title = board.metrics.find(({ name }) => name === metric)?.title ?? metric;
  const verdicts = {
    win: `${first} is significantly better.`,
    loss: `${second} is significantly better.`,
    undecided: "The difference is not significant.",
  };
  const percent = Number((100 * board.level).toFixed(2));
  const ends = interval?.map((end) => printSigned(end)).join(" to ");
  return (
    `${first} − ${second} by ${title}: ${printSigned(difference)}, ` +
    (ends ? `${percent} % interval ${ends}, ` : "") +
    `adjusted p ${printP(p)}. ${verdicts[verdict]}`
  );
}

/**
 * Fill in the matrix of pairwise differences.
 * @param {((first: string, second: string, metric: string) => void) | null} open called for a pair
 */
function startMatrix(open) {
  const holder = document.getElementById("matrix");
  if (!holder) return;
  const tested = board.metrics.filter(({ name }) => board.pairs[name]?.length);
  const metric = make(
    "select",
    { "aria-label": "Metric of the pairwise differences" },
    ...tested.map(({ name, title }) => make("option", { value: name }, title)),
  );
  const body = make("div", { class: "scroll" });
  /** @returns {Table} */
  const table = () => ({
    name: `comparisons-${metric.value}`,
    title: `Pairwise differences (second − first): ${metric.selectedOptions[0]?.textContent}`,
    header: ["first", "second", "difference", "low", "high", "adjusted p"],
    rows: board.pairs[metric.value].map(([a, b, ...numbers]) => [
      board.systems[a],
      board.systems[b],
      ...numbers.map(floatCell),
    ]),
    digits: 4,
  });
  const show = () => body.replaceChildren(matrixTable(metric.value, open));
  metric.addEventListener("change", show);
  holder.append(
    make(
      "figure",
      {},
      make(
        "figcaption",
        {},
        make("span", { class: "matrix-caption" }, "Row minus column by", metric),
        exportMenu(table),
      ),
      body,
      make(
        "ul",
        { class: "key" },
        make("li", {}, make("span", { class: "win" }, "+"), " significantly better"),
        make("li", {}, make("span", { class: "loss" }, "−"), " significantly worse"),
        make("li", {}, make("span", { class: "undecided" }, "±"), " undecided"),
      ),
    ),
  );
  show();
}

/**
 * @param {string} metric
 * @param {((first: string, second: string, metric: string) => void) | null} open
 */
function matrixTable(metric, open) {
  const { order } = board;
  const cell = (/** @type {string} */ row, /** @type {string} */ column) => {
    const test = row === column ? null : pairTest(metric, row, column);
    if (!test) return make("td", {}, make("span", {}, ""));
    const text = describeTest(metric, row, column, test);
    const shown = printSigned(test.difference, 3).replace(/(?<=^.)0(?=\.)/, "");
    const content = open
      ? button(shown, () => open(row, column, metric), {
          class: test.verdict,
          "aria-label": `${text} Open A versus B.`,
        })
      : make("span", { class: test.verdict, tabindex: 0, "aria-label": text }, shown);
    return make("td", {}, hint(content, () => (open ? `${text} Click for A versus B.` : text)));
  };
  const head = (/** @type {string} */ name, /** @type {string} */ scope) =>
    hint(make("th", { scope }, make("span", {}, labelOf(name))), () => name);
  const table = make(
    "table",
    {},
    make("thead", {}, make("tr", {}, make("th", {}), ...order.map((name) => head(name, "col")))),
    make(
      "tbody",
      {},
      ...order.map((row) =>
        make(
          "tr",
          {},
          make("th", { scope: "row" }, systemName(row)),
          ...order.map((column) => cell(row, column)),
        ),
      ),
    ),
  );
  table.style.setProperty("--columns", String(order.length));
  // Names stand upright where they would not fit above their columns.
  const longest = Math.max(...order.map((name) => labelOf(name).length));
  table.classList.toggle("upright", longest * order.length > MOST_LETTERS);
  return table;
}
