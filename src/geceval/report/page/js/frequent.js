// The most frequent wrong, missed and correct edits of a system.

/** Kinds, their outcomes and titles.
 * @type {[string, string, string][]} */
const KINDS = [
  ["wrong", "1,2", "Most frequent wrong edits"],
  ["missed", "3", "Most frequent missed edits"],
  ["correct", "0", "Most frequent correct edits"],
];

function startFrequent() {
  if (!results.edit_metric) return;
  const system = choose("frequent-system", systemOptions(), () => show(), board.order[0]);
  function show() {
    byId("frequent-tables").replaceChildren(
      ...KINDS.map(([kind, outcome, title]) => frequentTable(system.value, kind, outcome, title)),
    );
  }
  show();
}

/**
 * @param {string} system
 * @param {string} kind
 * @param {string} outcome
 * @param {string} title
 */
function frequentTable(system, kind, outcome, title) {
  const edits = results.frequent[system]?.[kind] ?? [];
  const most = Math.max(1, ...edits.map(([, , count]) => count));
  /** @type {Table} */
  const table = {
    name: `${kind}-${system}`,
    title: `${title}: ${system}`,
    header: ["edit", "count"],
    rows: edits.map(([old, now, count]) => [arrow(old, now), count]),
    digits: 4,
  };
  const figure = tableFigure(table, (cell, row, column) => {
    const [old, now, count] = edits[row];
    if (!column) {
      const show = () => browse({ system, edit: { old, now }, outcome });
      return button(String(cell), show, { class: "link", translate: "no" });
    }
    const bar = make("span", { class: "count" }, `×${count}`);
    bar.style.setProperty("--share", `${(100 * count) / most}%`);
    return bar;
  });
  if (!edits.length) figure.append(make("p", { class: "muted" }, "none"));
  return figure;
}
