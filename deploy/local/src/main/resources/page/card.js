// One total: what its roll-up and the app's own document say, and what there is to sum.
import {Heat, Sparkline} from '/chart.js';
import {counts, figures, judge, valueOf, withDocument, withTotal} from '/counters.js';
import {add, mine, takeBack, watch, write} from '/firestore.js';

const places = new Intl.NumberFormat('en', {maximumFractionDigits: 2});

/** Beyond these, a card says that it does not know. */
const MOST_SHARDS = 1000;

/** A longer lag than that of any busy counter is shown in red. */
const LATE_MILLIS = 3000;

/** A crash of RollUp is over within a minute: a total that differs for longer is wrong. */
const WRONG_MILLIS = 75_000;

const STATES = {
  live: 'Live: it changes often, so RollUp sums it again and again.',
  quiet: 'Quiet: it changes rarely, so each event sums it.',
  polled: 'Polled: its writes make no events, so RollUp sums it again and again.',
};

const FIGURES = {SUM: 'Sum', COUNT: 'Number', AVERAGE: 'Average'};

export class Card {
  element = document.getElementById('card').content.cloneNode(true).firstElementChild;
  #user;
  #say;
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
    this.#user = user;
    this.#say = say;
    this.#counter = counter;
    this.element.dataset.counter = counter.id;
    const heading = this.#find('h3');
    // A long path breaks at its slashes.
    heading.append(...counter.title.split('/').flatMap((part, i) => (i ? ['/', document.createElement('wbr'), part] : [part])));
    heading.id = `total-${counter.id}`;
    this.element.setAttribute('aria-labelledby', heading.id);
    if (counter.documents) this.#offerMine();
    else this.#offerSteps();
    const change = (part) => {
      this.#counter = {...this.#counter, ...part};
      this.#draw();
    };
    this.#stop = watch(admin, counter, MOST_SHARDS, {
      showTotal: (data) => change(withTotal(this.#counter, data)),
      showDocument: (data) => change(withDocument(this.#counter, data)),
      showShards: (found) => {
        if (counter.documents) this.#showDocuments(found);
        else this.#showShards(found);
        this.#draw();
      },
    });
    this.#draw();
  }

  #showDocuments(held) {
    this.#held = held;
    this.#isMine = held.isMine;
    for (const button of this.element.querySelectorAll('button')) button.disabled = false;
    const button = this.#find('.count');
    button.textContent = held.isMine ? 'Remove mine' : 'Add mine';
    button.title = `${held.isMine ? 'deletes' : 'writes'} ${mine(this.#counter)}`;
  }

  #showShards(shards) {
    this.#shardIds = shards.map(({id}) => id).filter((id) => /^\d+$/.test(id));
    const mayCount = this.#counter.field || this.#shardIds.length > 0;
    for (const button of this.element.querySelectorAll('button')) button.disabled = !mayCount;
    const tooMany = shards.length === MOST_SHARDS;
    this.#held = tooMany ? undefined : counts(shards, this.#counter);
    if (tooMany) this.#find('.shards').textContent = `${places.format(MOST_SHARDS)} shards or more: too many to watch`;
  }

  /** A click adds 1 to a shard, or another number. */
  #offerSteps() {
    const {id, field} = this.#counter;
    this.#find('.hold').textContent = field ? 'Shards still hold' : 'Its shards hold';
    this.#find('.count').setAttribute('aria-label', `Add 1 to ${id}`);
    this.#find('[name=n]').setAttribute('aria-label', `A number to add to ${id}`);
    this.#onButtons((n) => add(this.#user, this.#counter, this.#shardIds, n ?? '1'));
  }

  /** A click makes or deletes the user's own document, and writes a number to it. */
  #offerMine() {
    const {id, countField, figure, into, values} = this.#counter;
    this.element.classList.add('of-documents');
    this.#find('.hold').textContent = figure === 'COUNT' ? 'Its documents' : 'Its documents hold';
    this.#find('.heat').remove();
    this.#find('.count').setAttribute('aria-label', `Add or remove my document of ${id}`);
    const [least, most] = values.split('..');
    const n = this.#find('[name=n]');
    n.value = most;
    n.setAttribute('aria-label', `${countField} of my document of ${id}, from ${least} to ${most}`);
    const set = this.#find('.add button');
    set.textContent = 'Set';
    set.title = `writes ${mine(this.#counter)}`;
    this.#find('.add').hidden = !countField;
    for (const [name, words] of Object.entries(FIGURES)) {
      const row = this.#find(`[data-figure=${name}]`);
      row.hidden = !countField || name === figure;
      row.querySelector('dt').textContent = into[name] ?? words;
    }
    this.#onButtons((text) => (text === undefined && this.#isMine
      ? takeBack(this.#user, this.#counter)
      : write(this.#user, this.#counter, Number(text ?? n.value))));
  }

  /** Has a click do this, and the form with its number. */
  #onButtons(call) {
    const act = (n) => Promise.resolve(n).then(call).catch(({message}) => this.#say(`Not done: ${message}`));
    this.#find('.count').addEventListener('click', () => act());
    this.#find('.add').addEventListener('submit', (event) => {
      event.preventDefault();
      act(this.#find('[name=n]').value.trim());
    });
  }

  #draw() {
    const {total, number, live, polled, field, documents, shows, isThere, totalIn, stays, holdMillis} = this.#counter;
    const value = valueOf(this.#counter);
    const isInDocument = field || (shows && isThere);
    this.#find('.field').textContent = isInDocument ? `${shows ?? field.join('.')}:` : '';
    this.#find('.total').textContent = words(value);
    this.#find('.total').classList.toggle('absent', value === undefined);
    this.#find('.place').textContent = !isInDocument && documents ? `in ${totalIn}` : '';
    const state = this.#find('.state');
    state.textContent = polled ? 'polled' : live ? 'live' : 'quiet';
    state.title = STATES[state.textContent];
    state.classList.toggle('on', Boolean(live));
    if (this.#held === undefined) return;
    this.#verdict = judge(this.#counter, this.#held, this.#verdict, Date.now());
    const {exact, waiting, isRight, behind} = this.#verdict;
    this.#find('.exact').textContent = words(field ? waiting : exact);
    const isWrong = behind > holdMillis + WRONG_MILLIS;
    const isLate = !polled && behind > holdMillis + LATE_MILLIS;
    const lag = this.#find('.lag');
    lag.textContent = stays ? 'stays' : isRight ? 'right' : isWrong ? 'wrong' : `${Math.max(0.1, behind / 1000).toFixed(1)} s behind`;
    lag.classList.toggle('late', !isRight && !stays && (isWrong || isLate));
    if (field) this.#heat.showWaiting(this.#held.length);
    if (documents) {
      const all = figures(total, number);
      for (const name of Object.keys(FIGURES)) this.#find(`[data-figure=${name}] dd`).textContent = words(all[name]);
      this.#find('.shards').textContent = shows && isThere === false ? `${this.#counter.document} is not there, so ${shows} is written nowhere` : '';
    }
  }

  /** Once a second: the rate, the colours of the shards, and what keeps the total from being right. */
  tick(rollUpRuns) {
    if (this.#held === undefined) return;
    this.#draw();
    const {live, polled, field, documents, figure, stays} = this.#counter;
    const {counted = 0, isRight} = this.#verdict;
    const now = performance.now();
    if (this.#before) {
      const risen = (counted - this.#before.counted) / ((now - this.#before.now) / 1000);
      const rate = this.#spark.add(Number.isFinite(risen) ? risen : 0);
      this.#find('.rate').textContent = `${rate.toFixed(1)}${documents && figure !== 'SUM' ? ' documents' : ''} a second`;
    }
    this.#before = {counted, now};
    if (!field && !documents) this.#heat.show(this.#held.map(({count}) => count));
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
