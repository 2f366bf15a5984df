// The page: lists counters, shows a card for each, and sends a person's commands to the server.
import {Card} from '/card.js';
import {Costs} from '/costs.js';
import {countersIn, fieldsIn} from '/counters.js';
import {connect, listAll} from '/firestore.js';

const PERIOD_MILLIS = 1000;
const LIST_MILLIS = 2000;
const NOTICE_MILLIS = 8000;

/** So many cards are on screen at a time, and only their shards are watched. */
const CARDS = 24;

/** So many documents of each collection are listed at first, and so many more each time. */
const LISTED = 500;

const number = new Intl.NumberFormat('en');
const find = (id) => document.getElementById(id);
const costs = new Costs(find('costs'), [...document.querySelectorAll('.month')], find('listener'));
const faults = [...document.querySelectorAll('[data-fault]')];
const cards = new Map();
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
    find('rollup').classList.remove('on');
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
    if (entries.some(({documents}) => documents)) {
      find('traffic-unit').textContent = 'Changes a second';
      find('traffic-what').textContent = 'people who create, change and delete documents';
    }
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
  try {
    const found = await listAll(clients.admin, entries, most);
    if (mine !== lists) return;
    const all = folds() ? fieldsIn(found, entries[0]) : entries.flatMap((entry) => countersIn(found, entry));
    listed = new Map(all.map((counter) => [counter.id, counter]));
    find('more').hidden = [...found.values()].every((documents) => documents.length < most);
    find('listed').textContent = `Listed and searched: ${number.format(listed.size)} counters, the first by path.`;
    draw();
  } catch {
    // A stack that is gone is told by poll().
  }
  if (mine === lists) listing = setTimeout(list, LIST_MILLIS);
}

/** Shows the cards of the counters that are on screen. They keep their places while totals change. */
function draw() {
  const part = view.search.toLowerCase();
  const found = [...listed.values()].filter(({id}) => id.toLowerCase().includes(part));
  const ids = new Set(found.map(({id}) => id));
  if (order.length !== ids.size || !order.every((id) => ids.has(id))) order = found.toSorted(compare()).map(({id}) => id);
  const last = Math.max(0, Math.ceil(order.length / CARDS) - 1);
  view.page = Math.min(view.page, last);
  showPages(last);
  const shown = order.slice(view.page * CARDS, (view.page + 1) * CARDS);
  for (const [id, card] of cards) {
    if (!shown.includes(id)) {
      card.close();
      cards.delete(id);
    }
  }
  shown.forEach((id, i) => {
    if (!cards.has(id)) cards.set(id, new Card(clients, listed.get(id), say));
    const {element} = cards.get(id);
    const place = find('cards').children[i];
    if (place !== element) find('cards').insertBefore(element, place ?? null);
  });
}

function compare() {
  const byPath = (one, other) => one.id.localeCompare(other.id, 'en', {numeric: true});
  const count = ({total}) => (Number.isFinite(total) ? total : -Infinity);
  const byTotal = (one, other) => (count(one) === count(other) ? 0 : count(other) - count(one));
  return view.order === 'NAME' ? byPath : (one, other) => byTotal(one, other) || byPath(one, other);
}

/** Shows which of the found counters are on screen, or that there is none. */
function showPages(last) {
  const found = order.length;
  find('none').hidden = found > 0;
  find('none').textContent = view.search ? `No path of a counter contains "${view.search}".`
    : folds() ? 'No document has a number yet.' : 'There is no counter yet.';
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
  const {traffic, lastTraffic, trafficCounters} = found;
  find('traffic-on').disabled = trafficCounters === 0;
  find('traffic-rate').disabled = trafficCounters === 0;
  find('no-traffic').hidden = trafficCounters > 0;
  find('traffic-on').checked = traffic > 0;
  if (document.activeElement !== find('traffic-rate')) showRate(traffic || lastTraffic || 20);
  for (const fault of faults) fault.checked = found.faults.includes(fault.dataset.fault);
  if (state?.rollUpRuns === false && found.rollUpRuns) say('RollUp runs again.');
  state = found;
  find('rollup').textContent = found.rollUpRuns ? 'running' : 'killed';
  find('rollup').classList.toggle('on', found.rollUpRuns);
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
  control({action: 'traffic', perSecond}, perSecond ? `${perSecond} increments a second.` : 'Traffic is off.');
}

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
  const dead = 'RollUp is dead. It is started again in three seconds; the next run, within a minute, finds all that was live.';
  if (await control({action: 'kill-rollup'}, dead)) showControls({...state, rollUpRuns: false});
});
find('sweep').addEventListener('click', () => control(
  {action: 'sweep'}, 'A sweep compares every total with its shards.'));
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
