// The detail view of a sentence: source, annotators and systems.

/**
 * Mark an edit: original text, correction and gold correction.
 * @param {EditOutcome} edit
 * @param {string} old
 * @param {string} name of the outcome, for styling and screen readers
 */
function editMark({ correction, outcome, wanted, type }, old, name) {
  const isMissed = outcome === MISSED;
  const now = correction === null ? "?" : correction;
  return make(
    "span",
    {
      class: `edit ${name.replace(" ", "-")}`,
      title: [name, typeName(results.sentences.types[type])].filter(Boolean).join(", "),
    },
    make("span", { class: "visually-hidden" }, `[${name}: `),
    old ? make(isMissed ? "span" : "del", { class: "old" }, old) : null,
    old && now ? " " : null,
    now ? make(isMissed ? "span" : "ins", { class: isMissed ? "wanted" : "now" }, now) : null,
    !old && !now ? EMPTY : null,
    wanted === null || isMissed ? null : make("span", { class: "wanted" }, wanted || EMPTY),
    isMissed && !now ? make("span", { class: "wanted" }, EMPTY) : null,
    make("span", { class: "visually-hidden" }, "]"),
  );
}

/**
 * Render a sentence with inline edits. An edit that overlaps a preceding one is placed right
 * after it.
 * @param {number} sentence
 * @param {EditOutcome[]} edits
 * @param {(edit: EditOutcome) => string} name
 * @returns {(Node | string)[]}
 */
function markedText(sentence, edits, name) {
  const tokens = results.sentences.source[sentence].split(" ");
  /** @type {(Node | string)[]} */
  const parts = [];
  let reached = 0;
  for (const edit of edits) {
    if (edit.start > reached) {
      parts.push(tokens.slice(reached, edit.start).join(" ") + " ");
      reached = edit.start;
    }
    parts.push(editMark(edit, tokens.slice(edit.start, edit.end).join(" "), name(edit)), " ");
    reached = Math.max(reached, edit.end);
  }
  parts.push(tokens.slice(reached).join(" "));
  return parts;
}

/**
 * Render the output of a system for a sentence.
 * @param {number} sentence
 * @param {string} system
 */
function systemText(sentence, system) {
  if (!results.edit_metric) {
    const { output } = results.sentences.systems[system];
    return [output[sentence] || results.sentences.source[sentence]];
  }
  return markedText(sentence, editOutcomes(sentence, system), ({ outcome }) => OUTCOMES[outcome]);
}

/**
 * Render the detail view.
 * @param {number} sentence
 * @param {BrowserState} state
 * @returns {Node[]}
 */
function sentenceView(sentence, state) {
  const { source, ids, gold, annotators } = results.sentences;
  const id = ids?.[sentence];
  return [
    make("p", { class: "text source", dir: "auto", translate: "no" }, source[sentence]),
    id ? make("p", { class: "muted" }, id) : null,
    gold[sentence].length ? make("h4", {}, "Annotators") : null,
    ...gold[sentence].map(([annotator, edits]) =>
      annotationView(sentence, annotators[annotator], edits),
    ),
    make("h4", {}, "Systems"),
    ...groupSystems(sentence, state).map((systems) => systemView(sentence, systems, state.metric)),
    scoresView(sentence),
  ].filter((part) => part !== null);
}

/**
 * Group systems with the same output, reference annotator and score; the selected system comes
 * first.
 * @param {number} sentence
 * @param {BrowserState} state
 */
function groupSystems(sentence, { system, metric }) {
  const others = results.systems.filter((name) => name !== system);
  const groups = groupBy(system ? [system, ...others] : others, (name) => {
    const { output, chosen, chunks, scores } = results.sentences.systems[name];
    const choices = [chosen?.[sentence], chunks?.[sentence]?.[0]];
    return JSON.stringify([output[sentence], choices, scores[metric][sentence]]);
  });
  return [...groups.values()];
}

/**
 * @param {number} sentence
 * @param {string} annotator
 * @param {GoldEdit[]} edits
 */
function annotationView(sentence, annotator, edits) {
  const text = goldText(sentence, edits);
  return make(
    "div",
    { class: "reading" },
    make("h5", {}, `Annotator ${annotator}`),
    make("p", { class: "text", dir: "auto", translate: "no" }, ...text),
  );
}

/**
 * Render a sentence with the edits of an annotator.
 * @param {number} sentence
 * @param {GoldEdit[]} edits
 */
function goldText(sentence, edits) {
  const marked = edits
    .map(([start, end, correction, type]) => {
      return { start, end, correction, type, outcome: 0, wanted: null };
    })
    .sort((a, b) => a.start - b.start || a.end - b.end);
  return edits.length
    ? markedText(sentence, marked, () => "gold")
    : [make("span", { class: "muted" }, "nothing to correct")];
}

/**
 * @param {number} sentence
 * @param {string[]} systems with the same output
 * @param {string} metric
 */
function systemView(sentence, systems, metric) {
  const view = results.sentences.systems[systems[0]];
  const isUnchanged = view.output[sentence] === 0;
  return make(
    "div",
    { class: "reading" },
    make(
      "h5",
      {},
      make("span", {}, ...systems.flatMap((name, i) => [i ? ", " : "", systemName(name)])),
      make("span", { class: "score-chip" }, printScore(view.scores[metric][sentence])),
    ),
    make("p", { class: "text", dir: "auto", translate: "no" }, ...systemText(sentence, systems[0])),
    isUnchanged ? make("p", { class: "muted small" }, "unchanged") : null,
    choiceView(sentence, systems),
    sharesView(sentence, systems[0]),
    chunksView(sentence, systems),
  );
}

/**
 * Show how much of the score of a sentence is due to each edit.
 * @param {number} sentence
 * @param {string} system
 */
function sharesView(sentence, system) {
  const { edits, shares } = results.sentences.systems[system];
  const own = shares?.[sentence];
  if (!results.attribution || !edits || !own?.length) return null;
  const { title } = results.attribution;
  const table = {
    name: `sentence-${sentence + 1}-${system}-shares`,
    title: `${system}: difference to the source by ${title}, shared by Shapley values`,
    header: ["edit", "outcome", "share"],
    rows: edits[sentence].map(([start, end, correction, outcome], i) => [
      arrow(words(sentence, start, end), correction),
      OUTCOMES[outcome],
      floatCell(own[i]),
    ]),
    digits: 4,
  };
  return make(
    "details",
    { class: "why" },
    make("summary", {}, `Share of each edit in ${title}`),
    tableFigure(table),
  );
}

/**
 * Show the chunks of a sentence: what source, output and references have between common
 * boundaries.
 * @param {number} sentence
 * @param {string[]} systems with the same chunks
 */
function chunksView(sentence, systems) {
  const found = results.sentences.systems[systems[0]].chunks?.[sentence];
  if (!found) return null;
  const [chosen, annotators, chunks] = found;
  const names = annotators.map((annotator) => {
    const name = `annotator ${results.sentences.annotators[annotator]}`;
    return annotator === chosen ? `${name} (chosen)` : name;
  });
  const table = {
    name: `sentence-${sentence + 1}-${systems[0]}-chunks`,
    title: systems.join(", "),
    header: ["source", "output", ...names, "class"],
    rows: chunkRows(sentence, chunks, annotators.length),
    digits: 0,
  };
  const title = `Chunks of ${metricTitle(results.chunk_metric ?? "")}`;
  return make("details", { class: "why" }, make("summary", {}, title), tableFigure(table));
}

/**
 * Return the texts of all chunks, with the gaps between those that are edited.
 * @param {number} sentence
 * @param {ChunkRecord[]} chunks
 * @param {number} nReferences
 */
function chunkRows(sentence, chunks, nReferences) {
  const source = results.sentences.source[sentence];
  const size = source ? source.split(" ").length : 0;
  /** @type {string[][]} */
  const rows = [];
  let reached = 0;
  const addGap = (/** @type {number} */ end) => {
    const text = words(sentence, reached, end);
    if (end > reached) rows.push([...Array(nReferences + 2).fill(text), "TN"]);
  };
  for (const [start, end, kind, output, references] of chunks) {
    addGap(start);
    const old = words(sentence, start, end);
    const texts = [old, ...[output, ...references].map((text) => text ?? old)];
    rows.push([...texts.map((text) => text || EMPTY), CHUNK_CLASSES[kind]]);
    reached = end;
  }
  addGap(size);
  return rows;
}

/**
 * Show against which annotator systems were scored, and why.
 * @param {number} sentence
 * @param {string[]} systems
 */
function choiceView(sentence, systems) {
  const { chosen, counts } = results.sentences.systems[systems[0]];
  if (!chosen || !counts || chosen[sentence] < 0) return null;
  const { annotators } = results.sentences;
  const own = counts[sentence][chosen[sentence]];
  if (!own) return null;
  const name = annotators[chosen[sentence]];
  const right = `${own[0]} of ${counted(own[1], "edit")} correct, ${counted(own[2], "gold edit")}`;
  const summary = `scored against annotator ${name}: ${right}`;
  if (annotators.length < 2) return make("p", { class: "muted small" }, summary);
  const fold = make("details", { class: "why" }, make("summary", {}, summary));
  // Computed on demand.
  const explain = () => {
    const rule =
      `For each sentence, ${metricTitle(results.edit_metric ?? "")} chooses the annotator that ` +
      "maximizes the cumulative score over all sentences up to this one.";
    fold.append(
      make("p", { class: "small" }, rule),
      ...systems.map((system) => whyTable(sentence, system)),
    );
  };
  fold.addEventListener("toggle", explain, { once: true });
  return fold;
}

/**
 * @param {number} sentence
 * @param {string} system
 */
function whyTable(sentence, system) {
  const { chosen, counts } = results.sentences.systems[system];
  if (!chosen || !counts) return "";
  const before = totalsBefore(sentence, chosen, counts);
  const rows = counts[sentence].flatMap((own, annotator) => {
    if (!own) return [];
    const after = before.map((total, i) => total + own[i]);
    const isChosen = annotator === chosen[sentence];
    const name = results.sentences.annotators[annotator];
    /** @type {Cell[]} */
    const row = [isChosen ? `${name} (chosen)` : name, ...own, [fScore(after)]];
    return [row];
  });
  return tableFigure({
    name: `sentence-${sentence + 1}-${system}`,
    title: system,
    header: ["annotator", "correct", "proposed", "gold", "cumulative score"],
    rows,
    digits: 6,
  });
}

/**
 * @param {number} sentence
 * @param {number[]} chosen
 * @param {(Counts | null)[][]} counts
 */
function totalsBefore(sentence, chosen, counts) {
  const totals = [0, 0, 0];
  for (let i = 0; i < sentence; i++) {
    const own = counts[i][chosen[i]];
    if (own) own.forEach((count, part) => (totals[part] += count));
  }
  return totals;
}

/** @param {number[]} counts correct, proposed and gold */
function fScore([correct, proposed, gold]) {
  const beta = results.metrics.find(({ name }) => name === results.edit_metric)?.beta ?? 0.5;
  const precision = proposed ? correct / proposed : 1;
  const recall = gold ? correct / gold : 1;
  const whole = beta ** 2 * precision + recall;
  return whole ? ((1 + beta ** 2) * precision * recall) / whole : 0;
}

/**
 * Show the scores of a sentence by all metrics.
 * @param {number} sentence
 */
function scoresView(sentence) {
  const table = {
    name: `sentence-${sentence + 1}-scores`,
    title: `Scores of sentence ${sentence + 1}`,
    header: ["system", ...results.metrics.map(({ title }) => title)],
    rows: results.systems.map((system) => [
      system,
      ...results.metrics.map(({ name }) =>
        floatCell(results.sentences.systems[system].scores[name][sentence]),
      ),
    ]),
    digits: 4,
  };
  return make(
    "details",
    { class: "why" },
    make("summary", {}, "Scores by all metrics"),
    tableFigure(table),
  );
}
