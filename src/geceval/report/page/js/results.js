// The embedded results document, described in `geceval.report.results`.

/** @typedef {[number, number, string | null, number]} GoldEdit start, end, correction, type */
/** @typedef {[number, GoldEdit[]]} AnnotationRecord annotator, edits */
/** @typedef {[number, number, string, number, number, number]} EditRecord
 *   start, end, correction, outcome, type, gold edit */
/** @typedef {[number, number]} MissedEdit gold edit, whether a wrong fix overlaps it */
/** @typedef {[number, number, number]} Counts correct, proposed, gold */

/** @typedef {[number, number, number, string | null, (string | null)[]]} ChunkRecord
 *   start, end, class, output, references */

/**
 * @typedef {object} SystemSentences
 * @property {(string | 0)[]} output
 * @property {number[] | null} chosen
 * @property {EditRecord[][] | null} edits
 * @property {MissedEdit[][] | null} missed
 * @property {(Counts | null)[][] | null} counts
 * @property {Record<string, (number | null)[]>} scores
 * @property {((number | null)[] | null)[]} [shares]
 * @property {([number, number[], ChunkRecord[]] | null)[]} [chunks]
 */

/**
 * @typedef {object} Metric
 * @property {string} name
 * @property {string} title
 * @property {string} score_name
 * @property {string[]} parts
 * @property {boolean} has_edits
 * @property {number | null} [beta]
 */

/**
 * @typedef {object} ScoreRecord
 * @property {number | null} score
 * @property {[number, number] | null} interval
 * @property {Record<string, number | null>} parts
 * @property {Record<string, [number, number]>} [part_intervals]
 */

/**
 * @typedef {object} Comparison
 * @property {string} first
 * @property {string} second
 * @property {number | null} difference
 * @property {[number, number] | null} interval
 * @property {number} p
 * @property {number} p_adjusted
 * @property {number} [detectable]
 */

/** @typedef {{first: string, second: string, sentences: [number, number][]}} Influence
 *   of sentences on the difference, second minus first */

/** @typedef {"tp" | "fp" | "fn" | "gold" | "precision" | "recall" | "f"} TypeField */
/** @typedef {Record<TypeField, number | null>} TypeRecord */

/**
 * @typedef {object} Bin
 * @property {string} label
 * @property {number} sentences
 * @property {Record<string, Record<string, number | null>>} scores
 * @property {Record<string, Record<string, [number, number] | null>>} [intervals]
 */

/**
 * @typedef {object} Results
 * @property {Metric[]} metrics
 * @property {string | null} edit_metric
 * @property {string} [chunk_metric]
 * @property {string[]} systems
 * @property {{title: string}} [attribution]
 * @property {{level: number}} settings
 * @property {Record<string, Record<string, ScoreRecord>>} scores
 * @property {Record<string, Comparison[]>} comparisons
 * @property {Record<string, Influence[]>} [influence]
 * @property {Record<string, {power: number}>} [power]
 * @property {{name: string, kind: string, scores: Record<string, number | null>}[]} baselines
 * @property {Record<string, Record<string, number>>} outcomes
 * @property {Record<string, Record<string, TypeRecord>>} [retyped]
 * @property {{metrics: string[], systems: (number | null)[][] | null, sentences: (number | null)[][]}} agreement
 * @property {Record<string, Record<string, Record<string, TypeRecord>>>} types
 * @property {{name: string, title: string, label: string, bins: Bin[], macro?: Bin}[]} slices
 * @property {Record<string, Record<string, [string, string, number, number[]][]>>} frequent
 * @property {object} sentences
 * @property {string[]} sentences.annotators
 * @property {string[]} sentences.types
 * @property {string[]} sentences.source
 * @property {string[] | null} sentences.ids
 * @property {AnnotationRecord[][]} sentences.gold
 * @property {number[][][]} [sentences.retyped]
 * @property {Record<string, SystemSentences>} sentences.systems
 */

/** @type {Results} */
const results = embedded("results");

/**
 * Decode a part of the document: JSON, compressed and as Base64, see `geceval.report.packing`.
 * @param {string} id
 */
async function unpacked(id) {
  const binary = atob(byId(id).textContent ?? "");
  const bytes = new Uint8Array(binary.length);
  for (let place = 0; place < binary.length; place++) bytes[place] = binary.charCodeAt(place);
  const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return new Response(text).json();
}

/** Decode all sentences; views that show them start afterwards. */
async function loadSentences() {
  const all = await unpacked("packed-0");
  all.systems = Object.create(null);
  for (const [place, system] of results.systems.entries()) {
    all.systems[system] = await unpacked(`packed-${place + 1}`);
  }
  results.sentences = all;
}

/** Names of edit outcomes, by index. */
const OUTCOMES = ["correct", "wrong fix", "wrong", "missed"];
const MISSED = 3;

/** Classes of chunks, by index. */
const CHUNK_CLASSES = ["TP", "FPne", "FPun", "FN", "TN"];

const EMPTY = "∅";

/**
 * Format the name of an error type, which may be empty.
 * @param {string | undefined} name
 */
const typeName = (name) => (name === "" ? "(none)" : (name ?? ""));

/**
 * Format an edit. Words written from right to left are isolated, or they would swap places around
 * the arrow.
 * @param {string} old
 * @param {string} now
 */
function arrow(old, now) {
  const [before, after] = [old || EMPTY, now || EMPTY];
  return RIGHT_TO_LEFT.test(before + after)
    ? `\u2066\u2068${before}\u2069 → \u2068${after}\u2069\u2069`
    : `${before} → ${after}`;
}

/**
 * Format a score.
 * @param {number | null | undefined} value
 */
const printScore = (value) => (value === null || value === undefined ? "–" : value.toFixed(4));

/** @param {string} name */
const metricTitle = (name) => results.metrics.find((metric) => metric.name === name)?.title ?? name;

/** Names and titles of metrics, as options. */
const metricOptions = () =>
  results.metrics.map((metric) => /** @type {[string, string]} */ ([metric.name, metric.title]));

/** The metric selected initially, by which everything is sorted. */
const firstMetric = () => results.metrics[0].name;

/**
 * Return a gold edit of an annotator.
 * @param {number} sentence
 * @param {number} annotator
 * @param {number} number
 * @returns {GoldEdit | null}
 */
function goldEdit(sentence, annotator, number) {
  const annotation = results.sentences.gold[sentence].find(([who]) => who === annotator);
  return annotation?.[1][number] ?? null;
}

/**
 * @typedef {object} EditOutcome an edit that a system made or missed
 * @property {number} start
 * @property {number} end
 * @property {string | null} correction null if the error is only detected
 * @property {number} outcome
 * @property {number} type -1 if unknown
 * @property {number} [retyped] its type by the rules for system edits, if the gold has other types
 * @property {string | null} wanted the overlapping gold edits
 */

/**
 * Whether an edit overlaps a gold edit; insertions overlap only at the same position.
 * @param {EditRecord} edit
 * @param {GoldEdit} gold
 */
const overlaps = ([start, end], [goldStart, goldEnd]) =>
  (start === goldEnd && goldStart === end) || (start < goldEnd && goldStart < end);

/**
 * Return the edits that a system made and missed in a sentence, from left to right.
 * @param {number} sentence
 * @param {string} system
 * @returns {EditOutcome[]}
 */
function editOutcomes(sentence, system) {
  const view = results.sentences.systems[system];
  if (!view.edits || !view.missed || !view.chosen) return [];
  const chosen = view.chosen[sentence];
  const annotation = results.sentences.gold[sentence].findIndex(([who]) => who === chosen);
  const retyped = results.sentences.retyped?.[sentence][annotation];
  /** @type {GoldEdit[]} */
  const replaced = [];
  /** @type {EditOutcome[]} */
  const found = [];
  for (const [number, isReplaced] of view.missed[sentence]) {
    const gold = goldEdit(sentence, chosen, number);
    if (gold && isReplaced) replaced.push(gold);
    else if (gold) {
      const [start, end, correction, type] = gold;
      const own = retyped?.[number];
      found.push({ start, end, correction, outcome: MISSED, type, retyped: own, wanted: null });
    }
  }
  for (const edit of view.edits[sentence]) {
    const [start, end, correction, outcome, type, match] = edit;
    const own = outcome ? type : retyped?.[match];
    const gold = outcome ? replaced.filter((one) => overlaps(edit, one)) : [];
    const wanted = gold.map(([from, to, now]) => arrow(words(sentence, from, to), now ?? "?"));
    const text = wanted.join(", ") || null;
    found.push({ start, end, correction, outcome, type, retyped: own, wanted: text });
  }
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

/**
 * Return the tokens of a span.
 * @param {number} sentence
 * @param {number} start
 * @param {number} end
 */
const words = (sentence, start, end) =>
  results.sentences.source[sentence].split(" ").slice(start, end).join(" ");
