// The search of the site: loads the texts of all sections with the first key, and shows the best ones as links.
import MiniSearch from 'minisearch';
import { findSections, searchOptions } from './search-options.js';

const box = document.querySelector('#search');
const field = document.querySelector('#query');
const list = document.querySelector('#results');
const index = new URL(box.dataset.index, location.href);
const shownMax = 12;
let loading;

box.hidden = false;
field.addEventListener('focus', load);
field.addEventListener('input', () => void show(field.value));
document.addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
  }
  if (event.key === 'Escape') close();
  if (event.key === 'ArrowDown' || event.key === 'ArrowUp') move(event);
});
document.addEventListener('click', ({ target }) => {
  if (!box.contains(target)) close();
});

/** Again after a failure. */
function load() {
  loading ??= fetchIndex().catch((error) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function fetchIndex() {
  const response = await fetch(index);
  if (!response.ok) throw new Error(`search.json: ${response.status}`);
  const search = new MiniSearch(searchOptions);
  search.addAll(await response.json());
  return search;
}

async function show(query) {
  if (query.trim() === '') return close();
  const found = await load().then(
    (search) => findSections(search, query).slice(0, shownMax),
    () => undefined,
  );
  if (query !== field.value) return undefined;
  list.replaceChildren(...(found?.length ? found.map(toLink) : [toNote(found)]));
  list.hidden = false;
}

function toLink({ id, title, page, text, terms }) {
  const link = document.createElement('a');
  link.href = new URL(id, index).href;
  link.append(
    element('strong', title),
    ...(page === title ? [] : [element('span', page)]),
    element('small', excerpt(text, terms)),
  );
  return link;
}

const toNote = (found) =>
  element('p', found ? 'Nothing found.' : 'The search cannot be loaded. Try again in a moment.');

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function excerpt(text, terms) {
  const lower = text.toLowerCase();
  const found = terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0);
  const start = found.length > 0 ? Math.max(0, Math.min(...found) - 40) : 0;
  return `${start > 0 ? '… ' : ''}${text.slice(start, start + 140)}`;
}

function close() {
  list.hidden = true;
}

/** The arrow keys go through the results. */
function move(event) {
  const links = [...list.querySelectorAll('a')];
  if (list.hidden || links.length === 0 || !box.contains(event.target)) return;
  event.preventDefault();
  const next = links.indexOf(event.target) + (event.key === 'ArrowDown' ? 1 : -1);
  (links[next] ?? field).focus();
}
