// Filtering and sorting of sentences.

/**
 * @typedef {object} BrowserState
 * @property {string} search
 * @property {string} system "" for any
 * @property {number} type -1 for any
 * @property {string} outcome comma-separated numbers, "" for any
 * @property {{old: string, now: string} | null} edit
 * @property {{label: string, numbers: Set<number>} | null} only
 * @property {string} metric
 * @property {"number" | "score" | "systems" | "metrics"} sort
 * @property {boolean} descending
 * @property {string} a a system
 * @property {string} b the system it is compared with
 * @property {string} other the metric that `metric` is compared with
 */

/**
 * Return a case-insensitive pattern for the search text, or null.
 * @param {BrowserState} state
 * @param {string} [flags]
 */
function pattern({ search }, flags = "iu") {
  const query = search.trim();
  return query ? new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), flags) : null;
}

/**
 * Whether the source, an output or the id of a sentence matches.
 * @param {number} sentence
 * @param {RegExp} query
 */
const containsText = (sentence, query) =>
  query.test(results.sentences.source[sentence]) ||
  query.test(results.sentences.ids?.[sentence] ?? "") ||
  results.systems.some((system) =>
    query.test(results.sentences.systems[system].output[sentence] || ""),
  );

/**
 * Whether a single edit satisfies all filters.
 * @param {number} sentence
 * @param {string} system
 * @param {BrowserState} state
 * @param {Set<number>} outcomes empty for any
 */
function hasEdit(sentence, system, { type, edit }, outcomes) {
  const { edits, missed, chosen } = results.sentences.systems[system];
  if (!edits || !missed || !chosen) return false;
  /** @param {[number, number, string | null, number, number, ...unknown[]]} edit */
  const fits = ([start, end, now, outcome, own]) =>
    (type < 0 || own === type) &&
    (!outcomes.size || outcomes.has(outcome)) &&
    (!edit || ((now ?? "") === edit.now && words(sentence, start, end) === edit.old));
  if (edits[sentence].some(fits)) return true;
  return missed[sentence].some(([number, isReplaced]) => {
    // A gold edit with a wrong fix is not missed, unless the filter asks for that very edit.
    if (isReplaced && outcomes.size && !edit) return false;
    const gold = goldEdit(sentence, chosen[sentence], number);
    return gold !== null && fits([gold[0], gold[1], gold[2], MISSED, gold[3]]);
  });
}

/**
 * Return the indices of matching sentences.
 * @param {BrowserState} state
 * @returns {number[]}
 */
function matching(state) {
  const query = pattern(state);
  const systems = state.system ? [state.system] : results.systems;
  const outcomes = new Set(state.outcome ? state.outcome.split(",").map(Number) : []);
  const byEdit = state.type >= 0 || outcomes.size || state.edit;
  const found = [];
  for (let sentence = 0; sentence < results.sentences.source.length; sentence++) {
    if (
      (!state.only || state.only.numbers.has(sentence)) &&
      (!query || containsText(sentence, query)) &&
      (!byEdit || systems.some((system) => hasEdit(sentence, system, state, outcomes)))
    ) {
      found.push(sentence);
    }
  }
  return found;
}

/**
 * Return sentence scores of one system, or means over all systems.
 * @param {string} system "" for all
 * @param {string} metric
 * @returns {(number | null)[]}
 */
function sentenceScores(system, metric) {
  const views = results.sentences.systems;
  if (system) return views[system].scores[metric];
  const known = MEANS.get(metric);
  if (known) return known;
  const all = results.systems.map((name) => views[name].scores[metric]);
  const means = results.sentences.source.map((_, sentence) => {
    let [sum, count] = [0, 0];
    for (const scores of all) {
      const score = scores[sentence];
      if (score !== null) [sum, count] = [sum + score, count + 1];
    }
    return count ? sum / count : null;
  });
  MEANS.set(metric, means);
  return means;
}

/** Means over all systems, by metric.
 * @type {Map<string, (number | null)[]>} */
const MEANS = new Map();

/**
 * Return percentile ranks, with ties counted half, which make the scores of different metrics
 * comparable.
 * @param {(number | null)[]} scores
 * @returns {(number | null)[]}
 */
function percentiles(scores) {
  const ordered = Float64Array.from(scores.flatMap((score) => score ?? [])).sort();
  /** @type {Map<number, number>} */
  const places = new Map();
  for (let start = 0, end = 0; start < ordered.length; start = end) {
    while (ordered[end] === ordered[start]) end++;
    places.set(ordered[start], (start + end) / 2 / ordered.length);
  }
  return scores.map((score) => (score === null ? null : (places.get(score) ?? null)));
}

/**
 * @param {(number | null)[]} first
 * @param {(number | null)[]} second
 */
const differences = (first, second) =>
  first.map((value, sentence) => {
    const other = second[sentence];
    return value === null || other === null ? null : value - other;
  });

/**
 * Return the sort key of each sentence, which the list also shows.
 * @param {BrowserState} state
 * @returns {(number | null)[]}
 */
function sortKeys({ sort, system, metric, a, b, other }) {
  if (sort === "systems") return differences(sentenceScores(a, metric), sentenceScores(b, metric));
  const scores = sentenceScores(system, metric);
  if (sort !== "metrics") return scores;
  return differences(percentiles(scores), percentiles(sentenceScores(system, other)));
}

/**
 * Sort sentences; those without a key come last.
 * @param {number[]} sentences
 * @param {(number | null)[]} keys
 * @param {BrowserState} state
 */
function sorted(sentences, keys, { sort, descending }) {
  if (sort === "number") return descending ? sentences.reverse() : sentences;
  const sign = descending ? -1 : 1;
  const order = Float64Array.from(keys, (key) => (key === null ? Infinity : sign * key));
  return sentences.sort((one, two) => order[one] - order[two] || one - two);
}

/**
 * Return the first items in an order, without sorting all of them; ties keep theirs.
 * @template Item
 * @param {Item[]} items
 * @param {number} count
 * @param {(one: Item, two: Item) => number} compare
 */
function smallest(items, count, compare) {
  /** @type {Item[]} */
  const found = [];
  for (const item of items) {
    let place = found.length;
    while (place && compare(item, found[place - 1]) < 0) place--;
    if (place >= count) continue;
    found.splice(place, 0, item);
    if (found.length > count) found.pop();
  }
  return found;
}
