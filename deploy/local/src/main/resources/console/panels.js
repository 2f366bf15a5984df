// The lines of the dashboard, from the log lines of RollUp that its metrics use: a point a minute.

const MINUTES = 30;
const MINUTE_MILLIS = 60_000;
const WIDTH = 180;
const HEIGHT = 44;

const number = new Intl.NumberFormat('en', {maximumFractionDigits: 1});
const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);
const mean = (numbers) => sum(numbers) / numbers.length;

/** The titles are those of deploy/gcloud/monitoring/dashboard.json. A minute without lines has no point. */
const PANELS = [
  ['Lag (ms): from a change to its total', [
    ['p50', ({written}) => mean(written.map((line) => line.lag_p50_ms))],
    ['p99 (dashed)', ({written}) => mean(written.map((line) => line.lag_p99_ms))]]],
  ['Live counters', [['', ({summaries}) => mean(summaries.map(({live}) => live))]]],
  ['Roll-ups a second', [['', ({summaries}) => sum(summaries.map(({writes}) => writes)) / 60]]],
  ['Runs that ended, a minute (one or more)', [['', ({ended}) => ended]]],
];

export class Panels {
  #panels;

  constructor(section) {
    this.#panels = PANELS.map(([title, lines]) => {
      const figure = document.getElementById('panel').content.cloneNode(true).firstElementChild;
      figure.querySelector('b').textContent = title;
      section.append(figure);
      return {figure, lines, title};
    });
  }

  show(drawn) {
    const minutes = byMinute(drawn);
    for (const {figure, lines, title} of this.#panels) {
      const rows = lines.map(([, value]) => minutes.map((minute) => (minute ? value(minute) : NaN)));
      const top = Math.max(1, ...rows.flat().filter(Number.isFinite));
      [...figure.querySelectorAll('path')].forEach((path, i) => path.setAttribute('d', rows[i] ? draw(rows[i], top) : ''));
      const now = lines.map(([name], i) => `${name} ${latest(rows[i])}`.trim()).join(', ');
      figure.querySelector('figcaption span').textContent = now;
      figure.querySelector('svg').setAttribute('aria-label', `${title}: ${now}; at most ${number.format(top)} in half an hour`);
    }
  }
}

/** The minutes of the last half hour, the oldest first, without the present minute. */
function byMinute(drawn) {
  const now = Math.floor(Date.now() / MINUTE_MILLIS);
  return Array.from({length: MINUTES}, (_, i) => {
    const lines = drawn.filter(({at}) => Math.floor(at / MINUTE_MILLIS) === now - MINUTES + i);
    const summaries = lines.filter(({message}) => message === 'summary');
    return lines.length === 0 ? undefined : {
      summaries,
      written: summaries.filter(({writes}) => writes > 0),
      ended: lines.length - summaries.length,
    };
  });
}

function latest(row) {
  const values = row.filter(Number.isFinite);
  return values.length === 0 ? 'none yet' : number.format(values.at(-1));
}

/** The path: a line through neighbours, a dot for a point without neighbours. */
function draw(row, top) {
  let path = '';
  row.forEach((value, i) => {
    if (!Number.isFinite(value)) return;
    const x = (WIDTH / (MINUTES - 1)) * i;
    const y = HEIGHT - 2 - (value / top) * (HEIGHT - 6);
    path += `${Number.isFinite(row[i - 1]) ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
    if (!Number.isFinite(row[i - 1]) && !Number.isFinite(row[i + 1])) path += 'h0.1';
  });
  return path;
}
