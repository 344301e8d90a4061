// Metrics against each other: rank correlation, and calibration by sentence.

/** Titles of more metrics than that stand upright. */
const MOST_LEVEL = 10;

/** Number of groups of sentences in a calibration curve. */
const GROUPS = 10;

const CALIBRATION =
  "The line is the mean, the band the middle half of the sentences; metrics that rank sentences " +
  "alike follow the diagonal.";

function startMetrics() {
  if (results.metrics.length < 2) return;
  const x = choose("calibration-x", metricOptions(), () => show(), firstMetric());
  const y = choose("calibration-y", metricOptions(), () => show(), results.metrics[1].name);
  /** @type {[string, string][]} */
  const systems = [["", "mean of all"], ...systemOptions()];
  const system = choose("calibration-system", systems, () => show());
  byId("calibration-browse").addEventListener("click", () =>
    browse({
      system: system.value,
      sort: "metrics",
      descending: true,
      metric: x.value,
      other: y.value,
    }),
  );
  const pick = (/** @type {string} */ one, /** @type {string} */ other) => {
    [x.value, y.value] = [one, other];
    show();
    byId("calibration-view").scrollIntoView({ block: "center" });
  };
  const { agreement } = results;
  const matrices = /** @type {[string, (number | null)[][] | null][]} */ ([
    ["Agreement on systems", agreement.systems],
    ["Agreement on sentences", agreement.sentences],
  ]);
  byId("agreement-view").append(
    ...matrices.flatMap(([title, matrix]) => (matrix ? [agreementTable(title, matrix, pick)] : [])),
  );
  function show() {
    byId("calibration-view").replaceChildren(
      calibration(x.value, y.value, system.value),
      make("p", { class: "muted small" }, CALIBRATION),
    );
  }
  show();
}

/**
 * @param {string} title
 * @param {(number | null)[][]} matrix
 * @param {(one: string, other: string) => void} pick
 */
function agreementTable(title, matrix, pick) {
  const names = results.agreement.metrics;
  /** @type {Table} */
  const table = {
    name: `metric-agreement-${title.split(" ").at(-1)}`,
    title: `${title} (Spearman’s ρ)`,
    header: ["metric", ...names],
    rows: names.map((name, row) => [name, ...matrix[row].map(floatCell)]),
    digits: 2,
  };
  const figure = tableFigure(table, (cell, row, column) => {
    if (!column) return metricTitle(names[row]);
    if (!Array.isArray(cell)) return "–";
    const value = Number(cell[0]);
    const [one, other] = [names[row], names[column - 1]];
    if (one === other) return make("span", { class: "muted" }, "1");
    const label = `${metricTitle(one)} and ${metricTitle(other)}: ρ = ${value.toFixed(2)}`;
    const shown = value.toFixed(2).replace("-", "−");
    const element = button(shown, () => pick(one, other), { "aria-label": label });
    if (value < 0) element.classList.add("below");
    hint(element, () => `${label}. Click to compare their sentence scores.`);
    return heat(element, Math.abs(value));
  }, metricTitle);
  figure.classList.add("heat-map");
  figure.classList.toggle("upright-heads", names.length > MOST_LEVEL);
  return figure;
}

/**
 * Draw how one metric ranks the sentences that another ranks alike.
 * @param {string} one
 * @param {string} other
 * @param {string} system "" for the mean of all
 */
function calibration(one, other, system) {
  const [xs, ys] = [one, other].map((metric) => percentiles(sentenceScores(system, metric)));
  const known = xs.flatMap((x, i) => {
    const y = ys[i];
    return x === null || y === null ? [] : [{ x, y, i }];
  });
  known.sort((a, b) => a.x - b.x || a.i - b.i);
  // Sentences with the same rank stay in one group.
  const places = groupBy(known, ({ x }) => Math.min(GROUPS - 1, Math.floor(x * GROUPS)));
  const groups = [...places.values()].map((group) => {
    const sorted = group.map(({ y }) => y).sort((a, b) => a - b);
    const at = (/** @type {number} */ share) => sorted[Math.floor(share * (sorted.length - 1))];
    const mean = (/** @type {"x" | "y"} */ key) =>
      group.reduce((sum, point) => sum + point[key], 0) / group.length;
    return { x: mean("x"), y: mean("y"), low: at(0.25), high: at(0.75), size: group.length };
  });
  const [first, second] = [metricTitle(one), metricTitle(other)];
  const whose = system || "all systems";
  const title = `How ${second} ranks the sentences that ${first} ranks alike (${whose})`;
  return chart(title, title, (width) => {
    const height = Math.min(360, Math.max(260, width * 0.4));
    const box = { left: 40, right: width - 22, top: 24, bottom: height - 42 };
    const x = scaled(0, 1, box.left, box.right);
    const y = scaled(0, 1, box.bottom, box.top);
    const percent = [0, 0.25, 0.5, 0.75, 1].map((value) => ({ value, label: `${100 * value} %` }));
    const line = (/** @type {"y" | "low" | "high"} */ key) =>
      groups.map((group) => `${x(group.x).toFixed(1)} ${y(group[key]).toFixed(1)}`);
    const band = [...line("low"), ...line("high").reverse()];
    const shown = (/** @type {number} */ share) => (100 * share).toFixed(0);
    return {
      height,
      content: [
        ...chartAxes(
          box,
          percent,
          x,
          percent,
          y,
          `percentile by ${first} →`,
          `↑ percentile by ${second}`,
        ),
        draw("line", { class: "diagonal", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
        draw("path", { class: "band", d: `M${band.join("L")}Z` }),
        draw("path", { class: "curve", d: `M${line("y").join("L")}` }),
        ...groups.map((group) =>
          hint(
            draw("circle", { class: "knot", cx: x(group.x), cy: y(group.y), r: 4.5 }),
            () =>
              `${counted(group.size, "sentence")} around percentile ${shown(group.x)} by ` +
              `${first}: percentile ${shown(group.y)} by ${second}`,
          ),
        ),
      ],
    };
  });
}
