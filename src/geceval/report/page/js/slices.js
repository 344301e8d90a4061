// Scores by slice: length, number of gold edits, agreement of annotators, or any label.

/** More slices than that are shown as a table only. */
const MOST_SLICES = 30;

/** Labels that the user gave come first; one slice alone says nothing. */
const slicesShown = () =>
  results.slices
    .filter(({ bins }) => bins.length > 1)
    .sort((one, two) => Number("macro" in two) - Number("macro" in one));

function startSlices() {
  if (!document.getElementById("slices-view")) return;
  /** @type {[string, string][]} */
  const options = slicesShown().map(({ name, title }) => [name, title.replace(/^Score by /, "")]);
  const by = choose("slices-by", options, () => show());
  const metric = choose("slices-metric", metricOptions(), () => show(), firstMetric());
  function show() {
    const slice = results.slices.find(({ name }) => name === by.value) ?? results.slices[0];
    const isDrawn = slice.bins.length > 1 && slice.bins.length <= MOST_SLICES;
    byId("slices-view").replaceChildren(
      ...(isDrawn ? [sliceChart(slice, metric.value), systemLegend()] : []),
      sliceFigure(slice, metric.value),
    );
  }
  show();
}

/**
 * @param {Results["slices"][number]} slice
 * @param {string} metric
 */
function sliceChart(slice, metric) {
  const { bins } = slice;
  const values = bins
    .flatMap(({ scores }) => Object.values(scores[metric]))
    .flatMap((x) => x ?? []);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const title = `${slice.title}: ${metricTitle(metric)}`;
  return chart(title, `${title}, for each system`, (width) => {
    const height = width < 600 ? 260 : 300;
    const box = { left: 46, right: width - 14, top: 24, bottom: height - 62 };
    const x = scaled(0, bins.length - 1, box.left + 28, box.right - 28);
    const y = scaled(low, high, box.bottom - 8, box.top + 4);
    const xTicks = bins.map(({ label }, value) => ({ value, label: short(label) }));
    /** @param {number} below @param {string} label */
    const at = (/** @type {number} */ x, below, label, anchor = "middle") =>
      draw("text", { x, y: box.bottom + below, "text-anchor": anchor }, label);
    return {
      height,
      content: [
        ...chartAxes(box, xTicks, x, ticks(low, high), y, "", `↑ ${metricTitle(metric)}`),
        at(box.right, 54, `${slice.label}; number of sentences`, "end"),
        ...bins.map(({ sentences }, i) => at(x(i), 32, printCount(sentences))),
        ...results.systems.flatMap((system) => sliceLine(system, slice, metric, x, y)),
      ],
    };
  });
}

/**
 * @param {string} system
 * @param {Results["slices"][number]} slice
 * @param {string} metric
 * @param {(value: number) => number} x
 * @param {(value: number) => number} y
 */
function sliceLine(system, { bins, macro }, metric, x, y) {
  const points = bins.flatMap(({ label, scores }, i) => {
    const score = scores[metric][system];
    return score === null ? [] : [{ label, score, x: x(i), y: y(score) }];
  });
  const path = points.map((point) => `${point.x.toFixed(1)} ${point.y.toFixed(1)}`).join("L");
  return [
    // Labels have no order that a line could show.
    macro || points.length < 2
      ? null
      : draw("path", { class: `line ${colorOf(system)}`, d: `M${path}` }),
    ...points.map((point) =>
      hint(
        mark(system, point.x, point.y),
        () => `${isolated(system)}, ${point.label}: ${printScore(point.score)}`,
      ),
    ),
  ].filter((node) => node !== null);
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
    header: [slice.label, "sentences", ...board.order],
    rows: bins.map(({ label, sentences, scores }) => [
      label,
      sentences,
      ...board.order.map((system) => floatCell(scores[metric][system])),
    ]),
    digits: 4,
  };
  const figure = tableFigure(table, (cell, row, column) => {
    if (column < 2) return null;
    if (!Array.isArray(cell)) return "–";
    const element = heat(make("span", {}, shownCell(cell, 4)), (Number(cell[0]) - low) / width);
    const ends = bins[row].intervals?.[metric]?.[board.order[column - 2]];
    return ends ? hint(element, () => `interval ${ends.map(printScore).join(" to ")}`) : element;
  });
  figure.classList.add("heat-map");
  return figure;
}
