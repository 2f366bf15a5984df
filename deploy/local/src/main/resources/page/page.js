// The page: lists totals, shows a card for each, and sends a person's commands to the server.
import {Card} from '/card.js';
import {Costs} from '/costs.js';
import {fieldsIn, groupsOn, totalsIn, valueOf} from '/counters.js';
import {connect, listAll} from '/firestore.js';

const PERIOD_MILLIS = 1000;
const LIST_MILLIS = 2000;
const NOTICE_MILLIS = 8000;

/** So many cards are on screen at a time, and only they are watched. */
const CARDS = 24;

/** So many documents of each collection are listed at first, and so many more each time. */
const LISTED = 500;

const number = new Intl.NumberFormat('en');
const find = (id) => document.getElementById(id);
const costs = new Costs(find('costs'), [...document.querySelectorAll('.month')], find('listener'));
const faults = [...document.querySelectorAll('[data-fault]')];
const cards = new Map();
const groups = new Map();
const view = {search: '', order: 'HIGHEST', page: 0};
let clients;
let entries;
let most = LISTED;
let listed;
let order = [];
let lists = 0;
let listing;
let state;
let asked = 0;
let hush;

/** Shows a notice. Screen readers speak it, so it is only for results and for news. */
function say(text) {
  find('notice').textContent = text;
  clearTimeout(hush);
  hush = setTimeout(() => { find('notice').textContent = ''; }, NOTICE_MILLIS);
}

async function control(wanted, done) {
  try {
    const answer = await fetch('/control', {method: 'POST', body: JSON.stringify(wanted)});
    if (!answer.ok) throw new Error((await answer.json()).error);
    asked++;
    say(done);
    return true;
  } catch (refused) {
    say(`Not done: ${refused.message}`);
    return false;
  }
}

async function poll() {
  const mine = ++asked;
  try {
    const answer = await fetch('/state');
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    document.body.classList.remove('gone');
    // A command that was sent meanwhile makes the answer old.
    if (mine === asked) show(found);
  } catch (failure) {
    document.body.classList.add('gone');
    find('rollup').textContent = 'not known';
    find('rollup').classList.remove('on', 'dead');
    state = undefined;
    say(`The local stack does not answer: ${failure.message}`);
  }
  setTimeout(poll, PERIOD_MILLIS);
}

function show(found) {
  if (!clients) {
    clients = connect(found);
    entries = found.totals;
    document.body.classList.toggle('folds', folds());
    document.body.classList.toggle('has-documents', entries.every(({documents}) => documents));
    find('traffic-what').textContent = entries.some(({documents}) => documents)
      ? 'people who create, change and delete documents' : 'clients that increment shards';
    for (const entry of entries) groups.set(entry.name, groupOf(entry));
    list();
  }
  find('project').textContent = found.project;
  find('emulator').textContent = found.emulator;
  find('rules').textContent = found.rules;
  find('advice').textContent = found.advice;
  if (entries.some(({documents}) => !documents)) {
    document.body.classList.toggle('adds-one', found.step === 'ONE');
    document.body.classList.toggle('adds-nothing', found.step === 'PASS');
    find('no-clicks').textContent = found.step === 'PASS' ? 'By the strict rules a client counts with a pass in the same commit, which this page does not write.' : '';
  }
  showComplaints(found.complaints);
  showControls(found);
  costs.show(found);
  for (const card of cards.values()) card.tick(found.rollUpRuns);
}

function folds() {
  return entries[0].fold.length > 0;
}

/** Lists up to `most` documents of each collection, again and again. */
async function list() {
  const mine = ++lists;
  clearTimeout(listing);
  // A stack that is gone is told by poll().
  const found = await listAll(clients.lists, entries, most).catch(() => undefined);
  if (mine !== lists) return;
  listing = setTimeout(list, LIST_MILLIS);
  if (!found) return;
  const all = folds() ? fieldsIn(found, entries[0]) : entries.flatMap((entry) => totalsIn(found, entry));
  listed = new Map(all.map((total) => [total.id, total]));
  find('more').hidden = [...found.values()].every((documents) => documents.length < most);
  find('listed').textContent = `Listed and searched: ${number.format(listed.size)} totals, the first by path.`;
  draw();
}

/** An entry's part of the page: its heading, and the cards. */
function groupOf({name, what, fold, documents, of, document: place}) {
  const element = find('group').content.cloneNode(true).firstElementChild;
  element.querySelector('h2').textContent = name;
  element.querySelector('.what').textContent = what;
  element.querySelector('.empty').textContent = fold.length ? `No document of ${fold.join(' or ')} has a number yet.`
    : documents ? `No document of ${of} yet.` : `No counter of ${place} yet.`;
  return element;
}

/** Shows the cards that are on screen, by entries. They keep their places while totals change. */
function draw() {
  const part = view.search.toLowerCase();
  const found = [...listed.values()].filter(({id}) => id.toLowerCase().includes(part));
  const ids = new Set(found.map(({id}) => id));
  if (order.length !== ids.size || !order.every((id) => ids.has(id))) order = found.toSorted(compare()).map(({id}) => id);
  const last = Math.max(0, Math.ceil(order.length / CARDS) - 1);
  view.page = Math.min(view.page, last);
  showPages(last);
  const shown = groupsOn(view.page, CARDS, entries, order.map((id) => listed.get(id)))
    .filter(({many}) => many > 0 || view.search === '');
  const here = new Set(shown.flatMap((group) => group.here.map(({id}) => id)));
  for (const [id, card] of cards) {
    if (!here.has(id)) {
      card.close();
      cards.delete(id);
    }
  }
  for (const [name, element] of groups) {
    if (!shown.some((group) => group.name === name)) element.remove();
  }
  shown.forEach((group, i) => {
    const element = groups.get(group.name);
    element.querySelector('.many').textContent = group.many === 0 ? '' : `${number.format(group.many)} total${group.many === 1 ? '' : 's'}`;
    element.querySelector('.empty').hidden = group.many > 0;
    put(find('totals'), element, i);
    group.here.forEach((total, j) => {
      if (!cards.has(total.id)) cards.set(total.id, new Card(clients, total, say));
      put(element.querySelector('.cards'), cards.get(total.id).element, j);
    });
  });
}

/** Has an element in its place; one that is there stays, with its focus. */
function put(parent, element, i) {
  const place = parent.children[i];
  if (place !== element) parent.insertBefore(element, place ?? null);
}

function compare() {
  const byPath = (one, other) => one.id.localeCompare(other.id, 'en', {numeric: true});
  const value = (total) => (Number.isFinite(valueOf(total)) ? valueOf(total) : -Infinity);
  const byValue = (one, other) => (value(one) === value(other) ? 0 : value(other) - value(one));
  return view.order === 'NAME' ? byPath : (one, other) => byValue(one, other) || byPath(one, other);
}

/** Shows which of the found totals are on screen, or that none is found. */
function showPages(last) {
  const found = order.length;
  find('none').hidden = found > 0 || view.search === '';
  find('none').textContent = `No path contains "${view.search}".`;
  find('pages').hidden = last === 0;
  find('previous').disabled = view.page === 0;
  find('next').disabled = view.page === last;
  find('which').textContent = `${view.page * CARDS + 1} to ${Math.min(found, (view.page + 1) * CARDS)} of ${number.format(found)}`;
}

function look(change) {
  Object.assign(view, {page: 0}, change);
  if (!('page' in change)) order = [];
  if (listed) draw();
}

/** Shows the complaints, the latest first. */
function showComplaints(complaints) {
  find('no-complaints').textContent = complaints.length ? '' : 'None so far.';
  find('complaints').replaceChildren(...complaints.reverse().map((line) => {
    const row = document.createElement('li');
    row.textContent = line;
    return row;
  }));
}

function showControls(found) {
  const {traffic, lastTraffic, played} = found;
  find('traffic-on').disabled = played === 0;
  find('traffic-rate').disabled = played === 0;
  find('no-traffic').hidden = played > 0;
  find('traffic-on').checked = traffic > 0;
  if (document.activeElement !== find('traffic-rate')) showRate(traffic || lastTraffic || 20);
  for (const fault of faults) fault.checked = found.faults.includes(fault.dataset.fault);
  if (state?.rollUpRuns === false && found.rollUpRuns) say('RollUp runs again.');
  state = found;
  find('rollup').textContent = found.rollUpRuns ? 'running' : 'killed';
  find('rollup').classList.toggle('on', found.rollUpRuns);
  find('rollup').classList.toggle('dead', !found.rollUpRuns);
  find('kill').disabled = !found.rollUpRuns;
}

function showRate(rate) {
  const slider = find('traffic-rate');
  slider.min = Math.min(1, rate);
  slider.max = Math.max(200, rate);
  slider.value = rate;
  find('traffic-shown').textContent = number.format(rate);
}

function turnTraffic() {
  const perSecond = find('traffic-on').checked ? Number(find('traffic-rate').value) : 0;
  control({action: 'traffic', perSecond}, perSecond ? `${perSecond} changes a second.` : 'Traffic is off.');
}

// What a label explains on hover, a keyboard and a screen reader find at its switch.
for (const label of document.querySelectorAll('label[title]')) label.control.title = label.title;

find('traffic-on').addEventListener('change', turnTraffic);
find('traffic-rate').addEventListener('input', () => {
  find('traffic-shown').textContent = number.format(find('traffic-rate').value);
});
find('traffic-rate').addEventListener('change', () => {
  find('traffic-on').checked = true;
  turnTraffic();
});
for (const fault of faults) {
  fault.addEventListener('change', () => control(
    {action: 'fault', fault: fault.dataset.fault, happens: fault.checked},
    `Events ${fault.dataset.fault.toLowerCase()}: ${fault.checked ? 'on' : 'off'}.`));
}
find('search').addEventListener('input', () => look({search: find('search').value.trim()}));
find('order').addEventListener('change', () => look({order: find('order').value}));
find('previous').addEventListener('click', () => look({page: view.page - 1}));
find('next').addEventListener('click', () => look({page: view.page + 1}));
find('list-more').addEventListener('click', () => {
  most += LISTED;
  list();
});
find('kill').addEventListener('click', async () => {
  const dead = 'RollUp is dead. It starts again in three seconds. Its next run, within a minute, finds all that was live.';
  if (await control({action: 'kill-rollup'}, dead)) showControls({...state, rollUpRuns: false});
});
find('sweep').addEventListener('click', () => control(
  {action: 'sweep'}, 'A sweep compares every total with what it sums.'));
find('make').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target;
  const {counter, shards} = form.elements;
  const id = counter.value.trim();
  if (await control({action: 'create', counter: id, shards: Number(shards.value)}, `${id} is created.`)) {
    form.reset();
    list();
  }
});
find('copy').addEventListener('click', () => {
  const command = `export FIRESTORE_EMULATOR_HOST=${state.emulator} GOOGLE_CLOUD_PROJECT=${state.project}`;
  navigator.clipboard.writeText(command)
    .then(() => say(`Copied: ${command}`), (refused) => say(`Not copied: ${refused.message}`));
});

poll();
