// The edits that only one of two systems makes.

/** Texts of edits, numbered so that edits of two systems are counted without building texts.
 * @type {{old: string, now: string}[]} */
const EDIT_TEXTS = [];

/** @type {Map<string, number>} */
const TEXT_NUMBERS = new Map();

/** The numbers of the texts of all edits, by system and sentence.
 * @type {Map<string, number[][]>} */
const NUMBERED = new Map();

/**
 * @param {string} old
 * @param {string} now
 */
function textNumber(old, now) {
  const key = `${old}\n${now}`;
  let number = TEXT_NUMBERS.get(key);
  if (number === undefined) {
    number = EDIT_TEXTS.push({ old, now }) - 1;
    TEXT_NUMBERS.set(key, number);
  }
  return number;
}

/**
 * Return the numbers of the texts of a system's edits, by sentence.
 * @param {string} system
 */
function numberedTexts(system) {
  let numbers = NUMBERED.get(system);
  if (!numbers) {
    numbers = editsOf(system).map((edits, sentence) => {
      const tokens = edits.length ? results.sentences.source[sentence].split(" ") : [];
      return edits.map(([start, end, now]) => textNumber(tokens.slice(start, end).join(" "), now));
    });
    NUMBERED.set(system, numbers);
  }
  return numbers;
}

/** @param {string} system */
const editsOf = (system) => results.sentences.systems[system].edits ?? [];

/**
 * Call a function for each edit that the other system does not make.
 * @param {string} system
 * @param {string} other
 * @param {(sentence: number, text: number, outcome: number) => void} act
 */
function forEachAlone(system, other, act) {
  const [all, others, texts] = [editsOf(system), editsOf(other), numberedTexts(system)];
  for (let sentence = 0; sentence < all.length; sentence++) {
    for (let i = 0; i < all[sentence].length; i++) {
      const [start, end, now, outcome] = all[sentence][i];
      const isSame = (/** @type {EditRecord} */ one) =>
        one[0] === start && one[1] === end && one[2] === now;
      if (!others[sentence].some(isSame)) act(sentence, texts[sentence][i], outcome);
    }
  }
}

/**
 * A table of the most frequent edits that the other system does not make.
 * @param {string} system
 * @param {string} other
 */
function onlyTable(system, other) {
  numberedTexts(system);
  const counts = new Uint32Array(EDIT_TEXTS.length);
  const correct = new Uint32Array(EDIT_TEXTS.length);
  /** @type {number[]} */
  const found = [];
  let total = 0;
  forEachAlone(system, other, (_, text, outcome) => {
    if (!counts[text]) found.push(text);
    counts[text]++;
    correct[text] += Number(outcome === 0);
    total++;
  });
  const most = smallest(found, MOST_ROWS, (one, two) => counts[two] - counts[one]);
  const labels = most.map((text) => arrow(EDIT_TEXTS[text].old, EDIT_TEXTS[text].now));
  /** @type {Table} */
  const table = {
    name: `only-${system}-${other}`,
    title:
      `Edits made only by ${system}` +
      (total ? ` (${printCount(total)}; most frequent first)` : ""),
    header: ["edit", "count", "correct"],
    rows: most.map((text, row) => [labels[row], counts[text], correct[text]]),
    digits: 4,
  };
  if (!most.length) return nothing(table.title);
  return tableFigure(table, (cell, row, column) => {
    if (column) return null;
    const show = () => {
      const label = `${labels[row]}, only ${system}`;
      browse({ system, only: { label, numbers: sentencesAlone(system, other, most[row]) } });
    };
    return button(String(cell), show, { class: "link", translate: "no" });
  });
}

/**
 * Return the sentences in which only one system makes an edit.
 * @param {string} system
 * @param {string} other
 * @param {number} wanted
 */
function sentencesAlone(system, other, wanted) {
  /** @type {Set<number>} */
  const numbers = new Set();
  forEachAlone(system, other, (sentence, text) => {
    if (text === wanted) numbers.add(sentence);
  });
  return numbers;
}
