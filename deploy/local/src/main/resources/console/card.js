// One counter: its total as a client gets it, beside what its shards say.
import {Heat, Sparkline} from '/chart.js';
import {incrementCounter, listenToTotal} from '/firestore.js';

const number = new Intl.NumberFormat('en');

/** The worst of so many seconds is shown: a lag that jumps says nothing. */
const LAG_SECONDS = 10;

export class Card {
  #id;
  #element;
  #spark;
  #heat;
  #stop;
  #shown;
  #counter;
  #rightAt = 0;
  #lags = [];

  constructor({db, names, id, control, say}) {
    this.#id = id;
    this.#element = document.getElementById('card').content.cloneNode(true).firstElementChild;
    this.#element.dataset.counter = id;
    const title = this.#find('h3');
    title.textContent = id;
    title.id = `counter-${id}`;
    this.#element.setAttribute('aria-labelledby', title.id);
    this.#spark = new Sparkline(this.#find('.spark'), this.#find('figcaption'));
    this.#heat = new Heat(this.#find('.heat'));
    const count = this.#find('.count');
    count.setAttribute('aria-label', `Count one on ${id}`);
    count.addEventListener('click', () => {
      incrementCounter(db, names, id, this.#counter.shards)
        .catch((refused) => say(`${id} was not counted: ${refused.message}`));
    });
    this.#find('.poison').addEventListener('click', () => {
      const poisoned = !this.#counter.poisoned;
      control({action: 'poison', counter: id, poisoned}, poisoned
        ? `A shard of ${id} holds what cannot be summed: its total stands still, others go on.`
        : `${id} is mended.`);
    });
    this.#stop = listenToTotal(db, names, id, (rollup) => {
      this.#shown = rollup;
      this.#showTotal();
    }, (refused) => say(`${id} cannot be listened to: ${refused.message}`));
  }

  get element() {
    return this.#element;
  }

  /** Once a second, with what the shards said. */
  show(counter) {
    this.#counter = counter;
    this.#find('.exact').textContent = number.format(counter.exact);
    this.#heat.show(counter.counts);
    if (this.#shown) {
      this.#find('.rate').textContent = `${this.#spark.add(this.#shown.count).toFixed(1)} a second`;
      this.#showLag(counter);
    }
    const poison = this.#find('.poison');
    poison.textContent = counter.poisoned ? 'Mend' : 'Poison';
    poison.setAttribute('aria-label', `${poison.textContent} a shard of ${this.#id}`);
    this.#element.classList.toggle('poisoned', counter.poisoned);
  }

  /** How long the oldest increment that the total lacks has been waiting, at most. */
  #showLag({exact, readMillis}) {
    const right = this.#shown.count === exact || this.#shown.asOf >= readMillis;
    if (right || this.#rightAt === 0) this.#rightAt = readMillis;
    this.#lags.push(Math.max(0, readMillis - Math.max(this.#rightAt, this.#shown.asOf)) / 1000);
    if (this.#lags.length > LAG_SECONDS) this.#lags.shift();
    const worst = Math.max(...this.#lags);
    this.#find('.lag').textContent = worst === 0 ? 'none' : `${worst.toFixed(1)} s`;
    this.#find('.lag').classList.toggle('late', worst > 3);
  }

  #showTotal() {
    this.#find('.total').textContent = number.format(this.#shown.count);
    const state = this.#find('.state');
    state.textContent = this.#shown.live ? 'live' : 'quiet';
    state.classList.toggle('on', this.#shown.live);
  }

  close() {
    this.#stop();
    this.#element.remove();
  }

  #find(selector) {
    return this.#element.querySelector(selector);
  }
}
