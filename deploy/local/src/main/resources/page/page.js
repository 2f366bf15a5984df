// The page: asks the server for the state that no client may see; shows a card for each counter.
import {Card} from '/card.js';
import {Costs} from '/costs.js';
import {connect} from '/firestore.js';

const PERIOD_MILLIS = 1000;
const NOTICE_MILLIS = 8000;

const number = new Intl.NumberFormat('en');
const find = (id) => document.getElementById(id);
const cards = new Map();
const costs = new Costs(find('costs'), find('month'), find('listener'));
const faults = [...document.querySelectorAll('[data-fault]')];
let db;
const view = {search: '', order: 'BUSIEST', page: 0};
let asked = 0;
let rollUp;
let polled = '';
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
    say(done);
    return true;
  } catch (refused) {
    say(`Not done: ${refused.message}`);
    return false;
  }
}

async function poll(once) {
  const mine = ++asked;
  try {
    const answer = await fetch(`/state?${new URLSearchParams(view)}`);
    const state = await answer.json();
    if (!answer.ok) throw new Error(state.error);
    document.body.classList.remove('gone');
    // An older answer may come later, and is ignored.
    if (mine === asked) show(state);
  } catch (failure) {
    document.body.classList.add('gone');
    find('rollup').textContent = 'not known';
    find('rollup').classList.remove('on');
    rollUp = undefined;
    say(`The local stack does not answer: ${failure.message}`);
  }
  if (once !== true) setTimeout(poll, PERIOD_MILLIS);
}

function show(state) {
  db ??= connect(state);
  find('project').textContent = state.project;
  find('emulator').textContent = state.emulator;
  find('rules').textContent = state.rules;
  find('advice').textContent = state.advice;
  find('advice').hidden = state.advice === '';
  document.body.classList.toggle('folds', state.folds);
  polled = state.polled;
  find('make-polled').hidden = polled === '';
  showPages(state);
  showCards(state);
  showHighest(state.highest);
  showComplaints(state.complaints);
  showControls(state);
  costs.show(state);
}

/** Shows which of the found counters are on this page. */
function showPages({found, pageSize}) {
  const last = Math.max(0, Math.ceil(found / pageSize) - 1);
  if (view.page > last) view.page = last;
  find('pages').hidden = last === 0;
  find('previous').disabled = view.page === 0;
  find('next').disabled = view.page === last;
  const from = found === 0 ? 0 : view.page * pageSize + 1;
  find('which').textContent = `${from} to ${Math.min(found, (view.page + 1) * pageSize)} of ${number.format(found)}`;
}

function look(change) {
  Object.assign(view, {page: 0}, change);
  for (const card of cards.values()) card.close();
  cards.clear();
  poll(/* once= */ true);
}

function showCards({counters, countField, folds}) {
  for (const counter of counters) {
    const first = !cards.has(counter.id);
    if (first) {
      const card = new Card({db, countField, folds, counter, control, say});
      cards.set(counter.id, card);
      find('cards').append(card.element);
    }
    cards.get(counter.id).show(counter, first);
  }
  const left = new Set(counters.map(({id}) => id));
  for (const [id, card] of cards) {
    if (!left.has(id)) {
      card.close();
      cards.delete(id);
    }
  }
}

function showHighest(highest) {
  const top = Math.max(...highest.map(({count}) => count), 1);
  find('highest').replaceChildren(...highest.map(({id, count}) => {
    const row = document.createElement('li');
    const name = document.createElement('span');
    const total = document.createElement('b');
    name.textContent = id;
    total.textContent = number.format(count);
    row.style.setProperty('--share', Math.max(count, 0) / top);
    row.append(name, total);
    return row;
  }));
}

/** Shows the complaints, the latest first. */
function showComplaints(complaints) {
  find('no-complaints').hidden = complaints.length > 0;
  find('complaints').replaceChildren(...complaints.reverse().map((line) => {
    const row = document.createElement('li');
    row.textContent = line;
    return row;
  }));
}

function showControls({traffic, trafficCounters, faults: happening, rollUpRuns}) {
  find('traffic-on').disabled = trafficCounters === 0;
  find('traffic-rate').disabled = trafficCounters === 0;
  find('no-traffic').hidden = trafficCounters > 0;
  find('traffic-on').checked = traffic > 0;
  if (traffic > 0 && document.activeElement !== find('traffic-rate')) showRate(traffic);
  for (const fault of faults) fault.checked = happening.includes(fault.dataset.fault);
  showRollUp(rollUpRuns);
}

function showRollUp(runs) {
  find('rollup').textContent = runs ? 'running' : 'killed';
  find('rollup').classList.toggle('on', runs);
  find('kill').disabled = !runs;
  if (rollUp === false && runs) say('RollUp runs again.');
  rollUp = runs;
}

function showRate(rate) {
  find('traffic-rate').max = Math.max(200, rate);
  find('traffic-rate').value = rate;
  find('traffic-shown').textContent = number.format(rate);
}

function turnTraffic() {
  const perSecond = find('traffic-on').checked ? Number(find('traffic-rate').value) : 0;
  control({action: 'traffic', perSecond}, perSecond ? `${perSecond} increments a second.` : 'Traffic is off.');
}

find('traffic-on').addEventListener('change', turnTraffic);
find('traffic-rate').addEventListener('input', () => showRate(Number(find('traffic-rate').value)));
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
find('kill').addEventListener('click', async () => {
  const dead = 'RollUp is dead. It is started again in three seconds; the next run, within a minute, finds all that was live.';
  if (await control({action: 'kill-rollup'}, dead)) {
    asked++; // an answer that is on its way may be from before
    showRollUp(false);
  }
});
find('sweep').addEventListener('click', () => control(
  {action: 'sweep'}, 'A sweep compares every total with its shards.'));
find('make').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.target;
  const {counter, shards, polled: isPolled} = form.elements;
  const id = `${isPolled.checked ? `${polled}/` : ''}${counter.value.trim()}`;
  if (await control({action: 'create', counter: id, shards: Number(shards.value)}, `${id} is created.`)) form.reset();
});
find('copy').addEventListener('click', () => {
  const variable = `FIRESTORE_EMULATOR_HOST=${find('emulator').textContent}`;
  navigator.clipboard.writeText(variable)
    .then(() => say(`Copied: ${variable}`), (refused) => say(`Not copied: ${refused.message}`));
});

poll();
