// Try a text: edits appear as one types.
'use strict';

const PAUSE = 150;  // Milliseconds without a key before a request is sent.
const OUTCOMES = { correct: 'correct', wrong: 'wrong', missed: 'missed' };
const MOST_PARTS = 6;
let answer = null;
let pending = null;
let timer = 0;

function choices() {
  return {
    lang: byId('lang').value,
    tokenize: byId('tokenize').checked,
  };
}

function corrections() {
  return [...document.querySelectorAll('.correction')].map((one) => one.value).filter((text) => text.trim());
}

function words(tokens, start, end) {
  return tokens.slice(start, end).map((one) => one.token ?? one).join(' ');
}

/** Show an edit within a sentence: what was there, and what stands there now. */
function change(before, after, kind, title) {
  const parts = [];
  if (before) parts.push(make('del', {}, before));
  if (after) parts.push(make('ins', {}, after));
  if (!parts.length) parts.push('∅');
  return make('span', { class: `edit ${kind}`, title, tabindex: '0' }, ...parts);
}

function sentence(one) {
  const line = make('p', { class: 'sentence', dir: 'auto' });
  let place = 0;
  for (const edit of one.edits) {
    line.append(words(one.source, place, edit.start), ' ');
    const after = edit.correction.join(' ');
    line.append(change(words(one.source, edit.start, edit.end), after, 'change', edit.type));
    line.append(make('sup', { class: 'type' }, edit.type), ' ');
    place = edit.end;
  }
  line.append(words(one.source, place, one.source.length));
  return line;
}

function explanation(one) {
  if (!one.edits.length) return [make('p', { class: 'muted' }, 'Nothing was changed.')];
  return [make('ul', { class: 'edits' }, ...one.edits.map((edit) => {
    const before = words(one.source, edit.start, edit.end) || '∅';
    const after = edit.correction.join(' ') || '∅';
    const meaning = [edit.operation, edit.meaning].filter(Boolean).join(': ');
    return make('li', {},
      make('strong', {}, make('bdi', {}, before), ' → ', make('bdi', {}, after)), ' ',
      make('code', {}, edit.type), meaning ? ` ${meaning}` : '',
      ...edit.facts.map((fact) => make('div', { class: 'small muted' }, fact)),
      make('div', { class: 'small muted' }, `One edit: ${edit.reason}.`));
  }))];
}

function alignment(one) {
  return table(['source', 'corrected', 'operation', 'cost', 'made of'], one.alignment.map((step) => [
    words(one.source, step.start, step.end) || '∅',
    words(one.corrected, step.corrected_start, step.corrected_end) || '∅',
    step.operation,
    number(step.cost, 3),
    step.parts ? Object.entries(step.parts).map(([name, value]) => `${name} ${number(value, 3)}`).join(' + ') : '',
  ]), `Cost ${number(one.cost, 3)}`);
}

function draw() {
  const found = [];
  const tables = [];
  for (const { corrections: all } of answer.sentences) {
    all.forEach((one, index) => {
      if (all.length > 1) found.push(make('h3', {}, `Correction ${index + 1}`));
      found.push(sentence(one), ...explanation(one));
      tables.push(alignment(one));
    });
  }
  byId('edits').replaceChildren(...found);
  byId('alignment').querySelector('div').replaceChildren(...tables);
  byId('copy-m2').disabled = byId('copy-json').disabled = false;
}

/** Show the parts of a score; the rest of a long list appears on hover. */
function parts(found) {
  const all = Object.entries(found).map(([name, value]) => `${name} ${number(value, Number.isInteger(value) ? 0 : 4)}`);
  return make('td', { title: all.join(', ') }, all.slice(0, MOST_PARTS).join(', ') + (all.length > MOST_PARTS ? ', …' : ''));
}

function drawScores(result) {
  const rows = result.scores.map((one) => [
    one.title, one.score_name, number(one.value),
    parts(one.parts),
  ]);
  const marked = result.marked.map((one) => {
    const line = make('p', { class: 'sentence', dir: 'auto' });
    let place = 0;
    for (const edit of one.edits) {
      if (edit.start > place) line.append(words(one.source, place, edit.start), ' ');
      line.append(change(words(one.source, edit.start, edit.end), edit.correction.join(' '), OUTCOMES[edit.outcome], edit.outcome), ' ');
      place = Math.max(place, edit.end);
    }
    line.append(words(one.source, place, one.source.length));
    return line;
  });
  byId('scores').replaceChildren(
    table(['metric', 'value', 'score', 'parts'], rows),
    make('p', { class: 'small muted' },
      make('span', { class: 'edit correct' }, 'correct'), ' ', make('span', { class: 'edit wrong' }, 'wrong'), ' ',
      make('span', { class: 'edit missed' }, 'missed')),
    ...marked, ...result.notes.map((note) => make('p', { class: 'small muted' }, note)));
}

async function update() {
  pending?.abort();
  pending = new AbortController();
  const { signal } = pending;
  const typer = byId('typer').value;
  try {
    if (!byId('source').value.trim() || !corrections().length) return;
    answer = await api('/try', { method: 'POST', signal, json: {
      source: byId('source').value, corrections: corrections(), ...choices(),
      align: byId('align').value, merge: byId('merge').value, typer: typer || null,
    } });
    problem();
    draw();
  } catch (error) {
    if (error.name !== 'AbortError') problem(error.message);
    return;
  }
  const references = ['reference', 'reference2'].map((id) => byId(id).value).filter((text) => text.trim());
  if (!references.length) {
    byId('scores').replaceChildren();
    return;
  }
  try {
    drawScores(await api('/try/score', { method: 'POST', signal, json: {
      source: byId('source').value, output: corrections()[0], references, ...choices(),
    } }));
    problem('', 'score-problem');
  } catch (error) {
    if (error.name !== 'AbortError') problem(error.message, 'score-problem');
  }
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(update, PAUSE);
}

function another() {
  byId('corrections').append(make('label', {}, 'Another correction',
    make('textarea', { class: 'correction', rows: '4', dir: 'auto', spellcheck: 'false', maxlength: '10000', oninput: soon })));
}

async function copy(text) {
  await navigator.clipboard.writeText(text);
  toast('Copied.');
}

byId('more').addEventListener('click', another);
byId('copy-m2').addEventListener('click', () => copy(answer.m2));
byId('copy-json').addEventListener('click', () => copy(JSON.stringify(answer, null, 2)));
document.addEventListener('input', (event) => { if (event.target.closest('#try, #score')) soon(); });

api('/info').then((info) => {
  for (const name of ['lang', 'align', 'merge']) fill(byId(name), info.choices[name], info.choices[name][0]);
  fill(byId('typer'), [['of the language', ''], ...info.choices.typer], '');
  update();
}).catch((error) => problem(error.message));
