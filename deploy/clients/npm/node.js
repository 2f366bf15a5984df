// Counters on a Node server. node.d.ts says what each call does.
import {Counters as Shared, atMost, isIncrement, requireIncrement, requireInteger, requireSdk} from './counters.js';

const BUFFER = {
  maxDelay: 1000, maxPending: 10_000, maxCounters: 10_000, closeTimeout: 8000, exactlyOnce: false, failed: console.error,
};

/** NOT_FOUND of gRPC and of REST. */
const NOT_FOUND = [5, 404];

const ALREADY_EXISTS = 6;

/**
 * One commit, which is not tried again: over REST, the SDK takes a document that exists for contention. Without reads,
 * this begins no transaction.
 */
const commitOnce = (db, write) => db.runTransaction(async (commit) => write(commit), {maxAttempts: 1});

const on = ({FieldValue, Timestamp}) => ({
  missing: NOT_FOUND,
  exists: ALREADY_EXISTS,
  doc: (db, path) => db.doc(path),
  get: (document) => document.get(),
  listen: (document, show, failed) => document.onSnapshot(show, failed),

  async create(db, counter, fields, shards, field) {
    try {
      await commitOnce(db, (commit) => {
        commit.create(counter, fields);
        shards.forEach((shard) => commit.create(shard, {[field]: 0}));
      });
      return true;
    } catch (failure) {
      if ((await counter.get()).exists) {
        return false;
      }
      throw failure;
    }
  },

  add: (db, shard, field, n) => shard.update({[field]: FieldValue.increment(n)}),

  async addOnce(db, once, expiry, shard, field, n) {
    const write = (commit) => commit.create(once, {expire_at: Timestamp.fromMillis(expiry)})
      .update(shard, {[field]: FieldValue.increment(n)});
    try {
      await commitOnce(db, write);
      return true;
    } catch {
      // The name exists, or there was contention. The code does not tell, and may come from REST.
      return db.runTransaction(async (transaction) => {
        const isNew = !(await transaction.get(once)).exists;
        if (isNew) {
          write(transaction);
        }
        return isNew;
      });
    }
  },
});

export class Counters extends Shared {
  /** The class of a database has what its package exports, so this is the right copy. */
  constructor(db, options, parent) {
    const {sdk = db?.constructor, ...names} = options ?? {};
    const isFirestore = sdk?.FieldValue?.increment && sdk.Timestamp?.fromMillis && typeof db?.runTransaction === 'function';
    requireSdk('a database of @google-cloud/firestore or firebase-admin, or its {FieldValue, Timestamp} as {sdk}', sdk, isFirestore);
    super(on(sdk), db, names, parent);
  }

  buffered(options) {
    return new BufferedCounters(this, options);
  }
}

class BufferedCounters {
  #waiting = new Map();
  #open = new Set();

  constructor(counters, options = {}) {
    const {maxDelay, maxPending, maxCounters, closeTimeout, exactlyOnce, failed} = {...BUFFER, ...options};
    requireInteger('maxDelay', 10, 60_000, maxDelay);
    requireInteger('maxPending', 1, 1_000_000, maxPending);
    requireInteger('maxCounters', 1, 1_000_000, maxCounters);
    requireInteger('closeTimeout', 0, 600_000, closeTimeout);
    Object.assign(this, {counters, maxDelay, maxPending, maxCounters, closeTimeout, exactlyOnce, failed, closed: false});
  }

  counter(id) {
    const counter = this.counters.counter(id);
    return {add: (n = 1) => this.#add(counter, n)};
  }

  async flush() {
    this.#waiting.forEach((sum) => sum.commit());
    await Promise.allSettled([...this.#open].map((sum) => sum.ended));
  }

  async close() {
    this.closed = true;
    await atMost(this.closeTimeout, this.flush());
    if (this.#open.size > 0) {
      throw new Error(`expected all adds to end within ${this.closeTimeout} ms, found ${this.#open.size} commits open`);
    }
  }

  #add(counter, n) {
    try {
      requireIncrement(n); // before it is added to those of others
    } catch (wrong) {
      return this.#told(Promise.reject(wrong));
    }
    let sum = this.#waiting.get(counter);
    if (sum && !isIncrement(sum.n + n)) {
      sum.commit();
      sum = undefined;
    }
    if (!sum && (this.closed || this.#open.size >= this.maxCounters)) {
      const full = new Error(`expected an open buffer of fewer than ${this.maxCounters} sums; not counted`);
      return this.#told(Promise.reject(full));
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
    sum.ended = this.#told(new Promise((due) => {
      const timer = setTimeout(() => sum.commit(), this.maxDelay);
      sum.commit = () => {
        clearTimeout(timer);
        this.#waiting.delete(counter);
        due();
      };
    }).then(() => this.#write(counter, sum.n)).finally(() => this.#open.delete(sum)));
    this.#waiting.set(counter, sum);
    this.#open.add(sum);
    return sum;
  }

  /** The failure of an add that nobody awaits must not end the process. */
  #told(add) {
    add.catch(this.failed);
    return add;
  }

  /** With a name, it may be tried again. */
  async #write(counter, n) {
    const name = crypto.randomUUID();
    const once = () => counter.addOnce(name, n);
    await (n === 0 ? null : this.exactlyOnce ? once().catch(once).catch(once) : counter.add(n));
  }
}
