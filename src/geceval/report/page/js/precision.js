// Precision and recall at a glance, and the components of scores.

const PRECISION_AND_RECALL = [["precision", "recall"], ["P", "R"]];

/** @param {Metric} metric @returns {string[] | undefined} */
const sharesOf = ({ parts }) =>
  PRECISION_AND_RECALL.find((pair) => pair.every((part) => parts.includes(part)));

function startPrecision() {
  const holder = document.getElementById("pr-panels");
  if (!holder) return;
  for (const metric of results.metrics) {
    const shares = sharesOf(metric);
    if (shares) holder.append(precisionPanel(metric, shares));
  }
  holder.after(systemLegend(), componentsView());
}

/**
 * @param {Metric} metric
 * @param {string[]} shares
 */
function precisionPanel(metric, [precision, recall]) {
  const points = results.systems.flatMap((system) => {
    const record = results.scores[metric.name][system];
    const [p, r] = [record.parts[precision], record.parts[recall]];
    if (p === null || r === null || p === undefined || r === undefined) return [];
    const ends = record.part_intervals;
    return [{ system, p, r, pEnds: ends?.[precision] ?? [p, p], rEnds: ends?.[recall] ?? [r, r] }];
  });
  const around = (/** @type {number[]} */ values) => {
    const [low, high] = [Math.min(...values), Math.max(...values)];
    const room = 0.08 * (high - low || 0.1);
    return [Math.max(0, low - room), Math.min(1, high + room)];
  };
  return chart(metric.title, `Precision and recall of systems by ${metric.title}`, (width) => {
    const height = Math.round(Math.min(340, Math.max(250, width * 0.68)));
    const box = { left: 38, right: width - 6, top: 22, bottom: height - 40 };
    if (!points.length) {
      return { height: 30, content: [draw("text", { x: 0, y: 20 }, "undefined")] };
    }
    const [xLow, xHigh] = around(points.flatMap(({ rEnds }) => rEnds));
    const [yLow, yHigh] = around(points.flatMap(({ pEnds }) => pEnds));
    const x = scaled(xLow, xHigh, box.left, box.right);
    const y = scaled(yLow, yHigh, box.bottom, box.top);
    const [xTicks, yTicks] = [ticks(xLow, xHigh), ticks(yLow, yHigh)];
    /** @param {string} system @param {number[]} from @param {number[]} to */
    const whisker = (system, from, to) =>
      draw("line", {
        class: `whisker ${colorOf(system)}`,
        x1: x(from[0]),
        y1: y(from[1]),
        x2: x(to[0]),
        y2: y(to[1]),
      });
    const content = [
      ...chartAxes(box, xTicks, x, yTicks, y, "recall →", "↑ precision"),
      ...isoCurves(metric.beta, [xLow, xHigh], [yLow, yHigh], x, y),
      ...points.flatMap(({ system, p, r, pEnds, rEnds }) => [
        whisker(system, [rEnds[0], p], [rEnds[1], p]),
        whisker(system, [r, pEnds[0]], [r, pEnds[1]]),
      ]),
      ...points.map(({ system, p, r }) =>
        hint(
          mark(system, x(r), y(p)),
          () => `${system}: precision ${printScore(p)}, recall ${printScore(r)}`,
        ),
      ),
      ...labels(points.map(({ system, p, r }) => ({ x: x(r), y: y(p), name: labelOf(system) })), box),
    ];
    return { height, content };
  });
}

/** @param {string} name */
const short = (name) => (name.length > 16 ? `${name.slice(0, 10)}…${name.slice(-4)}` : name);

/**
 * Draw curves of equal F.
 * @param {number | null | undefined} beta
 * @param {number[]} xEnds
 * @param {number[]} yEnds
 * @param {(value: number) => number} x
 * @param {(value: number) => number} y
 */
function isoCurves(beta, [xLow, xHigh], [yLow, yHigh], x, y) {
  if (beta === null || beta === undefined) return [];
  const weight = beta * beta;
  const f = (/** @type {number} */ p, /** @type {number} */ r) =>
    p + r ? ((1 + weight) * p * r) / (weight * p + r || 1) : 0;
  return ticks(f(yLow, xLow), f(yHigh, xHigh), 6).flatMap(({ value, label }) => {
    const points = [];
    for (let i = 0; i <= 160; i++) {
      const r = xLow + ((xHigh - xLow) * i) / 160;
      // With a smaller recall no precision reaches the value.
      const divisor = (1 + weight) * r - weight * value;
      const p = (value * r) / divisor;
      const isVisible = value > 0 && divisor > 0 && p >= yLow && p <= yHigh;
      if (isVisible) points.push(`${x(r).toFixed(1)} ${y(p).toFixed(1)}`);
    }
    if (points.length < 8) return [];
    const [endX, endY] = points[points.length - 1].split(" ").map(Number);
    return [
      draw("path", { class: "iso", d: `M${points.join("L")}` }),
      draw("text", { class: "halo", x: endX - 2, y: endY - 4, "text-anchor": "end" }, label),
    ];
  });
}

/** The parts of all scores by one metric. */
function componentsView() {
  const possible = results.metrics.filter(({ parts }) => parts.length);
  const holder = make("div");
  const metric = make(
    "select",
    {},
    ...possible.map(({ name, title }) => make("option", { value: name }, title)),
  );
  const show = () => {
    const chosen = possible.find(({ name }) => name === metric.value) ?? possible[0];
    const { title, parts, score_name: score } = chosen;
    const isCount = (/** @type {string} */ part) => {
      const values = board.order.flatMap(
        (system) => results.scores[metric.value][system].parts[part] ?? [],
      );
      return values.every(Number.isInteger) && values.some((value) => Math.abs(value) > 1);
    };
    /** @type {Table} */
    const table = {
      name: `parts-${metric.value}`,
      title: `Components of the score: ${title}`,
      header: ["system", score, ...parts],
      rows: board.order.map((system) => {
        const record = results.scores[metric.value][system];
        const cells = parts.map((part) => {
          const value = record.parts[part] ?? null;
          return isCount(part) ? value : floatCell(value);
        });
        return [system, floatCell(record.score), ...cells];
      }),
      digits: 4,
    };
    holder.replaceChildren(
      tableFigure(table, (cell, _, column) => (column ? null : systemName(String(cell)))),
    );
  };
  metric.addEventListener("change", show);
  show();
  return make(
    "div",
    { class: "components" },
    make(
      "div",
      { class: "controls" },
      make("label", { class: "control" }, make("span", {}, "Components of"), metric),
    ),
    holder,
  );
}
