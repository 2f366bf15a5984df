// Plays the calls of scenarios.txt: takes a line of JSON for each, and answers with one. On Firestore, or in memory.
import {createInterface} from 'node:readline';
import {FieldValue, Firestore} from '@google-cloud/firestore';
import {FakeCounters, FakeTotals} from 'tallyroll/fake';
import {Counters, Totals} from 'tallyroll/node';

const CODES = {4: 'behind', 5: 'notFound', 6: 'exists', 9: 'damaged', 10: 'busy'};
const inMemory = process.argv[2] === 'fake';

/** A client's memory. It sends so many calls to Firestore; later ones wait, or are never sent. */
class Client {
  left = Infinity;
  gate;
  isHolding = false;

  constructor(fakes) {
    this.db = inMemory ? undefined : new Firestore({projectId: process.env.GOOGLE_CLOUD_PROJECT});
    this.root = fakes ?? new Counters(this.db);
    this.unwatched = fakes ?? new Counters(this.db, {counters: 'unwatched_counters', rollups: 'untouched_rollups'});
    this.handles = new Map();
    for (const name of inMemory ? [] : ['request', 'requestStream']) {
      const call = this.db[name];
      this.db[name] = async (...request) => {
        if (this.left-- <= 0) {
          if (!this.gate) {
            throw Object.assign(new Error('dead'), {code: 7});
          }
          this.isHolding = true;
          await this.gate;
        }
        return call.apply(this.db, request);
      };
    }
  }

  some({below, hasTotal}) {
    return (hasTotal ? this.root : this.unwatched).below(below);
  }

  /** The total of a counter, as of a document that others write. */
  total({below, id, hasTotal}) {
    const [collection, rollups] = hasTotal || inMemory ? ['counters', 'rollups'] : ['unwatched_counters', 'untouched_rollups'];
    const file = {counters: {of: `{parent=**}/${collection}/{counter}/shards`, rollups}};
    const totals = inMemory ? new FakeTotals(file) : new Totals(this.db, file);
    if (inMemory) {
      totals.own().sdk = this.root.own().sdk; // the memory of the counters
    }
    return totals.of('counters', `${below}/${collection}/${id}`);
  }

  counter(place) {
    const {below, id} = place;
    const path = `${below}/${id}`;
    if (!this.handles.has(path)) {
      this.handles.set(path, this.some(place).counter(id));
    }
    return this.handles.get(path);
  }
}

const fakes = inMemory ? new FakeCounters() : undefined;
let client = new Client(fakes);
let prepared;
let committed;
const totals = (all) => all.map(({id, total}) => `${id} ${total}`).join(' ');

const calls = {
  create: (counter, [shards]) => counter.create(Number(shards)),
  createMissing: (counter, [shards]) => counter.createMissing(Number(shards)),
  async add(counter, [n]) { committed = await counter.add(Number(n)); },
  addOnce: (counter, [name, n]) => counter.addOnce(name, Number(n)),
  async prepare(counter, [n]) { prepared = await counter.prepare(Number(n)); },
  async again() { prepared = await prepared.again(); },
  async addTo(counter, [like]) {
    const batch = inMemory ? {update() {}} : client.db.batch().create(client.db.doc(`likes-of-parity/${crypto.randomUUID()}${like}`), {at: FieldValue.serverTimestamp()});
    prepared.addTo(batch);
    await batch.commit?.();
  },
  exactTotal: (counter) => counter.exactTotal(),
  async awaitTotal(counter) { return (await counter.awaitTotal(committed, {timeout: 60_000})).total; },
  awaitTotalInVain: (counter) => counter.awaitTotal({seconds: 4e9, nanoseconds: 0, toDate: () => new Date(4e12)}, {timeout: 1}),
  total: (counter) => counter.total(),
  listen: (counter) => new Promise((shown, failed) => {
    const stop = counter.listen((total) => { setImmediate(() => stop()); shown(total); }, failed);
  }),
  async reader(counter, args, place) {
    const {total, number, average} = await client.total(place).rollup();
    return `${total} ${number} ${average}`;
  },
  reset: (counter) => counter.reset(),
  resize: (counter, [shards]) => counter.resize(Number(shards)),
  compact: (counter, [unwritten]) => counter.compact({unwritten: Number(unwritten)}),
  delete: (counter) => counter.delete(),
  top: async (counter, [most], place) => totals(await client.some(place).top(Number(most))),
  list: async (counter, [prefix, after, most], place) => (
    totals(await client.some(place).list({prefix: own(prefix), after: own(after), limit: Number(most)}))),
  totals: async (counter, ids, place) => totals(await client.some(place).totals(ids)),
  async buffered(counter, [n, more], place) {
    const buffered = client.some(place).buffered({maxDelay: 60_000});
    const one = buffered.counter(place.id);
    const adds = [one.add(Number(n)), one.add(Number(more))];
    await buffered.flush();
    committed = await adds[0];
    await buffered.close();
    return adds[0] === adds[1];
  },
};

/** Of a table, where words are between spaces. */
function own(word) {
  return word === '-' ? '' : word;
}

async function answer({call, args, place, sent = Infinity, isHeld}) {
  if (call === 'restart') {
    client = new Client(fakes);
    return {result: ''};
  }
  if (call === 'isHolding') {
    return {result: String(client.isHolding)};
  }
  if (call === 'goOn') {
    client.goOn();
    return {result: ''};
  }
  client.left = sent;
  client.gate = isHeld ? new Promise((goOn) => { client.goOn = goOn; }) : undefined;
  try {
    return {result: String(await calls[call](client.counter(place), args, place) ?? '')};
  } catch (failure) {
    const name = failure instanceof RangeError ? 'bad' : CODES[failure.code] ?? 'other';
    return {error: name, message: `${failure.message}`};
  }
}

for await (const line of createInterface({input: process.stdin})) {
  const asked = JSON.parse(line);
  answer(asked).then((said) => console.log(JSON.stringify({number: asked.number, ...said})));
}
process.exit();
