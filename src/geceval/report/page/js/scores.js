// Interval bars of the scoreboard, heat map of error types, scores by subset.

/** Draw the interval of each score on the common scale of its column. */
function drawIntervals() {
  for (const { name } of results.metrics) {
    const records = Object.values(results.scores[name]);
    const ends = records.flatMap(({ score, interval }) => interval ?? score ?? []);
    const low = Math.min(...ends);
    const width = Math.max(...ends) - low || 1;
    const place = (/** @type {number} */ value) => 2 + (96 * (value - low)) / width;
    for (const cell of document.querySelectorAll(`td[data-metric="${CSS.escape(name)}"]`)) {
      const system = cell.getAttribute("data-system") ?? "";
      const { score, interval } = results.scores[name][system];
      if (score === null) continue;
      const [from, to] = interval ?? [score, score];
      cell.append(
        draw(
          "svg",
          {
            class: "range",
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
 * Color an element by a value between 0 and 1.
 * @template {HTMLElement} Kind
 * @param {Kind} element
 * @param {number | null} share
 */
function heat(element, share) {
  if (share !== null) {
    element.classList.add("heat");
    element.style.setProperty("--heat", `${Math.round(100 * Math.min(1, Math.max(0, share)))}%`);
  }
  return element;
}

/** @typedef {"f" | "precision" | "recall" | "gold"} Measure */

/** @type {[Measure, string][]} */
const MEASURES = [
  ["f", "F"],
  ["precision", "Precision"],
  ["recall", "Recall"],
  ["gold", "Support"],
];

/** Start the heat map of systems and error types; its cells link to sentences. */
function startTypes() {
  const metrics = metricOptions().filter(([name]) => results.types[name]);
  if (!metrics.length) return;
  /** @type {Measure} */
  let measure = "f";
  const initial = results.types[firstMetric()] ? firstMetric() : metrics[0][0];
  const metric = choose("types-metric", metrics, () => show(), initial);
  const pills = byId("types-measure");
  for (const [name, label] of MEASURES) {
    const input = make("input", { type: "radio", name: "measure", value: name });
    input.addEventListener("change", () => {
      measure = name;
      show();
    });
    pills.append(make("label", {}, input, label));
  }

  function show() {
    const records = results.types[metric.value];
    const isKnown = (/** @type {Measure} */ name) =>
      Object.values(records).some((types) =>
        Object.values(types).some((one) => one[name] !== null),
      );
    if (!isKnown(measure)) measure = "recall";
    for (const input of pills.querySelectorAll("input")) {
      input.disabled = !isKnown(/** @type {Measure} */ (input.value));
      input.checked = input.value === measure;
    }
    byId("types-map").replaceChildren(heatMap(metric.value, measure));
  }
  show();
}

/**
 * @param {string} metric
 * @param {Measure} measure
 */
function heatMap(metric, measure) {
  const records = results.types[metric];
  const support = supportOf(records);
  const most = Math.max(1, ...support.values());
  const types = [...support.keys()].filter((type) => support.get(type));
  const title = MEASURES.find(([name]) => name === measure)?.[1];
  const isCount = measure === "gold";
  /** @type {Table} */
  const table = {
    name: `types-${metric}-${measure}`,
    title: `${title} by error type: ${metricTitle(metric)}`,
    header: ["type", ...results.systems],
    rows: types.map((type) => [
      typeName(type),
      ...results.systems.map((system) => {
        const value = records[system][type]?.[measure] ?? null;
        return isCount ? value : floatCell(value);
      }),
    ]),
    digits: 2,
  };
  const figure = tableFigure(table, (cell, row, column) => {
    if (!column || cell === null) return column ? "–" : null;
    const [type, system] = [types[row], results.systems[column - 1]];
    const value = Number(Array.isArray(cell) ? cell[0] : cell);
    const go = () => browse({ system, type: results.sentences.types.indexOf(type) });
    const label = `${system}, ${typeName(type)}: ${shownCell(cell, 2)}; show sentences`;
    const element = button(shownCell(cell, 2), go, { "aria-label": label });
    return heat(element, isCount ? value / most : value);
  });
  figure.classList.add("heat-map");
  const others = support.size - types.length;
  if (others) {
    const note = `Not shown: ${counted(others, "type")} without gold edits.`;
    figure.append(make("p", { class: "muted small" }, note));
  }
  return figure;
}

/**
 * Count the gold edits of each type, most frequent first. The counts depend on the system, because
 * the reference annotator is chosen per system; the maximum is used.
 * @param {Record<string, Record<string, TypeRecord>>} records
 */
function supportOf(records) {
  /** @type {Map<string, number>} */
  const support = new Map();
  for (const types of Object.values(records)) {
    for (const [type, { gold }] of Object.entries(types)) {
      support.set(type, Math.max(support.get(type) ?? 0, gold ?? 0));
    }
  }
  return new Map([...support].sort(([a, m], [b, n]) => n - m || a.localeCompare(b)));
}

/** Start the scores by length, number of edits and agreement. */
function startSlices() {
  if (!results.slices.length) return;
  const metric = choose("slices-metric", metricOptions(), () => show(), firstMetric());
  function show() {
    const figures = results.slices.map((slice) => sliceFigure(slice, metric.value));
    byId("slices-tables").replaceChildren(...figures);
  }
  show();
}

/**
 * @param {Results["slices"][number]} slice
 * @param {string} metric
 */
function sliceFigure(slice, metric) {
  const bins = slice.macro ? [...slice.bins, slice.macro] : slice.bins;
  const values = bins
    .flatMap(({ scores }) => Object.values(scores[metric]))
    .flatMap((x) => x ?? []);
  const low = Math.min(...values);
  const width = Math.max(...values) - low || 1;
  /** @type {Table} */
  const table = {
    name: `${slice.name}-${metric}`,
    title: `${slice.title}: ${metricTitle(metric)}`,
    header: [slice.label, "sentences", ...results.systems],
    rows: bins.map(({ label, sentences, scores }) => [
      label,
      sentences,
      ...results.systems.map((system) => floatCell(scores[metric][system])),
    ]),
    digits: 4,
  };
  const figure = tableFigure(table, (cell, row, column) => {
    if (column < 2) return null;
    if (!Array.isArray(cell)) return "–";
    const ends = bins[row].intervals?.[metric]?.[results.systems[column - 2]];
    const title = ends ? { title: ends.map((end) => end.toFixed(4)).join("–") } : {};
    return heat(make("span", title, shownCell(cell, 4)), (Number(cell[0]) - low) / width);
  });
  figure.classList.add("heat-map");
  return figure;
}
