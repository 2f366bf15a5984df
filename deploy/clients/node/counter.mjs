// Counters on a Node server, with the Java library's calls. FIRESTORE_EMULATOR_HOST: a local stack.
import {FieldValue, Timestamp} from '@google-cloud/firestore';

/** The names in the functions' settings. `count` is the setting COUNT_FIELD. */
const NAMES = {
  counters: 'counters', polled: 'polled_counters', shards: 'shards', rollups: 'rollups', count: 'count',
  numShards: 'num_shards', increments: 'increment_names',
};

/** Times in milliseconds. maxCounters: sums that wait or are under way. */
const BUFFER = {
  maxDelay: 1000, maxPending: 10_000, maxCounters: 10_000, closeTimeout: 8000, exactlyOnce: false,
};

/** While a name is kept, another increment of that name is not counted. */
const NAMES_KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** Status codes of gRPC. */
const NOT_FOUND = 5;
const ALREADY_EXISTS = 6;

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

  /** Counters that add up increments and commit each sum; close it when the process is told to end. */
  buffered(options) {
    return new BufferedCounters(this, options);
  }
}

/**
 * Needs CPU outside of requests, or an awaited flush() before each answer. Adds of one handle are one commit: after
 * maxDelay ms, or as soon as there are maxPending. exactlyOnce: two writes, which count once if replies are lost.
 */
class BufferedCounters {
  #waiting = new Map();
  #open = new Set();

  constructor(counters, options = {}) {
    const {maxDelay, maxPending, maxCounters, closeTimeout, exactlyOnce} = {...BUFFER, ...options};
    if (!(maxDelay >= 10 && maxDelay <= 60_000)) {
      throw new RangeError(`maxDelay: expected 10 to 60000 ms, found ${maxDelay}`);
    }
    Object.assign(this, {counters, maxDelay, maxPending, maxCounters, closeTimeout, exactlyOnce, closed: false});
  }

  /** Keep it, for it knows the number of shards. Its add resolves once it has counted; if that rejects, it may have. */
  counter(id) {
    const counter = this.counters.counter(id);
    return {add: (n = 1) => this.#add(counter, n)};
  }

  /** Commits all that waits; resolves when all earlier adds have ended, well or not. */
  async flush() {
    this.#waiting.forEach((sum) => sum.commit());
    await Promise.allSettled([...this.#open].map((sum) => sum.ended));
  }

  /** Refuses further adds and flushes; rejects if that takes longer than closeTimeout ms. */
  async close() {
    this.closed = true;
    let timer;
    await Promise.race([this.flush(), new Promise((late) => { timer = setTimeout(late, this.closeTimeout); })]);
    clearTimeout(timer);
    if (this.#open.size > 0) {
      throw new Error(`expected all adds to end within ${this.closeTimeout} ms, found ${this.#open.size} commits open`);
    }
  }

  #add(counter, n) {
    let sum = this.#waiting.get(counter);
    if (!sum && (this.closed || this.#open.size >= this.maxCounters)) {
      return Promise.reject(new Error(`expected an open buffer of fewer than ${this.maxCounters} sums; not counted`));
    }
    sum ??= this.#begin(counter);
    sum.n += n;
    if (++sum.adds >= this.maxPending) {
      sum.commit();
    }
    return sum.ended;
  }

  #begin(counter) {
    const sum = {n: 0, adds: 0};
    sum.ended = new Promise((due) => {
      const timer = setTimeout(() => sum.commit(), this.maxDelay);
      sum.commit = () => {
        clearTimeout(timer);
        this.#waiting.delete(counter);
        due();
      };
    }).then(() => this.#write(counter, sum.n)).finally(() => this.#open.delete(sum));
    this.#waiting.set(counter, sum);
    this.#open.add(sum);
    return sum;
  }

  /** With a name, it may be tried again. */
  async #write(counter, n) {
    const name = crypto.randomUUID();
    const once = () => counter.addOnce(name, n);
    await (n === 0 ? null : this.exactlyOnce ? once().catch(once).catch(once) : counter.add(n));
  }
}

/** One counter. A failed call rejects with the SDK's error, and counts only if a reply was lost. */
class Counter {
  #shards;

  constructor({db, names, parent}, id) {
    const at = (collection) => db.collection(parent ? `${parent}/${collection}` : collection).doc(id);
    Object.assign(this, {db, names, document: at(names.counters), rollup: at(names.rollups)});
  }

  /** Creates it with 1 to 400 shards at zero; fails if it exists. A write for each shard, and one. */
  async create(shards) {
    const batch = this.db.batch();
    batch.create(this.document, {[this.names.numShards]: shards});
    for (let i = 0; i < shards; i++) {
      batch.create(this.#shard(i), {[this.names.count]: 0});
    }
    await batch.commit();
  }

  /** Adds at least once: the SDK repeats a write after a lost reply. A write; at first a read. */
  async add(n = 1) {
    await this.#atShard((shard) => shard.update({[this.names.count]: FieldValue.increment(n)}));
  }

  /** Adds exactly once for a name, for a week; returns whether this call counted. Two writes. */
  async addOnce(name, n = 1) {
    const once = this.document.collection(this.names.increments).doc(name);
    const expiry = Timestamp.fromMillis(Date.now() + NAMES_KEPT_MS);
    try {
      await this.#atShard((shard) => this.db.batch().create(once, {expire_at: expiry})
        .update(shard, {[this.names.count]: FieldValue.increment(n)}).commit());
      return true;
    } catch (failure) {
      if (failure.code === ALREADY_EXISTS) {
        return false;
      }
      throw failure;
    }
  }

  /** The rolled-up total; 0 if there is none. One read. */
  async total() {
    return (await this.rollup.get()).get('count') ?? 0;
  }

  /** Shows the total now and after each change, one read each; returns a function that stops. */
  listen(show, failed = console.error) {
    return this.rollup.onSnapshot((rollup) => show(rollup.get('count') ?? 0), failed);
  }

  #shard(number) {
    return this.document.collection(this.names.shards).doc(String(number));
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
    const counter = (await this.document.get());
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
