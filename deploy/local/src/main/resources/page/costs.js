// The costs of a month at the pace of the last minute, with the prices of deploy/prices.json.

const MONTH_SECONDS = 30 * 24 * 60 * 60;
const PACE_SECONDS = 60;

/** The bytes that deploy/local/bill assumes: an event and a message, in and out; a line of RollUp. Entries of requests are not kept. */
const EVENT_BYTES = 2 * 1200;
const MESSAGE_BYTES = 2 * 1000;
const LINE_BYTES = 400;
const ROLLUP_CPU = 0.333;
const GIB = 0.5;

const number = new Intl.NumberFormat('en');
const dollars = new Intl.NumberFormat('en', {style: 'currency', currency: 'USD'});

/** Each row's name, count, and price of one. */
const ROWS = [
  ['Reads', (s) => s.operations.reads, (p) => p.read],
  ['Sums', (s) => s.operations.sums, (p) => p.read],
  ['Writes', (s) => s.operations.writes, (p) => p.write],
  ['Deletes', (s) => s.operations.deletes, (p) => p.delete],
  ['Events', (s) => s.work.events, (p) => p.request + EVENT_BYTES * p.pubsub_byte],
  ['Messages', (s) => s.work.messages, (p) => p.request + MESSAGE_BYTES * p.pubsub_byte + LINE_BYTES * p.log_byte],
  ['OnShardWritten, seconds', (s) => s.work.handlerSeconds, (p) => p.vcpu_second + GIB * p.gib_second],
  ['RollUp, seconds', (s) => s.work.rollUpSeconds, (p) => ROLLUP_CPU * p.vcpu_second + GIB * p.gib_second],
];

export class Costs {
  #samples = [];
  #rows;
  #months;
  #listener;
  #each;

  constructor(body, months, listener) {
    this.#months = months;
    this.#listener = listener;
    this.#rows = ROWS.map(([name]) => {
      const row = body.insertRow();
      const head = document.createElement('th');
      head.scope = 'row';
      head.textContent = name;
      row.append(head);
      return [row.insertCell(), row.insertCell(), row.insertCell()];
    });
    this.#fetchPrices();
  }

  async #fetchPrices() {
    const {prices} = await (await fetch('/prices.json')).json();
    const each = Object.entries(prices).map(([item, {dollars, per}]) => [item, dollars / per]);
    this.#each = Object.fromEntries(each);
  }

  show({operations, work}) {
    if (!this.#each) return;
    const now = performance.now() / 1000;
    this.#samples.push({now, operations, work});
    while (now - this.#samples[0].now > PACE_SECONDS) this.#samples.shift();
    const first = this.#samples[0];
    const seconds = now - first.now;
    if (seconds < 1) return; // there is no pace yet
    let sum = 0;
    ROWS.forEach(([, count, price], i) => {
      const [all, pace, month] = this.#rows[i];
      const soFar = count({operations, work});
      const perSecond = (soFar - count(first)) / seconds;
      const cost = perSecond * MONTH_SECONDS * price(this.#each);
      sum += cost;
      all.textContent = number.format(Math.round(soFar));
      pace.textContent = perSecond.toFixed(perSecond < 10 ? 2 : 1);
      month.textContent = dollars.format(cost);
    });
    for (const month of this.#months) month.textContent = dollars.format(sum);
    const writes = (operations.writes - first.operations.writes) / seconds;
    this.#listener.textContent = dollars.format(writes * MONTH_SECONDS * this.#each.read);
  }
}
