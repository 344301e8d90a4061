// Check files, score them, follow the progress.
'use strict';

const USUAL = ['m2', 'errant', 'gleu'];
let checked = null;
let running = null;

function show(id, isShown = true) { byId(id).hidden = !isShown; }

function progress(info) {
  running = info.id;
  byId('stage').textContent = info.total ? `${info.stage}: ${info.done} of ${info.total}` : info.stage;
  const bar = byId('progress');
  if (info.total) {
    bar.max = info.total;
    bar.value = info.done;
  } else {
    bar.removeAttribute('value');
  }
}

async function work(start) {
  problem();
  show('running');
  try {
    return await follow((await start()).id, progress);
  } catch (error) {
    problem(error.message);
    return null;
  } finally {
    show('running', false);
  }
}

function drawFindings(result) {
  const files = table(['file', 'system', 'format', 'sentences', 'tokens', 'edits'], result.files.map((one) => [
    one.file, one.system ?? '', one.format, one.sentences, one.tokens, one.edits]));
  const lines = result.findings.map((one) => make('li', { class: one.severity },
    make('strong', {}, one.severity), ` ${one.file ?? ''}${one.line ? `, line ${one.line}` : ''}: ${one.message}`,
    one.count > 1 ? ` (and ${one.count - 1} more)` : ''));
  const verdict = result.is_valid ? 'Nothing here would make the scores wrong.' : 'There are errors: scores would be wrong.';
  byId('findings').replaceChildren(make('p', { class: result.is_valid ? '' : 'problem' }, verdict),
    files, make('ul', { class: 'findings' }, ...lines));
  byId('scoring').hidden = !result.is_valid;
}

async function reports() {
  const found = await api('/reports');
  byId('reports').replaceChildren(...(found.length
    ? found.map((one) => make('li', {}, make('a', { href: one.link }, one.title), ' ',
      make('span', { class: 'muted small' }, when(one.created)), ' ',
      make('button', { class: 'quiet', type: 'button', onclick: async () => {
        await api(`/reports/${one.id}`, { method: 'DELETE' });
        reports();
      } }, 'Delete')))
    : [make('li', { class: 'muted' }, 'None yet.')]));
}

byId('files').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = new FormData();
  for (const name of ['gold', 'outputs']) for (const file of byId(name).files) form.append(name, file);
  show('checked', false);
  const info = await work(() => api('/checks', { method: 'POST', form }));
  if (!info) return;
  checked = info.id;
  drawFindings(info.result);
  show('checked');
});

byId('scoring').addEventListener('submit', async (event) => {
  event.preventDefault();
  const metrics = [...document.querySelectorAll('#metrics input:checked')].map((box) => box.value);
  if (!metrics.length) {
    problem('Choose at least one metric.');
    return;
  }
  const info = await work(() => api('/reports', { method: 'POST', json: {
    check: checked, metrics, title: byId('title').value, lang: byId('lang').value, tokenize: byId('tokenize').checked,
  } }));
  if (info) location.assign(`/reports/${info.id}`);
});

byId('cancel').addEventListener('click', () => { if (running) api(`/jobs/${running}`, { method: 'DELETE' }); });

for (const name of ['gold', 'outputs']) {
  const input = byId(name);
  const area = byId(`${name}-drop`);
  input.addEventListener('change', () => {
    area.querySelector('.chosen').textContent = [...input.files].map((file) => file.name).join(', ');
  });
  area.addEventListener('dragover', (event) => event.preventDefault());
  area.addEventListener('drop', (event) => {
    event.preventDefault();
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event('change'));
  });
}

api('/info').then((info) => {
  byId('metrics').replaceChildren(...metricBoxes(info.metrics, USUAL));
  fill(byId('lang'), info.choices.lang, info.choices.lang[0]);
});
reports().catch((error) => problem(error.message));
