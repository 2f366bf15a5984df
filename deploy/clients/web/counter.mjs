// Counters on a web page, with the modular Web SDK and the calls of the Java library. The project's security rules
// allow `add`, `total` and `listen`; `create` and `addOnce` need rules of your own.
import {
  Timestamp, collection, doc, getDoc, increment, onSnapshot, runTransaction, updateDoc,
} from 'firebase/firestore';

/** The names in the functions' settings. `count` is the setting COUNT_FIELD. */
const NAMES = {
  counters: 'counters', polled: 'polled_counters', shards: 'shards', rollups: 'rollups', count: 'count',
  numShards: 'num_shards', increments: 'increment_names',
};

/** While a name is kept, another increment of that name is not counted. */
const NAMES_KEPT_MS = 7 * 24 * 60 * 60 * 1000;
const NOT_FOUND = 'not-found';

/** Counters at the root, or below a document such as rooms/r1. */
export class Counters {
  constructor(db, names = {}, parent = '') {
    Object.assign(this, {db, names: {...NAMES, ...names}, parent});
  }

  below(parent) {
    return new Counters(this.db, this.names, parent);
  }

  /** Those in the collection of POLLED: a total is a tick behind, or up to a minute after a pause. */
  polled() {
    const [, parent = '', counters] = this.names.polled.match(/^(?:(.*)\/)?(.*)$/);
    return new Counters(this.db, {...this.names, counters}, parent);
  }

  counter(id) {
    return new Counter(this, id);
  }
}

/** One counter. A failed call rejects with the SDK's error, and has counted nothing. */
class Counter {
  #shards;

  constructor({db, names, parent}, id) {
    const at = (name) => doc(db, parent ? `${parent}/${name}` : name, id);
    Object.assign(this, {db, names, document: at(names.counters), rollup: at(names.rollups)});
  }

  /** Creates it with 1 to 400 shards at zero; fails if it exists. A read, a write for each, and one. */
  async create(shards) {
    await runTransaction(this.db, async (transaction) => {
      if ((await transaction.get(this.document)).exists()) {
        throw new Error(`${this.document.path}: expected no counter, found one`);
      }
      transaction.set(this.document, {[this.names.numShards]: shards});
      for (let i = 0; i < shards; i++) {
        transaction.set(this.#shard(i), {[this.names.count]: 0});
      }
    });
  }

  /** Adds to a random shard. One write; one read before the first. */
  async add(n = 1) {
    await this.#atShard((shard) => updateDoc(shard, {[this.names.count]: increment(n)}));
  }

  /** Adds once for a name, for a week; returns whether this call counted. A read and two writes. */
  async addOnce(name, n = 1) {
    const once = doc(collection(this.document, this.names.increments), name);
    return this.#atShard((shard) => runTransaction(this.db, async (transaction) => {
      if ((await transaction.get(once)).exists()) {
        return false;
      }
      transaction.set(once, {expire_at: Timestamp.fromMillis(Date.now() + NAMES_KEPT_MS)});
      transaction.update(shard, {[this.names.count]: increment(n)});
      return true;
    }));
  }

  /** The rolled-up total; 0 if there is none. One read. */
  async total() {
    return (await getDoc(this.rollup)).get('count') ?? 0;
  }

  /** Shows the total now and after each change, one read each; returns a function that stops. */
  listen(show, failed = console.error) {
    return onSnapshot(this.rollup, (rollup) => show(rollup.get('count') ?? 0), failed);
  }

  #shard(number) {
    return doc(collection(this.document, this.names.shards), String(number));
  }

  /** After a resize the shard may be missing. The number of shards is then read again. */
  async #atShard(write) {
    if (this.#shards) {
      try {
        return await write(this.#randomShard());
      } catch (failure) {
        if (failure.code !== NOT_FOUND) {
          throw failure;
        }
      }
    }
    const counter = (await getDoc(this.document));
    // Google's samples use both names.
    this.#shards = counter.get(this.names.numShards) ?? counter.get('numShards');
    if (!(this.#shards > 0)) {
      throw new Error(`${this.document.path}: expected a counter with ${this.names.numShards}, found ${this.#shards}`);
    }
    return write(this.#randomShard());
  }

  #randomShard() {
    return this.#shard(Math.floor(Math.random() * this.#shards));
  }
}
