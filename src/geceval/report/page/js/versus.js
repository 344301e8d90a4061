// Pairwise comparison of two systems.

const MOST_ROWS = 12;

/** Open a pair, from another section of the page.
 * @type {(first: string, second: string, metric: string) => void} */
let openVersus = () => {};

function startVersus() {
  if (results.systems.length < 2) return;
  const [best, second] = board.order;
  const a = choose("versus-a", systemOptions(), () => show(), best);
  const b = choose("versus-b", systemOptions(), () => show(), second);
  const metric = choose("versus-metric", metricOptions(), () => show(), firstMetric());
  byId("versus-swap").addEventListener("click", () => {
    [a.value, b.value] = [b.value, a.value];
    show();
  });
  function show() {
    const isPair = a.value !== b.value;
    byId("versus-verdict").textContent = isPair
      ? verdict(a.value, b.value, metric.value)
      : "Select two different systems.";
    byId("versus-view").replaceChildren(
      ...(isPair ? versusView(a.value, b.value, metric.value) : []),
    );
  }
  openVersus = (first, other, by) => {
    [a.value, b.value, metric.value] = [first, other, by];
    show();
    byId("versus").scrollIntoView();
    a.focus({ preventScroll: true });
  };
  show();
}

/**
 * @param {string} a
 * @param {string} b
 * @param {string} metric
 * @returns {Node[]}
 */
function versusView(a, b, metric) {
  const scores = [a, b].map((system) => results.sentences.systems[system].scores[metric]);
  const difference = differences(scores[0], scores[1]);
  // A plot of up to thousands of discs, below what is seen first.
  const plot = whenSeen(make("figure", { class: "picture" }), () =>
    plot.replaceWith(scatter(a, b, metric)),
  );
  /** @type {Node[]} */
  const view = [
    winsBar(a, b, metric, difference),
    ...decidingView(a, b, metric),
    make(
      "div",
      { class: "columns versus" },
      plot,
      largest(a, b, metric, difference, 1),
      largest(b, a, metric, difference, -1),
    ),
  ];
  if (results.edit_metric) {
    view.push(
      ...typesOfPair(a, b),
      make("div", { class: "columns" }, onlyTable(a, b), onlyTable(b, a)),
    );
  }
  return view;
}

/**
 * Summarize the difference between the corpus scores.
 * @param {string} a
 * @param {string} b
 * @param {string} metric
 */
function verdict(a, b, metric) {
  const [scoreA, scoreB] = [a, b].map((system) => results.scores[metric][system].score);
  const [one, other] = [a, b].map(nameOf);
  const whole =
    `${metricTitle(metric)}: ${one} ${printScore(scoreA)}, ` + `${other} ${printScore(scoreB)}.`;
  const test = pairTest(metric, a, b);
  if (!test) return whole;
  const text = `${whole} ${describeTest(metric, a, b, test, nameOf)}`;
  return test.verdict === "undecided" ? `${text}${detectableText(a, b, metric)}` : text;
}

/**
 * Say which difference the test of a pair would have found.
 * @param {string} a
 * @param {string} b
 * @param {string} metric
 */
function detectableText(a, b, metric) {
  const row = results.comparisons[metric].find(
    ({ first, second }) => (first === a && second === b) || (first === b && second === a),
  );
  const power = results.power?.[metric]?.power;
  if (row?.detectable === undefined || power === undefined) return "";
  const percent = Number((100 * power).toFixed(2));
  return (
    ` A single test of this pair detects a true difference of ${row.detectable.toFixed(4)}` +
    ` with a probability of ${percent}\u00a0%.`
  );
}

/**
 * @param {string} a
 * @param {string} b
 * @param {string} metric
 * @param {(number | null)[]} difference
 */
function winsBar(a, b, metric, difference) {
  const known = difference.flatMap((value) => value ?? []);
  /** @type {[string, string, number][]} */
  const parts = [
    ["win-a", `${nameOf(a)} better`, known.filter((value) => value > 0).length],
    ["tie", "tied", known.filter((value) => value === 0).length],
    ["win-b", `${nameOf(b)} better`, known.filter((value) => value < 0).length],
  ];
  const colors = [colorOf(a), "", colorOf(b)];
  const bars = parts.map(([name, , count], i) => {
    const bar = make("span", { class: `${name} ${colors[i]}` });
    bar.style.setProperty("flex-grow", String(count));
    return bar;
  });
  const numbers = (/** @type {number} */ sign) =>
    new Set(
      difference.flatMap((value, i) => (value !== null && Math.sign(value) === sign ? i : [])),
    );
  const labels = parts.map(([name, label, count], i) => {
    const only = () => ({ label, numbers: numbers(1 - i) });
    const show = () => browse({ only: only(), sort: "systems", descending: !i, metric, a, b });
    const text = `${label}: ${counted(count, "sentence")}`;
    return make("li", { class: name }, button(text, show, { class: "link", disabled: !count }));
  });
  return make(
    "div",
    { class: "wins" },
    make("div", { class: "wins-bar", "aria-hidden": "true" }, ...bars),
    make("ul", {}, ...labels),
  );
}

/**
 * The sentences with the largest advantage of one system.
 * @param {string} winner
 * @param {string} loser
 * @param {string} metric
 * @param {(number | null)[]} difference of A and B
 * @param {number} sign 1 if the winner is A, -1 if it is B
 */
function largest(winner, loser, metric, difference, sign) {
  const better = difference.flatMap((value, sentence) =>
    value !== null && sign * value > 0 ? sentence : [],
  );
  const gap = (/** @type {number} */ one, /** @type {number} */ two) =>
    sign * (Number(difference[two]) - Number(difference[one]));
  const ahead = smallest(better, MOST_ROWS, gap);
  const own = (/** @type {string} */ system, /** @type {number} */ sentence) =>
    floatCell(results.sentences.systems[system].scores[metric][sentence]);
  /** @type {Table} */
  const table = {
    name: `largest-${metric}-${winner}-${loser}`,
    title: `Largest advantage of ${winner} over ${loser}`,
    header: ["sentence", "source", winner, loser],
    rows: ahead.map((sentence) => [
      sentence + 1,
      results.sentences.source[sentence],
      own(winner, sentence),
      own(loser, sentence),
    ]),
    digits: 2,
  };
  if (!ahead.length) return nothing(table.title);
  const figure = tableFigure(table, (cell, row, column) => {
    if (column > 1) return null;
    if (column) return make("span", { class: "clip", dir: "auto", translate: "no" }, String(cell));
    const open = () => openSentence(ahead[row]);
    return button(String(cell), open, { class: "link", "aria-label": `Open sentence ${cell}` });
  });
  figure.classList.add("compact");
  return figure;
}

/**
 * What takes the place of a table without rows.
 * @param {string} title
 */
const nothing = (title) =>
  make("figure", { class: "table" }, make("figcaption", {}, title), make("p", {}, "None."));
