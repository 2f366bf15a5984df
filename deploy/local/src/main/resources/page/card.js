// One counter: the total that a client gets, and the state that the server finds.
import {Heat, Sparkline} from '/chart.js';
import {incrementCounter, listenToTotal} from '/firestore.js';

const number = new Intl.NumberFormat('en', {maximumFractionDigits: 3});

/** A longer lag than that of any busy counter is shown in red. */
const LATE_SECONDS = 3;

const STATES = {
  live: 'RollUp sums it each second',
  quiet: 'each event sums it',
  polled: 'summed each minute, and at each tick while it changes',
};

export class Card {
  #id;
  #element;
  #spark;
  #heat;
  #stop = () => {};
  #counter;
  #polled;
  #folds;
  #listens = true;

  /** With `folds`, the counter is a document's field; the server alone finds its total. */
  constructor({db, countField, folds, counter, control, say}) {
    const id = counter.id;
    this.#id = id;
    this.#polled = counter.polled;
    this.#folds = folds;
    this.#element = document.getElementById('card').content.cloneNode(true).firstElementChild;
    this.#element.dataset.counter = id;
    const title = this.#find('h3');
    title.textContent = id;
    title.id = `counter-${id}`;
    this.#element.setAttribute('aria-labelledby', title.id);
    this.#spark = new Sparkline(this.#find('.spark'), this.#find('figcaption'));
    this.#heat = new Heat(this.#find('.heat'), this.#find('.shards'));
    const count = this.#find('.count');
    count.setAttribute('aria-label', `Count one on ${id}`);
    count.addEventListener('click', () => {
      incrementCounter(db, countField, this.#counter)
        .catch((refused) => say(refused.code === 'permission-denied'
          ? `${id} was not counted: the rules in force refuse one increment without more.`
          : `${id} was not counted: ${refused.message}`));
    });
    this.#find('.poison').addEventListener('click', () => {
      const poisoned = !this.#counter.poisoned;
      control({action: 'poison', counter: id, poisoned}, poisoned
        ? `A shard of ${id} holds a value that cannot be summed: its total stands still, others go on.`
        : `${id} is mended.`);
    });
    const {n, shards} = Object.fromEntries(
      [...this.#element.querySelectorAll('input')].map((input) => [input.name, input]));
    shards.value = counter.shards;
    this.#find('.path').textContent = counter.shardsPath;
    this.#find('.rollup').textContent = counter.rollupPath;
    const server = {
      add: () => control({action: 'add', counter: id, n: Number(n.value)}, `${n.value} added to ${id}.`),
      resize: () => {
        const [wanted, found] = [Number(shards.value), this.#counter.shards];
        control({action: 'resize', counter: id, shards: wanted}, wanted < found
          ? `${id} has ${wanted} shards, once the others are empty: they are summed until Counter.compact folds them.`
          : `${id} has ${wanted} shards now.`);
      },
      delete: () => control(
        {action: 'delete', counter: id}, `${id} is deleted; its total goes as soon as the functions have seen it.`),
    };
    for (const [action, act] of Object.entries(server)) {
      this.#find(`form.${action}`).addEventListener('submit', (event) => {
        event.preventDefault();
        act();
      });
    }
    if (folds) {
      this.#listens = false;
      this.#find('.says').textContent = 'Field says';
      this.#find('.hold').textContent = 'Shards still hold';
      return;
    }
    // If the rules let no client read the total, the page shows the server's total.
    this.#stop = listenToTotal(db, counter, (rollup) => this.#showTotal(rollup), () => {
      this.#listens = false;
    });
  }

  get element() {
    return this.#element;
  }

  /** Shows the state that the server finds, once a second. */
  show(counter, first) {
    this.#counter = counter;
    if (first || !this.#listens) this.#showTotal({count: counter.total === 'none' ? undefined : Number(counter.total), live: false});
    this.#find('.stored').textContent = words(counter.total);
    this.#find('.exact').textContent = words(this.#folds
      ? String(Number(counter.exact) - (Number(counter.total) || 0)) : counter.exact);
    this.#heat.show(counter.counts);
    this.#find('.rate').textContent = `${this.#spark.add(counter.rate).toFixed(1)} a second`;
    const lag = this.#find('.lag');
    const behind = `${counter.held ? 'held, ' : ''}${counter.lag.toFixed(1)} s behind`;
    lag.textContent = {YES: 'right', NOT_YET: behind, NO: 'wrong'}[counter.right];
    // The first change of a polled counter may wait for a minute.
    const mayWait = counter.held || counter.polled;
    lag.classList.toggle('late', counter.right === 'NO' || (counter.lag > LATE_SECONDS && !mayWait));
    this.#find('.why').textContent = counter.why;
    const poison = this.#find('.poison');
    poison.textContent = counter.poisoned ? 'Mend' : 'Poison';
    poison.setAttribute('aria-label', `${poison.textContent} a shard of ${this.#id}`);
    poison.title = counter.poisoned ? 'removes the bad shard' : 'adds a shard that holds no number';
    this.#element.classList.toggle('poisoned', counter.poisoned);
  }

  #showTotal({count, live}) {
    this.#find('.total').textContent = count === undefined ? 'none' : number.format(count);
    const state = this.#find('.state');
    state.textContent = this.#polled ? 'polled' : live ? 'live' : 'quiet';
    state.title = STATES[state.textContent];
    state.classList.toggle('on', live);
  }

  close() {
    this.#stop();
    this.#element.remove();
  }

  #find(selector) {
    return this.#element.querySelector(selector);
  }
}

function words(text) {
  const value = Number(text);
  return text === 'none' || Number.isNaN(value) ? text : number.format(value);
}
