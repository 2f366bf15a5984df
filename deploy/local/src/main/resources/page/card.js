// One counter: what its roll-up says, and what its shards hold.
import {Heat, Sparkline} from '/chart.js';
import {counts, judge, withTotal} from '/counters.js';
import {add, takeBack, watch, write} from '/firestore.js';

const places = new Intl.NumberFormat('en', {maximumFractionDigits: 3});

/** Beyond these, a card says that it does not know. */
const MOST_SHARDS = 1000;

/** A longer lag than that of any busy counter is shown in red. */
const LATE_MILLIS = 3000;

/** A crash of RollUp is over within a minute: a total that differs for longer is wrong. */
const WRONG_MILLIS = 75_000;

const STATES = {
  live: 'RollUp sums it each second',
  quiet: 'each event sums it',
  polled: 'RollUp sums it again and again, without events',
};

export class Card {
  element = document.getElementById('card').content.cloneNode(true).firstElementChild;
  #counter;
  #held;
  #shardIds = [];
  #verdict = {};
  #isMine = false;
  #before;
  #spark = new Sparkline(this.#find('.spark'), this.#find('figcaption'));
  #heat = new Heat(this.#find('.heat'), this.#find('.shards'));
  #stop;

  constructor({user, admin}, counter, say) {
    const {title} = counter;
    this.element.dataset.counter = title;
    const heading = this.#find('h3');
    heading.textContent = title;
    heading.id = `counter-${counter.id}`;
    this.element.setAttribute('aria-labelledby', heading.id);
    this.#find('.count').setAttribute('aria-label', `Add 1 to ${title}`);
    this.#find('[name=n]').setAttribute('aria-label', `A number to add to ${title}`);
    if (counter.field) this.#find('.hold').textContent = 'Shards still hold';
    if (counter.documents) this.#showDocuments(counter);
    const ask = async (what, call) => {
      try {
        await call();
      } catch (refused) {
        say(refused.code === 'permission-denied'
          ? `${title} was not counted: the rules in force refuse ${what}.`
          : `${title} was not counted: ${refused.message}`);
      }
    };
    const count = (n) => ask(n === '1' ? 'one increment without more' : `a step of ${n}`, () => add(user, this.#counter, this.#shardIds, n));
    const change = (n) => ask(n === undefined ? 'this' : `a document with ${n}`,
      () => (n === undefined ? takeBack(user, counter) : write(user, counter, n)));
    this.#find('.count').addEventListener('click', () => {
      if (!counter.documents) return count('1');
      return change(this.#isMine ? undefined : Number(this.#find('[name=n]').value));
    });
    this.#find('.add').addEventListener('submit', (event) => {
      event.preventDefault();
      const n = this.#find('[name=n]').value.trim();
      if (counter.documents) change(Number(n));
      else count(n);
    });
    this.#counter = counter;
    this.#stop = watch(admin, counter, MOST_SHARDS, (data) => {
      this.#counter = withTotal(this.#counter, data);
      this.#draw();
    }, counter.documents ? (held) => {
      this.#held = held;
      this.#isMine = held.isMine;
      for (const button of this.element.querySelectorAll('button')) button.disabled = false;
      this.#draw();
    } : (shards) => {
      this.#shardIds = shards.map(({id}) => id).filter((id) => /^\d+$/.test(id));
      const mayCount = counter.field || this.#shardIds.length > 0;
      for (const button of this.element.querySelectorAll('button')) button.disabled = !mayCount;
      const tooMany = shards.length === MOST_SHARDS;
      this.#held = tooMany ? undefined : counts(shards, counter);
      if (tooMany) this.#find('.shards').textContent = `${places.format(MOST_SHARDS)} shards or more: too many to watch`;
      this.#draw();
    });
    this.#draw();
  }

  #draw() {
    const {total, number, live, polled, field, documents, stays} = this.#counter;
    this.#find('.total').textContent = words(total);
    const state = this.#find('.state');
    state.textContent = polled ? 'polled' : live ? 'live' : 'quiet';
    state.title = STATES[state.textContent];
    state.classList.toggle('on', Boolean(live));
    if (this.#held === undefined) return;
    this.#verdict = judge(this.#counter, this.#held, this.#verdict, Date.now());
    const {exact, waiting, behind, isRight} = this.#verdict;
    this.#find('.exact').textContent = words(field ? waiting : exact);
    this.#find('.lag').textContent = stays ? 'stays' : isRight ? 'right'
      : behind > WRONG_MILLIS ? 'wrong' : `${(behind / 1000).toFixed(1)} s behind`;
    if (field) this.#heat.showWaiting(this.#held.length);
    if (documents) {
      this.#find('.number').textContent = words(number);
      this.#find('.average').textContent = words(total === undefined || number === 0 ? undefined : total / number);
      this.#find('.count').textContent = this.#isMine ? 'Delete mine' : 'Create mine';
      this.#find('.shards').textContent = `${places.format(this.#held.number)} documents`;
    }
  }

  /** People's documents: of the user's own, a click makes or deletes it, and a number is written to it. */
  #showDocuments({title, countField, values}) {
    this.element.classList.add('of-documents');
    this.#find('.hold').textContent = 'Its documents hold';
    this.#find('.heat').remove();
    this.#find('.count').setAttribute('aria-label', `Create or delete my document of ${title}`);
    const [least, most] = values.split('..');
    const n = this.#find('[name=n]');
    n.value = most;
    n.setAttribute('aria-label', `${countField} of my document of ${title}, from ${least} to ${most}`);
    this.#find('.add button').textContent = 'Set';
    this.#find('.add').hidden = countField === '';
    for (const row of this.element.querySelectorAll('.of-values')) row.hidden = countField === '';
  }

  /** Once a second: the rate, the colours of the shards, and whether the total is late. */
  tick(rollUpRuns) {
    if (this.#held === undefined) return;
    this.#draw();
    const {live, polled, field, documents, stays, holdMillis} = this.#counter;
    const {exact = 0, behind, isRight} = this.#verdict;
    const now = performance.now();
    if (this.#before) {
      const risen = (exact - this.#before.exact) / ((now - this.#before.now) / 1000);
      this.#find('.rate').textContent = `${this.#spark.add(Number.isFinite(risen) ? risen : 0).toFixed(1)} a second`;
    }
    this.#before = {exact, now};
    if (!field && !documents) this.#heat.show(this.#held.map(({count}) => count));
    const mayWait = polled || behind <= holdMillis + LATE_MILLIS;
    this.#find('.lag').classList.toggle('late', !isRight && !stays && (behind > WRONG_MILLIS || !mayWait));
    const bad = !documents && this.#held.find(({count}) => !Number.isFinite(count));
    this.#find('.why').textContent = bad ? `shard ${bad.id} holds no number that can be summed`
      : stays ? 'FOLD_FIELDS leaves it out: what shards hold stays there'
      : !isRight && !rollUpRuns && (live || polled || field) ? 'RollUp is down'
        : '';
  }

  close() {
    this.#stop();
    this.element.remove();
  }

  #find(selector) {
    return this.element.querySelector(selector);
  }
}

function words(value) {
  return value === undefined ? 'none' : Number.isNaN(value) ? 'NaN' : places.format(value);
}
