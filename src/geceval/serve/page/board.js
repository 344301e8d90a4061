// The list of tasks, and what organizers do.
'use strict';

const STATES = { queued: 'being validated', running: 'being validated', failed: 'not valid', cancelled: 'cancelled' };

async function tasks() {
  const found = await api('/tasks');
  byId('tasks').replaceChildren(found.length
    ? table(['task', 'metrics', 'sentences', 'deadline', 'gold standard'], found.map((one) => [
      make('td', {}, make('a', { href: `/board/${one.name}` }, one.title),
        one.state === 'done' ? '' : ` (${STATES[one.state]}${one.error ? `: ${one.error}` : ''})`),
      one.metrics.join(', '), one.sentences ?? '–', one.deadline ? when(one.deadline) : 'none',
      one.is_hidden ? 'hidden' : 'public']))
    : make('p', { class: 'muted' }, 'There is no task yet.'));
  if (found.some((one) => ['queued', 'running'].includes(one.state))) setTimeout(tasks, 1000);
}

async function participants() {
  if (!byId('participants')) return;
  const found = await api('/participants');
  byId('participants').replaceChildren(table(['name', 'role', 'since', ''], found.map((one) => [
    one.name, one.is_organizer ? 'organizer' : 'participant', when(one.created),
    make('td', {}, one.is_revoked ? 'revoked' : make('button', { class: 'quiet', type: 'button', onclick: async () => {
      try {
        await api(`/participants/${encodeURIComponent(one.name)}`, { method: 'DELETE' });
        participants();
      } catch (error) { problem(error.message); }
    } }, 'Revoke'))])));
}

byId('new-task')?.addEventListener('submit', async (event) => {
  event.preventDefault();
  problem();
  const form = new FormData(event.target);
  form.set('is_hidden', event.target.elements.is_hidden.checked);
  for (const name of ['deadline', 'daily_limit']) if (!form.get(name)) form.delete(name);
  try {
    await api('/tasks', { method: 'POST', form });
    event.target.reset();
    tasks();
  } catch (error) { problem(error.message); }
});

byId('new-participant')?.addEventListener('submit', async (event) => {
  event.preventDefault();
  problem();
  const { name, is_organizer: organizer } = event.target.elements;
  try {
    const made = await api('/participants', { method: 'POST', json: { name: name.value, is_organizer: organizer.checked } });
    byId('token').hidden = false;
    byId('token').textContent = `The token of ${made.name}, shown only once: ${made.token}`;
    event.target.reset();
    participants();
  } catch (error) { problem(error.message); }
});

if (byId('metrics')) {
  api('/info').then((info) => {
    byId('metrics').replaceChildren(...metricBoxes(info.metrics, ['m2', 'errant']));
    fill(byId('lang'), info.choices.lang, info.choices.lang[0]);
  });
}
Promise.all([tasks(), participants()]).catch((error) => problem(error.message));
