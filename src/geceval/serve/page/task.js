// The leaderboard of a task, comparisons and submissions.
'use strict';

const task = byId('task').dataset.name;
let entries = [];
const chosen = new Set();

function range([best, worst]) { return best === worst ? `${best}` : `${best}–${worst}`; }

/** Draw an interval as a bar on the scale of all submissions. */
function bar(score, low, high) {
  const width = high - low || 1;
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 100 10');
  svg.setAttribute('preserveAspectRatio', 'none');
  svg.setAttribute('class', 'interval');
  svg.setAttribute('aria-hidden', 'true');
  const line = document.createElementNS(svg.namespaceURI, 'rect');
  const start = (100 * (score.low - low)) / width;
  line.setAttribute('x', start);
  line.setAttribute('y', '3.5');
  line.setAttribute('height', '3');
  line.setAttribute('width', Math.max(1, (100 * (score.high - score.low)) / width));
  const dot = document.createElementNS(svg.namespaceURI, 'rect');
  dot.setAttribute('class', 'value');
  dot.setAttribute('x', (100 * (score.value - low)) / width - 0.75);
  dot.setAttribute('y', '0');
  dot.setAttribute('width', '1.5');
  dot.setAttribute('height', '10');
  svg.append(line, dot);
  return svg;
}

function choose(id, isChosen) {
  if (isChosen) chosen.add(id); else chosen.delete(id);
  if (chosen.size > 2) chosen.delete([...chosen][0]);
  document.querySelectorAll('#board input').forEach((box) => { box.checked = chosen.has(Number(box.value)); });
  compare();
}

async function compare() {
  byId('comparison').hidden = chosen.size !== 2;
  if (chosen.size !== 2) return;
  const [first, second] = [...chosen];
  const rows = await api(`/tasks/${task}/comparison?first=${first}&second=${second}`);
  const name = (id) => entries.find((one) => one.id === id).name;
  byId('comparison').querySelector('div').replaceChildren(table(
    ['metric', name(first), name(second), 'difference', '95 % interval', 'p', ''],
    rows.map((row) => [row.title, number(row.first), number(row.second), number(row.difference),
      `${number(row.low)} … ${number(row.high)}`, number(row.p),
      row.is_significant ? `${row.difference > 0 ? name(second) : name(first)} is better` : 'not significant'])));
}

function draw() {
  if (!entries.length) {
    byId('board').replaceChildren(make('p', { class: 'muted' }, 'No submission has been scored yet.'));
    return;
  }
  const metric = byId('metric').value || entries[0].scores[0].metric;
  const scored = entries.map((entry) => ({ entry, score: entry.scores.find((one) => one.metric === metric) }))
    .filter((one) => one.score).sort((a, b) => b.score.value - a.score.value || a.entry.id - b.entry.id);
  const low = Math.min(...scored.map((one) => one.score.low));
  const high = Math.max(...scored.map((one) => one.score.high));
  const others = entries[0].scores.map((one) => one.metric).filter((one) => one !== metric);
  const header = ['', 'rank', 'system', scored[0].score.title, '', '95 % interval',
    ...others.map((name) => entries[0].scores.find((one) => one.metric === name).title), 'submitted'];
  byId('board').replaceChildren(table(header, scored.map(({ entry, score }) => [
    make('td', {}, make('input', { type: 'checkbox', value: String(entry.id), checked: chosen.has(entry.id),
      'aria-label': `Compare ${entry.name}`, onchange: (event) => choose(entry.id, event.target.checked) })),
    range(score.rank_range),
    make('td', {}, make('bdi', {}, entry.name), entry.tag ? make('span', { class: 'tag' }, entry.tag) : '',
      entry.participant ? make('span', { class: 'muted small' }, ` ${entry.participant}`) : ''),
    make('td', { class: 'number', title: score.signature }, number(score.value)),
    make('td', {}, bar(score, low, high)),
    `${number(score.low)}–${number(score.high)}`,
    ...others.map((name) => {
      const other = entry.scores.find((one) => one.metric === name);
      return make('td', { class: 'number', title: other.signature }, `${number(other.value)} (${range(other.rank_range)})`);
    }),
    when(entry.created)])));
}

async function board() {
  entries = (await api(`/tasks/${task}/board`)).entries;
  if (entries.length && !byId('metric').options.length) {
    fill(byId('metric'), entries[0].scores.map((one) => [one.title, one.metric]), entries[0].scores[0].metric);
  }
  draw();
}

async function own() {
  const found = await api(`/submissions?task=${task}`);
  const active = found.some((one) => ['queued', 'running'].includes(one.job.state));
  byId('own').replaceChildren(found.length ? table(['system', 'tag', 'file', 'submitted', 'state', ''], found.map((one) => [
    one.name, one.tag, one.file_name, when(one.created),
    make('td', {}, one.job.state === 'failed' ? `failed: ${one.job.error}` : one.job.state,
      ...one.findings.map((text) => make('div', { class: 'small muted' }, text))),
    make('td', {},
      make('button', { class: 'quiet', type: 'button', onclick: async () => {
        const tag = prompt('Tag', one.tag);
        if (tag !== null) await change(one.id, 'PATCH', { tag });
      } }, 'Tag'), ' ',
      make('button', { class: 'quiet', type: 'button', onclick: async () => {
        if (confirm(`Delete ${one.name}?`)) await change(one.id, 'DELETE');
      } }, 'Delete'))])) : make('p', { class: 'muted' }, 'None yet.'));
  if (active) setTimeout(refresh, 1000);
}

async function change(id, method, json) {
  try {
    await api(`/submissions/${id}`, { method, json });
    chosen.delete(id);
    refresh();
  } catch (error) { problem(error.message); }
}

function refresh() { return Promise.all([board(), own()]).catch((error) => problem(error.message)); }

async function heading() {
  const one = await api(`/tasks/${task}`);
  const facts = [`${one.sentences ?? '–'} sentences`, `gold standard ${one.is_hidden ? 'hidden' : 'public'}`];
  if (one.deadline) facts.push(`deadline ${when(one.deadline)}`);
  if (one.daily_limit) facts.push(`${one.daily_limit} submissions per day`);
  if (one.error) problem(one.error);
  byId('task').replaceChildren(make('h1', {}, one.title), ...one.description.split('\n\n').filter(Boolean)
    .map((text) => make('p', { class: 'lead' }, text)), make('p', { class: 'muted' }, facts.join(' · '), ' · ',
    make('a', { href: `/api/v1/tasks/${task}/source` }, 'source sentences')));
}

byId('csv').href = `/api/v1/tasks/${task}/board?format=csv`;
byId('json').href = `/api/v1/tasks/${task}/board`;
byId('metric').addEventListener('change', draw);
byId('submit').addEventListener('submit', async (event) => {
  event.preventDefault();
  problem();
  try {
    await api(`/tasks/${task}/submissions`, { method: 'POST', form: new FormData(event.target) });
    event.target.reset();
    refresh();
  } catch (error) { problem(error.message); }
});
heading().catch((error) => problem(error.message));
refresh();
