// What all pages share: elements, requests, messages. Text is never taken for HTML.
'use strict';

const csrf = document.querySelector('meta[name=csrf]').content;

/** Make an element with attributes and children; strings become text. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (typeof value === 'boolean') element.toggleAttribute(name, value);
    else element.setAttribute(name, value);
  }
  element.append(...children.map(asNode));
  return element;
}

function asNode(child) {
  return child instanceof Node ? child : document.createTextNode(String(child));
}

function byId(id) { return document.getElementById(id); }

/** Send a request to the API; an error has the message of the server. */
async function api(path, { method = 'GET', json, form, signal } = {}) {
  const headers = { 'X-CSRF-Token': csrf };
  let body = form;
  if (json !== undefined) {
    headers['Content-Type'] = 'application/json';
    body = JSON.stringify(json);
  }
  const response = await fetch(`/api/v1${path}`, { method, headers, body, signal });
  if (response.status === 204) return null;
  const answer = await response.json().catch(() => ({ detail: `The server answered ${response.status}.` }));
  if (!response.ok) {
    if (response.status === 401 && location.pathname !== '/login') location.assign('/login');
    throw new Error(message(answer.detail));
  }
  return answer;
}

function message(detail) {
  if (typeof detail === 'string') return detail;
  return detail.map((one) => `${one.loc.slice(1).join('.')}: ${one.msg}`).join('; ');
}

/** Show what is wrong, or hide it. */
function problem(text = '', id = 'problem') {
  const place = byId(id);
  place.hidden = !text;
  place.textContent = text;
}

function toast(text) {
  const place = byId('status');
  place.textContent = text;
  setTimeout(() => { if (place.textContent === text) place.textContent = ''; }, 3000);
}

/** Fill a select element with choices. */
function fill(select, values, chosen) {
  select.replaceChildren(...values.map((value) => {
    const [text, key] = Array.isArray(value) ? value : [value, value];
    return make('option', { value: key, selected: key === chosen }, text);
  }));
}

/** Make a table, which scrolls by itself where it is wider than the page. */
function table(header, rows, caption = '') {
  return make('div', { class: 'scroll' }, make('table', { class: 'plain' },
    ...(caption ? [make('caption', {}, caption)] : []),
    make('thead', {}, make('tr', {}, ...header.map((cell) => make('th', { scope: 'col' }, cell)))),
    make('tbody', {}, ...rows.map((row) => make('tr', {}, ...row.map((cell) =>
      cell instanceof HTMLTableCellElement ? cell : make('td', {}, cell)))))));
}

function number(value, digits = 4) { return value.toFixed(digits).replace('-', '−'); }

function when(text) { return new Date(text).toLocaleString(); }

/** Follow a job until it has ended. */
function follow(job, onProgress) {
  return new Promise((resolve, reject) => {
    const events = new EventSource(`/api/v1/jobs/${job}/events`);
    events.onmessage = (event) => {
      const info = JSON.parse(event.data);
      onProgress(info);
      if (['done', 'failed', 'cancelled'].includes(info.state)) {
        events.close();
        if (info.state === 'done') resolve(info);
        else reject(new Error(info.state === 'cancelled' ? 'Cancelled.' : info.error));
      }
    };
    events.onerror = () => {
      // The browser tries again by itself, unless the server refuses.
      if (events.readyState === EventSource.CLOSED) reject(new Error('The connection to the server was lost.'));
    };
  });
}

/** Check boxes for metrics, some of them chosen. */
function metricBoxes(names, chosen) {
  const order = [...chosen, ...names.filter((name) => !chosen.includes(name))];
  return order.filter((name) => names.includes(name)).map((name) =>
    make('label', { class: 'check' },
      make('input', { type: 'checkbox', name: 'metrics', value: name, checked: chosen.includes(name) }), name));
}

byId('logout')?.addEventListener('click', async () => {
  await api('/session', { method: 'DELETE' });
  location.assign('/login');
});
