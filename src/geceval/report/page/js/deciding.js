// What decides between two systems: the sentences that move the difference most, and error types.

/** Number of error types to choose from. */
const MOST_TYPES = 8;

/** Letters on a line of text, roughly. */
const LINE_LETTERS = 120;

/**
 * Show the sentences with the largest influence on A minus B.
 * @param {string} a
 * @param {string} b
 * @param {string} metric
 * @returns {Node[]}
 */
function decidingView(a, b, metric) {
  const found = results.influence?.[metric]?.find(
    ({ first, second }) => (first === a && second === b) || (first === b && second === a),
  );
  if (!found?.sentences.length) return [];
  // Influences are on second minus first.
  const sign = found.second === a ? 1 : -1;
  const items = found.sentences.map(
    ([sentence, value]) => /** @type {[number, number]} */ ([sentence, sign * value]),
  );
  const entries = items.map(([sentence, value]) => decidingItem(sentence, value, a, b));
  const types = decidingTypes(items, a, b);
  return [
    make("h3", {}, `What decides: the ${items.length} sentences that move ${nameOf(a)} − ${nameOf(b)} most`),
    make(
      "p",
      { class: "muted" },
      "The number is how much a sentence adds to the difference: the difference on all " +
        "sentences minus that on all others." +
        (results.edit_metric ? ` Edits are those of ${metricTitle(results.edit_metric)}.` : "") +
        (types.length ? " By type of the edits that only one of the two systems makes:" : ""),
    ),
    ...(types.length ? [decidingFilter(items, entries, types)] : []),
    make("ol", { class: "deciding" }, ...entries),
  ];
}

/**
 * Buttons that show only the sentences with edits of one type.
 * @param {[number, number][]} items
 * @param {HTMLElement[]} entries of the items
 * @param {[string, number[]][]} types
 */
function decidingFilter(items, entries, types) {
  /** @type {[string, number[]][]} */
  const choices = [["all types", items.map(([sentence]) => sentence)], ...types];
  const buttons = choices.map(([name, sentences], place) => {
    const act = () => {
      entries.forEach((entry, i) => (entry.hidden = !sentences.includes(items[i][0])));
      buttons.forEach((one) => one.setAttribute("aria-pressed", String(one === own)));
    };
    const label = `${name} (${new Set(sentences).size})`;
    const own = button(label, act, { class: "quiet", "aria-pressed": String(!place) });
    return own;
  });
  return make("div", { class: "type-filter", role: "group", "aria-label": "Error type" }, ...buttons);
}

/**
 * @param {number} sentence
 * @param {number} value
 * @param {string} a
 * @param {string} b
 */
function decidingItem(sentence, value, a, b) {
  const favored = value < 0 ? b : a;
  const line = (/** @type {Node} */ who, /** @type {(Node | string)[]} */ text) =>
    make(
      "div",
      { class: "line" },
      make("span", { class: "who" }, who),
      make("p", { dir: "auto", translate: "no" }, ...text),
    );
  const open = () => openSentence(sentence);
  const label = `Open sentence ${sentence + 1}`;
  const gold = goldLines(sentence, a, b);
  const item = make(
    "li",
    {},
    make(
      "div",
      {},
      button(`Sentence ${sentence + 1}`, open, { class: "link", "aria-label": label }),
      make("span", { class: `favor system ${lookOf(favored)}` }, printSigned(value)),
      make("span", { class: "score-chip" }, `for ${labelOf(favored)}`),
    ),
    make(
      "div",
      {},
      ...gold.map(([who, text]) => line(make("span", { class: "muted" }, who), text)),
      line(systemName(a), systemText(sentence, a)),
      line(systemName(b), systemText(sentence, b)),
    ),
  );
  // A guess, by which the browser knows which items are in sight before it lays them out.
  const rows = Math.ceil(results.sentences.source[sentence].length / LINE_LETTERS);
  item.style.setProperty("--rows", String(rows * (gold.length + 2)));
  return item;
}

/**
 * The annotations that the two systems were scored against, or all if that is unknown.
 * @param {number} sentence
 * @param {string} a
 * @param {string} b
 * @returns {[string, (Node | string)[]][]}
 */
function goldLines(sentence, a, b) {
  const { gold, annotators, systems } = results.sentences;
  const chosen = [a, b].map((system) => systems[system].chosen?.[sentence]);
  const isShown = (/** @type {number} */ who) => chosen.includes(undefined) || chosen.includes(who);
  const shown = gold[sentence].filter(([who]) => isShown(who));
  return shown.map(([who, edits]) => [
    gold[sentence].length > 1 ? `gold ${annotators[who]}` : "gold",
    goldText(sentence, edits),
  ]);
}

/**
 * The types of the edits that distinguish the systems in some sentences, the most frequent first,
 * and the sentences of each.
 * @param {[number, number][]} items
 * @param {string} a
 * @param {string} b
 * @returns {[string, number[]][]}
 */
function decidingTypes(items, a, b) {
  if (!results.edit_metric) return [];
  const edits = items.flatMap(([sentence]) => {
    const made = [a, b].map((system) =>
      editOutcomes(sentence, system).filter(({ outcome }) => outcome !== MISSED),
    );
    const key = (/** @type {EditOutcome} */ { start, end, correction }) =>
      JSON.stringify([start, end, correction]);
    const keys = made.map((own) => new Set(own.map(key)));
    return made.flatMap((own, i) =>
      own.flatMap((edit) => (keys[1 - i].has(key(edit)) ? [] : { sentence, edit })),
    );
  });
  const named = edits.flatMap(({ sentence, edit }) => {
    const name = typeName(results.sentences.types[edit.retyped ?? edit.type]);
    return name ? [{ sentence, name }] : [];
  });
  return [...groupBy(named, ({ name }) => name)]
    .map(([name, found]) => {
      const sentences = new Set(found.map(({ sentence }) => sentence));
      return /** @type {[string, number[]]} */ ([name, [...sentences]]);
    })
    .sort(([, x], [, y]) => y.length - x.length)
    .slice(0, MOST_TYPES);
}

/**
 * Compare two systems by error type, the largest differences in correct and wrong edits first.
 * @param {string} a
 * @param {string} b
 * @returns {Node[]}
 */
function typesOfPair(a, b) {
  const [source] = typeSources().values();
  if (!source) return [];
  const [ofA, ofB] = [source.records[a], source.records[b]];
  const names = [...new Set([...Object.keys(ofA), ...Object.keys(ofB)])];
  const gapIn = (/** @type {string} */ type, /** @type {"tp" | "fp"} */ field) =>
    Math.abs((ofA[type]?.[field] ?? 0) - (ofB[type]?.[field] ?? 0));
  const gap = (/** @type {string} */ type) => gapIn(type, "tp") + gapIn(type, "fp");
  const shown = names.filter(gap).sort((x, y) => gap(y) - gap(x)).slice(0, MOST_ROWS);
  if (!shown.length) return [];
  const hasF = shown.some((type) => (ofA[type] ?? ofB[type]).f !== null);
  const measure = hasF ? "f" : "recall";
  const label = hasF ? "F" : "recall";
  const pairOf = (/** @type {string} */ what) => [`${a} ${what}`, `${b} ${what}`];
  /** @type {Table} */
  const table = {
    name: `types-${a}-${b}`,
    title: `Error types in which ${a} and ${b} differ most`,
    header: [
      "type",
      "gold edits",
      ...pairOf("correct"),
      ...pairOf("wrong"),
      ...pairOf(label),
    ],
    rows: shown.map((type) => [
      typeName(type),
      Math.max(ofA[type]?.gold ?? 0, ofB[type]?.gold ?? 0),
      ofA[type]?.tp ?? 0,
      ofB[type]?.tp ?? 0,
      ofA[type]?.fp ?? null,
      ofB[type]?.fp ?? null,
      floatCell(ofA[type]?.[measure]),
      floatCell(ofB[type]?.[measure]),
    ]),
    digits: 2,
  };
  return [tableFigure(table)];
}
