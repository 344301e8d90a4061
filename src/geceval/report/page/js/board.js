// The scoreboard's bars and the matrix of pairwise differences.

/** @typedef {[number, number, number | null, number | null, number | null, number]} PairRow
 *   systems, second minus first, its interval, adjusted p */

/** @typedef {[number | null, number | null, number | null, number, number, number]} ScoreEntry
 *   score, its interval, ends of the rank range, cluster */

/**
 * @typedef {object} Board
 * @property {string[]} systems in the order given, which is that of the colors
 * @property {string[]} labels their names, shortened where they are long
 * @property {string[]} order from best to worst by the first metric
 * @property {{name: string, title: string}[]} metrics
 * @property {number} level
 * @property {number} colors
 * @property {Record<string, ScoreEntry[]>} scores of all systems, in the order given
 * @property {number} unit differences in `pairs` are whole numbers of this part of 1
 * @property {Record<string, PairRow[]>} pairs
 */

/** @type {Board} */
const board = embedded("board");
for (const rows of Object.values(board.pairs)) {
  for (const row of rows) {
    for (const i of [2, 3, 4]) row[i] = row[i] === null ? null : Number(row[i]) / board.unit;
  }
}

/**
 * The class that has the color of a system.
 * @param {string} system
 */
const colorOf = (system) => `c${board.systems.indexOf(system) % board.colors}`;

/** Pixels of a letter of a name at the matrix, of what is beside a name, and of a column at least. */
const LETTER = 7.5;
const BESIDE_NAME = 36;
const LEAST_COLUMN = 51;

/** Pixels of the longest name at the matrix. */
const nameWidth = () => Math.ceil(LETTER * Math.max(...board.labels.map((name) => name.length)));

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
 * The name of a system as shown in a sentence.
 * @param {string} system
 */
const nameOf = (system) => isolated(labelOf(system));

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

/** Draw the interval of each score on the common scale of its column, and explain the score. */
function explainScores() {
  const rows = [...document.querySelectorAll(".scoreboard tbody tr")];
  board.metrics.forEach(({ name, title }, column) => {
    const entries = board.scores[name];
    const ends = entries.flatMap(([score, low, high]) =>
      score === null ? [] : [low ?? score, high ?? score],
    );
    const least = Math.min(...ends);
    const most = Math.max(...ends);
    const width = most - least || 1;
    drawScale(name, least, most);
    const place = (/** @type {number} */ value) => 2 + (96 * (value - least)) / width;
    for (const row of rows) {
      const cell = row.querySelectorAll("td")[column];
      const system = row.querySelector("th")?.dataset.value ?? "";
      const entry = entries[board.systems.indexOf(system)];
      const [score, low, high] = entry;
      cell.dataset.metric = name;
      // Tables are sorted by this value.
      cell.dataset.value = score === null ? "" : String(score);
      hint(cell, () => describeScore(system, title, entry, name));
      if (score === null) continue;
      const [from, to, at] = [low ?? score, high ?? score, score].map(place);
      cell.append(
        draw(
          "svg",
          {
            class: `range ${colorOf(system)}`,
            viewBox: "0 0 100 8",
            preserveAspectRatio: "none",
            "aria-hidden": "true",
          },
          draw("line", { class: "track", x1: 0, x2: 100, y1: 4, y2: 4 }),
          draw("line", { class: "span", x1: from, x2: to, y1: 4, y2: 4 }),
          draw("line", { class: "point", x1: at, x2: at, y1: 0, y2: 8 }),
        ),
      );
    }
  });
}

/** @param {number} value a score, with a true minus sign */
const printFixed = (value) => value.toFixed(4).replace("-", "−");

/** The confidence level as a percentage that does not break. */
const percentOfLevel = () => `${Number((100 * board.level).toFixed(2))}\u00a0%`;

/**
 * Tell everything about a score in words.
 * @param {string} system
 * @param {string} title of the metric
 * @param {ScoreEntry} entry
 * @param {string} metric
 */
function describeScore(system, title, [score, low, high, best, worst, cluster], metric) {
  let text = `${isolated(system)} by ${title}: ${score === null ? "–" : printFixed(score)}`;
  if (low !== null && high !== null) {
    text += `, ${percentOfLevel()} interval ${printFixed(low)} to ${printFixed(high)}`;
  }
  if (board.pairs[metric]?.length) {
    const better = counted(best - 1, "system").replace(/^0/, "No");
    const ranks = best === worst ? String(best) : `${best}–${worst}`;
    const clusters = Math.max(...board.scores[metric].map((entry) => entry[5]));
    text +=
      `. ${better} ${best === 2 ? "is" : "are"} significantly better and ` +
      `${board.systems.length - worst} significantly worse, so its rank is ${ranks}. ` +
      `Cluster ${cluster} of ${clusters}`;
  }
  return `${text}.`;
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
 * @param {(system: string) => string} named how systems are called, by default with whole names
 */
function describeTest(metric, first, second, { verdict, difference, interval, p }, named = isolated) {
  const [one, other] = [first, second].map(named);
  const title = board.metrics.find(({ name }) => name === metric)?.title ?? metric;
  const verdicts = {
    win: `${one} is significantly better.`,
    loss: `${other} is significantly better.`,
    undecided: "The difference is not significant.",
  };
  const ends = interval?.map((end) => printSigned(end)).join(" to ");
  return (
    `${one} − ${other} by ${title}: ${printSigned(difference)}, ` +
    (ends ? `${percentOfLevel()} interval ${ends}, ` : "") +
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
  // Names stand upright where they would not fit above their columns.
  let isUpright = false;
  const turn = () => body.firstElementChild?.classList.toggle("upright", isUpright);
  const show = () => {
    body.replaceChildren(matrixTable(metric.value, open));
    turn();
  };
  metric.addEventListener("change", show);
  new ResizeObserver(() => {
    const room = (body.clientWidth - nameWidth() - BESIDE_NAME) / board.labels.length;
    isUpright = nameWidth() > Math.max(LEAST_COLUMN, room);
    turn();
  }).observe(body);
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
  table.style.setProperty("--name", `${nameWidth() + BESIDE_NAME}px`);
  return table;
}
