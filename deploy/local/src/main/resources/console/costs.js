// What the functions' operations would cost in a month at the pace of the last minute.

/** Dollars for 100,000, Firestore's Standard edition in us-central1; a sum over up to 1,000 shards is one read. */
const PRICES = {reads: 0.03, sums: 0.03, writes: 0.09, deletes: 0.01};
const MONTH_SECONDS = 30 * 24 * 60 * 60;
const PACE_SECONDS = 60;

const number = new Intl.NumberFormat('en');
const dollars = new Intl.NumberFormat('en', {style: 'currency', currency: 'USD'});

export class Costs {
  #samples = [];
  #rows;
  #month;

  constructor(body, month) {
    this.#month = month;
    this.#rows = Object.keys(PRICES).map((operation) => {
      const row = body.insertRow();
      const name = document.createElement('th');
      name.scope = 'row';
      name.textContent = operation[0].toUpperCase() + operation.slice(1);
      row.append(name);
      return {operation, cells: [row.insertCell(), row.insertCell(), row.insertCell()]};
    });
  }

  show(operations) {
    const now = performance.now() / 1000;
    this.#samples.push({now, operations});
    while (now - this.#samples[0].now > PACE_SECONDS) this.#samples.shift();
    const first = this.#samples[0];
    const seconds = now - first.now;
    let sum = 0;
    for (const {operation, cells} of this.#rows) {
      const pace = seconds < 1 ? 0 : (operations[operation] - first.operations[operation]) / seconds;
      const month = pace * MONTH_SECONDS / 100_000 * PRICES[operation];
      sum += month;
      cells[0].textContent = number.format(operations[operation]);
      cells[1].textContent = pace.toFixed(1);
      cells[2].textContent = dollars.format(month);
    }
    this.#month.textContent = dollars.format(sum);
  }
}
