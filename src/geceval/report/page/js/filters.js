// Which sentences are wanted, and in which order.

/**
 * @typedef {object} Wish
 * @property {string} search
 * @property {string} system "" for any
 * @property {number} type -1 for any
 * @property {string} outcome numbers with commas between, "" for any
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
 * What finds the words that are searched for, in whatever case.
 * @param {Wish} wish
 * @param {string} [flags]
 */
function pattern({ search }, flags = "iu") {
  const query = search.trim();
  return query ? new RegExp(query.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), flags) : null;
}

/**
 * Whether words are in the source, in an output or in the name of a sentence.
 * @param {number} sentence
 * @param {RegExp} query
 */
const says = (sentence, query) =>
  query.test(results.sentences.source[sentence]) ||
  query.test(results.sentences.ids?.[sentence] ?? "") ||
  results.systems.some((system) =>
    query.test(results.sentences.systems[system].output[sentence] || ""),
  );

/**
 * Whether one and the same edit is all that is asked for.
 * @param {number} sentence
 * @param {string} system
 * @param {Wish} wish
 * @param {Set<number>} outcomes none for any
 */
function hasEdit(sentence, system, { type, edit }, outcomes) {
  const { edits, missed, chosen } = results.sentences.systems[system];
  if (!edits || !missed || !chosen) return false;
  /**
   * @param {number} start
   * @param {number} end
   * @param {string | null} now
   * @param {number} outcome
   * @param {number} own
   */
  const fits = (start, end, now, outcome, own) =>
    (type < 0 || own === type) &&
    (!outcomes.size || outcomes.has(outcome)) &&
    (!edit || ((now ?? "") === edit.now && words(sentence, start, end) === edit.old));
  if (
    edits[sentence].some(([start, end, now, outcome, own]) => fits(start, end, now, outcome, own))
  ) {
    return true;
  }
  return missed[sentence].some(([number, isReplaced]) => {
    // An error with a wrong fix in its place is no miss, unless that very error is asked for.
    if (isReplaced && outcomes.size && !edit) return false;
    const gold = goldEdit(sentence, chosen[sentence], number);
    return gold !== null && fits(gold[0], gold[1], gold[2], MISSED, gold[3]);
  });
}

/**
 * Numbers of the sentences that are wanted.
 * @param {Wish} wish
 * @returns {number[]}
 */
function matching(wish) {
  const query = pattern(wish);
  const systems = wish.system ? [wish.system] : results.systems;
  const outcomes = new Set(wish.outcome ? wish.outcome.split(",").map(Number) : []);
  const byEdit = wish.type >= 0 || outcomes.size || wish.edit;
  const found = [];
  for (let sentence = 0; sentence < results.sentences.source.length; sentence++) {
    if (
      (!wish.only || wish.only.numbers.has(sentence)) &&
      (!query || says(sentence, query)) &&
      (!byEdit || systems.some((system) => hasEdit(sentence, system, wish, outcomes)))
    ) {
      found.push(sentence);
    }
  }
  return found;
}

/**
 * The score of each sentence: of one system, or the mean of all.
 * @param {string} system "" for all
 * @param {string} metric
 * @returns {(number | null)[]}
 */
function sentenceScores(system, metric) {
  const views = results.sentences.systems;
  if (system) return views[system].scores[metric];
  const all = results.systems.map((name) => views[name].scores[metric]);
  return results.sentences.source.map((_, sentence) => {
    const known = all.flatMap((scores) => scores[sentence] ?? []);
    return known.length ? known.reduce((sum, value) => sum + value, 0) / known.length : null;
  });
}

/**
 * Share of sentences that score less, those with the same score counted half: a scale on which
 * different metrics can be compared.
 * @param {(number | null)[]} scores
 * @returns {(number | null)[]}
 */
function percentiles(scores) {
  const order = scores.flatMap((score, sentence) => (score === null ? [] : sentence));
  const value = (/** @type {number} */ position) => /** @type {number} */ (scores[order[position]]);
  order.sort((a, b) => Number(scores[a]) - Number(scores[b]));
  /** @type {(number | null)[]} */
  const places = scores.map(() => null);
  for (let start = 0, end = 0; start < order.length; start = end) {
    while (end < order.length && value(end) === value(start)) end++;
    for (let i = start; i < end; i++) places[order[i]] = (start + end) / 2 / order.length;
  }
  return places;
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
 * The number that is shown beside each sentence, and that they are sorted by.
 * @param {Wish} wish
 * @returns {(number | null)[]}
 */
function sortKeys({ sort, system, metric, a, b, other }) {
  if (sort === "systems") return differences(sentenceScores(a, metric), sentenceScores(b, metric));
  const scores = sentenceScores(system, metric);
  if (sort !== "metrics") return scores;
  return differences(percentiles(scores), percentiles(sentenceScores(system, other)));
}

/**
 * Put sentences in the wanted order; those without a number come last.
 * @param {number[]} sentences
 * @param {(number | null)[]} keys
 * @param {Wish} wish
 */
function sorted(sentences, keys, { sort, descending }) {
  if (sort === "number") return descending ? sentences.reverse() : sentences;
  const sign = descending ? -1 : 1;
  return sentences.sort((one, two) => {
    const [x, y] = [keys[one], keys[two]];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || one - two;
    return sign * (x - y) || one - two;
  });
}
