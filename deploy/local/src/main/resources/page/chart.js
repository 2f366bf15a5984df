// A line of a rate, and a strip of shards, whose colours show the latest writes.

const SECONDS = 60;
const WIDTH = 60;
const HEIGHT = 44;
const SMOOTHED_OVER = 5;
const MOST_CELLS = 100;
const FEWEST_CELLS = 20;
const COOLING = 0.85;

const number = new Intl.NumberFormat('en');

/** A line of changes a second, with a new value each second. */
export class Sparkline {
  #rates = [];
  #svg;
  #caption;

  constructor(svg, caption) {
    this.#svg = svg;
    this.#caption = caption;
  }

  /** Adds a value; returns the last drawn one, which is a mean of some seconds. */
  add(rate) {
    this.#rates.push(rate);
    if (this.#rates.length > SECONDS + SMOOTHED_OVER) this.#rates.shift();
    const smoothed = this.#rates.map((each, i, all) => {
      const some = all.slice(Math.max(0, i - SMOOTHED_OVER + 1), i + 1);
      return some.reduce((sum, one) => sum + one, 0) / some.length;
    });
    this.#draw(smoothed.slice(-SECONDS));
    return smoothed.at(-1);
  }

  #draw(rates) {
    const peak = Math.max(...rates, 0);
    const top = Math.max(peak, 1);
    // The seconds so far take the whole width: in the first minute, most of it would be empty.
    const points = (rates.length > 1 ? rates : [...rates, ...rates]).map((rate, i, all) => {
      const x = (WIDTH * i / (all.length - 1)).toFixed(2);
      return `${x} ${(HEIGHT - 2 - (Math.max(rate, 0) / top) * (HEIGHT - 6)).toFixed(1)}`;
    });
    const line = `M${points.join('L')}`;
    this.#svg.querySelector('.line').setAttribute('d', line);
    this.#svg.querySelector('.area').setAttribute('d', `${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z`);
    const time = rates.length < SECONDS ? `${rates.length} s` : 'minute';
    this.#caption.textContent = `Last ${time}, at most ${peak.toFixed(peak < 10 ? 1 : 0)}`;
    this.#svg.setAttribute('aria-label', 'Changes a second');
  }
}

/** A cell for each shard, or for each group of many shards. Cells glow after a write. */
export class Heat {
  #strip;
  #caption;
  #before = [];
  #heat = [];

  constructor(strip, caption) {
    this.#strip = strip;
    this.#caption = caption;
  }

  show(counts) {
    const cells = Math.min(counts.length, MOST_CELLS);
    if (this.#strip.childElementCount !== cells) this.#lay(cells);
    const sums = group(counts, cells);
    sums.forEach((sum, i) => {
      const written = Number.isFinite(sum) ? Math.abs(sum - (this.#before[i] ?? sum)) : 0;
      this.#heat[i] = (this.#heat[i] ?? 0) * COOLING + written;
    });
    this.#before = sums;
    const hottest = Math.max(...this.#heat, 3);
    [...this.#strip.children].forEach((cell, i) => {
      cell.classList.toggle('bad', !Number.isFinite(sums[i]));
      cell.style.setProperty('--heat', (this.#heat[i] / hottest).toFixed(2));
      cell.title = Number.isFinite(sums[i]) ? number.format(sums[i]) : 'not a number';
    });
    const good = counts.filter(Number.isFinite);
    const bad = counts.length - good.length;
    const range = good.length ? `: ${number.format(Math.min(...good))} to ${number.format(Math.max(...good))}` : '';
    this.#caption.textContent = `${shards(counts.length)}${range}${bad ? `, ${bad} without a number` : ''}`;
  }

  /** Shows shards that wait to be folded: a lit cell for each. */
  showWaiting(waiting) {
    const cells = Math.min(Math.max(waiting, FEWEST_CELLS), MOST_CELLS);
    if (this.#strip.childElementCount !== cells) this.#lay(cells);
    [...this.#strip.children].forEach((cell, i) => cell.style.setProperty('--heat', i < waiting ? 1 : 0));
    this.#caption.textContent = `${shards(waiting)} to fold`;
  }

  #lay(cells) {
    this.#strip.replaceChildren(...Array.from({length: cells}, () => document.createElement('span')));
    this.#before = [];
    this.#heat = [];
  }
}

function shards(count) {
  return `${number.format(count)} shard${count === 1 ? '' : 's'}`;
}

/** The sums of groups of neighbours; NaN for a group with a shard that is no number. */
function group(counts, cells) {
  const sums = Array(cells).fill(0);
  counts.forEach((count, i) => {
    sums[Math.floor(i * cells / counts.length)] += count;
  });
  return sums;
}
