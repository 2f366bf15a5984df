// Says of each row of a file whether the package takes its names, and where the counter is.
import {readFileSync} from 'node:fs';

const [fakes, rows] = process.argv.slice(2);
const {FakeCounters, FakeTotals} = await import(fakes);

// What React Native and jsdom do not have.
delete globalThis.TextEncoder;

async function answer({names, parent, id, name}) {
  try {
    const counter = new FakeCounters(names).below(parent).counter(id);
    if (name !== undefined) {
      await counter.create(1);
      await counter.addOnce(name);
    }
    const {document, rollupDocument: rollup} = counter.own();
    const {counters = 'counters', shards = 'shards', rollups} = names;
    const totals = new FakeTotals({counters: {of: `{parent=**}/${counters}/{counter}/${shards}`, rollups}});
    const {rollupDocument} = totals.of('counters', document).own();
    if (rollupDocument !== rollup) {
      throw new Error(`expected ${rollup} by the file, found ${rollupDocument}`);
    }
    return {document, rollup};
  } catch (failure) {
    return {refused: `${failure.name}: ${failure.message}`};
  }
}

const answers = [];
for (const row of JSON.parse(readFileSync(rows, 'utf8'))) {
  answers.push(await answer(row));
}
console.log(JSON.stringify(answers));
