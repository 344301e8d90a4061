// Scores by error type: a heat map of systems and types, whose cells lead to sentences.

/** @typedef {"f" | "precision" | "recall" | "gold"} Measure */
/** @typedef {Record<string, Record<string, TypeRecord>>} TypeTable by system and type */
/** @typedef {{label: string, beta: number, records: TypeTable, isRetyped: boolean}} TypeSource */

/** @type {[Measure, string][]} */
const MEASURES = [
  ["f", "F"],
  ["precision", "Precision"],
  ["recall", "Recall"],
  ["gold", "Support"],
];

/** @type {[string, string][]} */
const LEVELS = [
  ["type", "Full type"],
  ["category", "Category"],
  ["operation", "Operation"],
];

const OPERATIONS = new Map([
  ["M", "missing"],
  ["R", "replacement"],
  ["U", "unnecessary"],
]);

/** Below this number of gold edits, a score says little. */
const FEW = 10;

/** The tables of error types that there are. @returns {Map<string, TypeSource>} */
function typeSources() {
  /** @type {Map<string, TypeSource>} */
  const found = new Map();
  const shown = results.edit_metric ?? "";
  if (results.retyped) {
    const label = `${metricTitle(shown)} types (precision, recall, F; gold re-typed)`;
    found.set("retyped", { label, beta: betaOf(shown), records: results.retyped, isRetyped: true });
  }
  for (const { name, title } of results.metrics) {
    const records = results.types[name];
    if (!records) continue;
    const hasPrecision = Object.values(records).some((types) =>
      Object.values(types).some(({ gold, precision }) => gold && precision !== null),
    );
    const shares = hasPrecision ? "precision, recall, F" : "recall";
    const label = `gold types (${shares}): ${title}`;
    found.set(name, { label, beta: betaOf(name), records, isRetyped: false });
  }
  // Precision by type says more than recall alone.
  const rank = (/** @type {TypeSource} */ { label }) => Number(label.includes("precision"));
  return new Map([...found].sort(([, a], [, b]) => rank(b) - rank(a)));
}

/** @param {string} name */
const betaOf = (name) => results.metrics.find((metric) => metric.name === name)?.beta ?? 0.5;

/**
 * Split a type into operation and category; only ERRANT's have an operation.
 * @param {string} type
 * @param {string} level
 */
function typeAt(type, level) {
  const found = /^([MRU]):(.+)$/.exec(type);
  if (!found || level === "type") return type;
  return level === "operation" ? found[1] : found[2];
}

/**
 * Add up the counts of types that are the same on a level.
 * @param {TypeSource} source
 * @param {string} level
 * @returns {TypeTable}
 */
function atLevel({ records, beta }, level) {
  if (level === "type") return records;
  const summed = (/** @type {Record<string, TypeRecord>} */ types) => {
    const groups = groupBy(Object.entries(types), ([type]) => typeAt(type, level));
    return Object.fromEntries(
      [...groups].map(([name, members]) => {
        const own = members.map(([, record]) => record);
        return [name, addUp(own, beta)];
      }),
    );
  };
  return Object.fromEntries(
    Object.entries(records).map(([system, types]) => [system, summed(types)]),
  );
}

/**
 * @param {TypeRecord[]} records
 * @param {number} beta
 * @returns {TypeRecord}
 */
function addUp(records, beta) {
  const sum = (/** @type {"tp" | "fp" | "fn"} */ field) =>
    records.reduce((total, record) => total + (record[field] ?? 0), 0);
  const [tp, fp, fn] = [sum("tp"), sum("fp"), sum("fn")];
  const knowsWrong = records.every((record) => record.fp !== null);
  const recall = tp + fn ? tp / (tp + fn) : 1;
  const precision = tp + fp ? tp / (tp + fp) : 1;
  const whole = beta * beta * precision + recall;
  return {
    tp,
    fp: knowsWrong ? fp : null,
    fn,
    gold: tp + fn,
    precision: knowsWrong ? precision : null,
    recall,
    f: knowsWrong ? (whole ? ((1 + beta * beta) * precision * recall) / whole : 0) : null,
  };
}

function startTypes() {
  if (!document.getElementById("types-map")) return;
  const sources = typeSources();
  /** @type {[string, string][]} */
  const options = [...sources].map(([name, { label }]) => [name, label]);
  const source = choose("types-source", options, () => show());
  /** @type {[string, string][]} */
  const systems = [["", "none"], ...systemOptions()];
  const baseline = choose("types-baseline", systems, () => show());
  const level = radios("types-level", LEVELS, () => show());
  const measure = radios("types-measure", MEASURES, () => show());

  function show() {
    const chosen = /** @type {TypeSource} */ (sources.get(source.value));
    const names = new Set(Object.values(chosen.records).flatMap((types) => Object.keys(types)));
    const hasLevels = [...names].some((name) => /^[MRU]:/.test(name));
    byId("types-level").hidden = !hasLevels;
    const records = atLevel(chosen, hasLevels ? level.value() : "type");
    const isKnown = (/** @type {string} */ name) =>
      Object.values(records).some((types) =>
        Object.values(types).some((one) => one.gold && one[/** @type {Measure} */ (name)] !== null),
      );
    measure.allow(isKnown, "recall");
    const how = /** @type {Measure} */ (measure.value());
    // Other vocabularies have the same letters for something else: Chinese R is redundant.
    const isOperation = hasLevels && level.value() === "operation";
    byId("types-map").replaceChildren(
      heatMap(chosen, records, how, baseline.value, isOperation ? operationName : typeName),
    );
    byId("types-note").replaceChildren(
      make("span", { class: "screen-only" }, "Select a cell to see its sentences. "),
      `Types with fewer than ${FEW} gold edits are dimmed.` +
        (chosen.isRetyped
          ? " The gold edits were typed anew, by the rules that type the edits of the systems."
          : ""),
    );
  }
  show();
}

/**
 * @param {TypeSource} source
 * @param {TypeTable} records
 * @param {Measure} measure
 * @param {string} baseline
 * @param {(type: string) => string} nameOfType
 */
function heatMap(source, records, measure, baseline, nameOfType) {
  const support = supportOf(records);
  const types = [...support.keys()].filter((type) => support.get(type));
  const isCount = measure === "gold";
  const most = Math.max(1, ...support.values());
  const systems = board.order;
  const label = MEASURES.find(([name]) => name === measure)?.[1] ?? measure;
  const valueOf = (/** @type {string} */ system, /** @type {string} */ type) =>
    records[system][type]?.[measure] ?? null;
  const shownValue = (/** @type {string} */ system, /** @type {string} */ type) => {
    const value = valueOf(system, type);
    if (!baseline || system === baseline || value === null) return value;
    const other = valueOf(baseline, type);
    return other === null ? null : value - other;
  };
  /** @type {Table} */
  const table = {
    name: `types-${measure}`,
    title: `${label} by error type${baseline ? `, difference to ${baseline}` : ""}`,
    header: ["type", "gold edits", ...systems],
    rows: types.map((type) => [
      typeName(type),
      support.get(type) ?? 0,
      ...systems.map((system) => {
        const value = shownValue(system, type);
        return isCount ? value : floatCell(value);
      }),
    ]),
    digits: 2,
  };
  const figure = tableFigure(table, (cell, row, column) => {
    if (column < 2) return column ? null : nameOfType(types[row]);
    if (cell === null) return "–";
    const [type, system] = [types[row], systems[column - 2]];
    const value = Number(Array.isArray(cell) ? cell[0] : cell);
    const isDifference = Boolean(baseline) && system !== baseline;
    const shown = isDifference ? printSigned(value, isCount ? 0 : 2) : shownCell(cell, 2);
    const go = () => browse(typeFilter(system, type, source.isRetyped));
    const text = `${isolated(system)}, ${typeName(type)}: ${shown}`;
    const element = button(shown, go, { "aria-label": `${text}; show sentences` });
    if ((support.get(type) ?? 0) < FEW) element.classList.add("few");
    hint(element, () => `${text}. ${countsText(records[system][type])}`);
    if (!isDifference) return heat(element, isCount ? value / most : value);
    if (value < 0) element.classList.add("below");
    return heat(element, Math.abs(value) / (isCount ? most : 0.5));
  });
  figure.classList.add("heat-map");
  const others = support.size - types.length;
  if (others) {
    const note = `Not shown: ${counted(others, "type")} without gold edits.`;
    figure.append(make("p", { class: "muted small" }, note));
  }
  return figure;
}

/** @param {string} type */
function operationName(type) {
  const name = OPERATIONS.get(type);
  return name ? `${type} (${name})` : typeName(type);
}

/** @param {TypeRecord | undefined} record */
function countsText(record) {
  if (!record) return "";
  const wrong = record.fp === null ? "" : `, ${record.fp} wrong`;
  return `${record.tp} correct${wrong}; ${counted(record.gold ?? 0, "gold edit")}.`;
}

/**
 * Return the filter of sentences with edits of a type, or of all types of a group.
 * @param {string} system
 * @param {string} type
 * @param {boolean} isRetyped
 */
function typeFilter(system, type, isRetyped) {
  const exact = results.sentences.types.indexOf(type);
  const members = results.sentences.types.flatMap((name, i) =>
    LEVELS.some(([level]) => typeAt(name, level) === type) ? i : [],
  );
  if (!isRetyped && exact >= 0 && members.length === 1) return { system, type: exact };
  const wanted = new Set(members);
  const isWanted = (/** @type {EditOutcome} */ edit) =>
    wanted.has((isRetyped ? edit.retyped : edit.type) ?? -1);
  const numbers = new Set(
    results.sentences.source.flatMap((_, i) => (editOutcomes(i, system).some(isWanted) ? i : [])),
  );
  return { system, only: { label: typeName(type), numbers } };
}

/**
 * Count the gold edits of each type, most frequent first. The counts depend on the system, because
 * the reference annotator is chosen per system; the maximum is used.
 * @param {TypeTable} records
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
