// Systems between doing nothing and people, a strip per metric.

/** Height of a strip, on the screen and on paper. */
const STRIP = 34;
const PRINTED_STRIP = 15;

function startPeople() {
  const holder = document.getElementById("people-strips");
  if (!holder) return;
  holder.append(
    chart(
      "",
      "Scores of systems, of doing nothing and of people by each metric",
      drawStrips,
      "img",
      PRINT_WIDTH,
    ),
    make(
      "ul",
      { class: "legend-line" },
      legendItem("nothing", "M-4-4L4 4M4-4L-4 4", "doing nothing"),
      results.baselines.some(({ kind }) => kind === "ceiling")
        ? legendItem("person", "M0-6L6 0L0 6L-6 0Z", "an annotator against the others")
        : null,
    ),
    systemLegend(),
  );
}

/** @param {string} kind @param {string} outline @param {string} label */
const legendItem = (kind, outline, label) =>
  make("li", {}, legendMark(draw("path", { class: kind, d: outline })), label);

/**
 * @param {number} width
 * @param {boolean} isPrinted
 */
function drawStrips(width, isPrinted) {
  const strip = isPrinted ? PRINTED_STRIP : STRIP;
  const titles = results.metrics.map(({ title }) => textWidth(title));
  // Long titles stand above their strips on phones.
  const isAbove = Math.max(...titles) > width * 0.3;
  const side = isAbove ? 0 : Math.max(...titles);
  const height = strip + (isAbove ? 14 : 0);
  const content = results.metrics.flatMap(({ name, title }, row) => {
    const middle = row * height + height - strip / 2;
    const systems = results.systems.map((system) => {
      return { system, score: results.scores[name][system].score };
    });
    const others = results.baselines.map(({ kind, name: who, scores }) => {
      return { kind, who, score: scores[name] };
    });
    const known = [...systems, ...others].flatMap(({ score }) => score ?? []);
    if (!known.length) return [];
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const x = scaled(low, high, side + 68, width - 58);
    /** @param {SVGElement} element @param {string} who @param {number} score */
    const told = (element, who, score) =>
      hint(element, () => `${who} by ${title}: ${printScore(score)}`);
    const end = (/** @type {number} */ value) => value.toFixed(3).replace("-", "−");
    return [
      draw("text", { class: "name", x: 0, y: middle + 4 - (isAbove ? 19 : 0) }, title),
      draw("line", { class: "grid", x1: x(low), x2: x(high), y1: middle, y2: middle }),
      draw("text", { x: x(low) - 12, y: middle + 4, "text-anchor": "end" }, end(low)),
      draw("text", { x: x(high) + 12, y: middle + 4 }, end(high)),
      ...others.flatMap(({ kind, who, score }) => {
        if (score === null) return [];
        const isFloor = kind === "floor";
        const element = draw("path", {
          class: isFloor ? "nothing" : "person",
          d: isFloor ? "M-5-5L5 5M5-5L-5 5" : "M0-8L8 0L0 8L-8 0Z",
          transform: `translate(${x(score).toFixed(1)} ${middle})`,
        });
        return [told(element, who, score)];
      }),
      ...systems.flatMap(({ system, score }) =>
        score === null ? [] : [told(mark(system, x(score), middle), system, score)],
      ),
    ];
  });
  return { height: results.metrics.length * height, content };
}
