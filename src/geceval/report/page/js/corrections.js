// Over- and under-correction: the outcomes of the edits of each system.

/** Outcomes from left to right: gold edits first, then changes of what was right. */
const STACKED = ["correct", "wrong fix", "missed", "wrong"];
/** @type {Record<string, string>} */
const OUTCOME_LABELS = {
  correct: "correct",
  "wrong fix": "wrong fix",
  missed: "missed (under-correction)",
  wrong: "wrong (over-correction)",
};

/** @param {string} kind */
const outcomeClass = (kind) => `of-${kind.replace(" ", "-")}`;

function startCorrections() {
  const holder = document.getElementById("outcomes-bars");
  if (!holder) return;
  const all = results.outcomes;
  const order = board.order.filter((system) => all[system]);
  const totals = order.map((system) => STACKED.reduce((sum, kind) => sum + all[system][kind], 0));
  const longest = Math.max(1, ...totals);
  /** @type {Table} */
  const table = {
    name: "outcomes",
    title: "Edits by outcome",
    header: ["system", "edits", ...STACKED, "over-corrected", "under-corrected"],
    rows: order.map((system) => {
      const { correct, "wrong fix": fix, wrong, missed } = all[system];
      const [made, gold] = [correct + fix + wrong, correct + fix + missed];
      return [
        system,
        made,
        ...STACKED.map((kind) => all[system][kind]),
        floatCell(made ? wrong / made : null),
        floatCell(gold ? missed / gold : null),
      ];
    }),
    digits: 2,
  };
  const figure = tableFigure(table, (cell, row, column) => {
    if (column > 1) return null;
    return column ? outcomeStack(order[row], Number(cell), longest) : systemName(String(cell));
  });
  figure.querySelectorAll("thead th")[1]?.classList.add("stack-cell");
  holder.append(
    make(
      "ul",
      { class: "key-line" },
      ...STACKED.map((kind) =>
        make("li", {}, make("i", { class: outcomeClass(kind) }), OUTCOME_LABELS[kind]),
      ),
    ),
    figure,
  );
}

/**
 * A bar of all edits of a system, made and missed, and the number of those made.
 * @param {string} system
 * @param {number} made
 * @param {number} longest
 */
function outcomeStack(system, made, longest) {
  const counts = results.outcomes[system];
  const parts = STACKED.map((kind) => {
    const count = counts[kind];
    const part = make("span", { class: outcomeClass(kind) }, make("span", {}, String(count)));
    part.style.setProperty("width", `${(100 * count) / longest}%`);
    const outcome = String(OUTCOMES.indexOf(kind));
    part.addEventListener("click", () => browse({ system, outcome }));
    const text = `${isolated(system)}: ${printCount(count)} ${OUTCOME_LABELS[kind]}`;
    return hint(part, () => `${text}. Click for the sentences.`);
  });
  return make(
    "div",
    { class: "stack-line" },
    make("span", {}, printCount(made)),
    make("div", { class: "stack" }, ...parts),
  );
}
