// Says of each row of a file whether the package takes its names, and where the counter is.
import {readFileSync} from 'node:fs';

const [counters, rows] = process.argv.slice(2);
const {Counters} = await import(counters);

/** Takes every write, and counts none. */
const sdk = {
  doc: (db, path) => ({path}),
  get: async () => ({get: () => 1}),
  addOnce: async () => true,
  missing: [],
};

async function answer({names, parent, id, name}) {
  try {
    const counter = new Counters(sdk, {}, names).below(parent).counter(id);
    if (name !== undefined) {
      await counter.addOnce(name);
    }
    return {document: counter.document.path, rollup: counter.rollupDocument.path};
  } catch (failure) {
    return {refused: `${failure.name}: ${failure.message}`};
  }
}

const answers = [];
for (const row of JSON.parse(readFileSync(rows, 'utf8'))) {
  answers.push(await answer(row));
}
console.log(JSON.stringify(answers));
