// Totals and counters on a server, with the promises and the order of steps of the Java library. server.d.ts says what each call does.
// What they call is a store, that of node.js or that of fake.js, an object of functions:
// - get(path), all(paths): documents as those of the SDK, with exists, get(field) and their times;
// - shards(collection, field, limit): {shards: [{id, count, updateTime}], readTime}; a count that is an integer is a BigInt;
// - sum(collection, field), ids(collection, limit), page(collection, {orderBy, prefix, after, limit});
// - add(path, field, n): increments a document that must be there; resolves to the commit's time;
// - commit(writes): all or none, and sent once; a write is {create|update|merge|delete: path, fields, at: version};
// - unless(path, writes): writes if there is no such document; resolves to whether it has;
// - listen(path, show, failed): as the SDK's onSnapshot;
// - addTo(increment, writes, path, field, n): the same as add, as a part of another commit.
import {
  Counter, Counters, atMost, below, failure, isIncrement, placeOf, requireIncrement, requireShards, shardsFields,
} from './counters.js';
import {TotalReader, check, none, requireDocumentId, requireInteger, requireTotal, rollupIn} from './totals.js';

const MOST_ATTEMPTS = 5;

/** A larger number is a slip or an attack. */
const MOST_SHARDS_FOUND = 10_000;

/** One commit must write them all, and a request takes 10 MiB. */
const MOST_SHARDS_IN_A_BATCH = 5000;

const PAGE = 500;
const MOST_PAGES = 10_000;
const MOST_TOTALS = 1000;
const MOST_FOREIGN_PAGES = 100;
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 500;
const HOUR = 3_600_000;

/** Of our own failures, with codes as gRPC's. */
const [DEADLINE_EXCEEDED, NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, ABORTED] = [4, 5, 6, 9, 10];

/** How Firestore refuses a commit whose documents are not as it expects, over gRPC and over REST. */
const REFUSED = [3, NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, ABORTED, 400, 404, 409];

const isMissing = ({code}) => code === NOT_FOUND || code === 404;

const OURS = new WeakSet();

/** These say what was wrong with the counter, so no call is repeated after one. */
function ours(code, message, cause) {
  const one = failure(code, message, cause);
  OURS.add(one);
  return one;
}

const isRefused = (failed) => REFUSED.includes(failed.code) && !OURS.has(failed);

/** What a field is incremented by, in a write of a store. */
export class Plus {
  constructor(n) {
    this.n = n;
  }
}

export const nanos = ({seconds, nanoseconds}) => BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds);

/** Adds up as Firestore's sum does: what is not a number is passed over, integers stay exact. */
function sum(counts) {
  const whole = counts.filter((count) => typeof count === 'bigint').reduce((total, count) => total + count, 0n);
  const fractions = counts.filter((count) => typeof count === 'number');
  return fractions.length === 0 ? whole : fractions.reduce((total, count) => total + count, Number(whole));
}

const isSafe = (whole) => Number.isSafeInteger(Number(whole));

/** A write of a counter's document that fails if it has changed. */
const expecting = (head, fields) => ({update: head.path, fields, at: head.version});

async function awaitTotal({sdk, document, rollupDocument}, committed, {timeout = 10_000, signal} = {}) {
  check('committed', 'a Timestamp, as of add, or the write time of a document', committed,
    Number.isInteger(committed?.seconds) && Number.isInteger(committed.nanoseconds));
  requireInteger('timeout', 0, HOUR, timeout);
  const end = performance.now() + timeout;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
    signal?.throwIfAborted();
    const read = await sdk.get(rollupDocument);
    const asOf = read.get('counter') === document ? read.get('as_of') : undefined;
    // A time that is later than the read is somebody else's.
    if (asOf?.toDate && nanos(asOf) >= nanos(committed) && nanos(asOf) <= nanos(read.readTime)) {
      return rollupIn(read, rollupDocument, document);
    }
    const left = end - performance.now();
    if (left <= 0) {
      throw ours(DEADLINE_EXCEEDED, `${rollupDocument}: expected a total as of ${committed.toDate().toISOString()} within ${timeout} ms, found `
        + (asOf?.toDate ? `one as of ${asOf.toDate().toISOString()}` : 'none'));
    }
    await wait(Math.min(pause, left), signal);
  }
}

/** Ends early if the signal says so. */
async function wait(millis, signal) {
  let timer;
  let abort;
  await new Promise((done) => {
    abort = done;
    timer = setTimeout(done, millis);
    signal?.addEventListener('abort', abort);
  });
  clearTimeout(timer);
  signal?.removeEventListener('abort', abort);
}

export class ServerTotalReader extends TotalReader {
  awaitTotal(committed, options) {
    return awaitTotal(this.own(), committed, options);
  }
}

export class ServerCounter extends Counter {
  async create(shards, fields = {}) {
    requireShards(shards);
    const {sdk, names, document} = this.own();
    try {
      await sdk.commit([
        {create: document, fields: {...fields, [names.numShards]: shards}},
        ...this.firstShards(shards).map((shard) => ({create: shard, fields: {[names.count]: 0}})),
      ]);
    } catch (failed) {
      const isThere = (await sdk.get(document)).exists || (isRefused(failed) && (await sdk.ids(this.shards(), 1)).length > 0);
      throw isThere ? ours(ALREADY_EXISTS, `${document}: expected no counter, found one that exists, or a shard of it; use it, or call `
        + `createMissing(${shards}), if something is missing, or delete() first`, failed) : failed;
    }
    this.remember(shards);
  }

  async createMissing(shards) {
    requireShards(shards);
    const {sdk, names} = this.own();
    return this.attempt(async (head) => {
      const wanted = head.isSound ? head.shards : shards;
      const there = new Set((await this.allShards()).shards.filter(({count}) => count !== undefined).map(({id}) => id));
      const missing = this.firstShards(wanted).filter((_, number) => !there.has(String(number)));
      if (missing.length > 0 || !head.isSound) {
        const document = !head.exists ? {create: head.path, fields: {[names.numShards]: wanted}}
          : head.isSound ? head.kept : head.with(wanted);
        await sdk.commit([document, ...missing.map((shard) => this.merge(shard, 0))]);
      }
      this.remember(wanted);
      return missing.length + (head.exists ? 0 : 1);
    }, {mayBeMissing: true});
  }

  async add(n = 1) {
    requireIncrement(n);
    const {sdk, names, document} = this.own();
    const time = await this.write(n, (shard) => sdk.add(shard, names.count, n));
    // A document that is not changed keeps its time.
    return n !== 0 && time ? time : (await sdk.get(document)).readTime;
  }

  async addOnce(name, n = 1) {
    requireIncrement(n);
    const {path, expiry} = this.name(name);
    const {sdk} = this.own();
    const named = {create: path, fields: {expire_at: new Date(expiry)}};
    const counted = await this.write(n, async (shard) => {
      const writes = [named, this.plus(shard, n)];
      try {
        await sdk.commit(writes);
        return true;
      } catch (failed) {
        if (isMissing(failed)) {
          throw failed;
        }
        // The name exists, or there was contention. The code does not tell.
        return sdk.unless(path, writes);
      }
    }, named);
    return counted ?? true;
  }

  /** Increments a random shard; if it is missing, creates it, if the counter's document is there. */
  async write(n, write, named) {
    await this.numShards();
    try {
      return await write(this.randomShard());
    } catch (failed) {
      if (!isMissing(failed) || OURS.has(failed)) {
        throw failed;
      }
    }
    const {sdk} = this.own();
    return this.attempt(async (head) => {
      this.remember(head.sound());
      if (named && (await sdk.get(named.create)).exists) {
        return false;
      }
      await sdk.commit([this.merge(this.randomShard(), n), ...(named ? [named] : []), head.kept]);
      return undefined;
    });
  }

  plus(shard, n) {
    return {update: shard, fields: {[this.own().names.count]: new Plus(n)}};
  }

  /** Adding nothing creates what is missing, and leaves a count as it is. */
  merge(shard, n) {
    return {merge: shard, fields: {[this.own().names.count]: new Plus(n)}};
  }

  async prepare(n = 1) {
    requireIncrement(n);
    await this.numShards();
    return new Increment(this, n, this.randomShard());
  }

  async exactTotal() {
    const {sdk, names, document} = this.own();
    return requireTotal(document, await sdk.sum(this.shards(), names.count));
  }

  awaitTotal(committed, options) {
    return awaitTotal(this.own(), committed, options);
  }

  /**
   * Subtracts from each shard what was read there. A commit that is carried out twice would subtract twice. So it expects
   * the version that the counter's document had before the shards were read, and changes it. It also creates a name: if it
   * is refused, the name tells whether it was carried out before.
   */
  async reset() {
    const {sdk} = this.own();
    return this.attempt(async (head, isLast) => {
      const {shards} = await this.allShards();
      const total = sum(shards.map(({count}) => count));
      const counted = shards.filter(({count}) => count !== undefined && count !== 0n);
      if (counted.length > 0) {
        const id = `reset-${crypto.randomUUID()}`;
        const {path, expiry} = this.name(id);
        const writes = [expecting(head, {reset_id: id}), {create: path, fields: {expire_at: new Date(expiry)}}];
        await sdk.commit([...writes, ...counted.map((shard) => this.subtraction(shard, isLast))]).catch(async (failed) => {
          if (!isRefused(failed) || !(await sdk.get(path)).exists) {
            throw failed;
          }
        });
      }
      return Number(total);
    });
  }

  subtraction({id, count, updateTime}, isLast) {
    // A double that is written all the time stays one.
    if ((typeof count === 'bigint' && isSafe(count)) || (isLast && Number.isFinite(count))) {
      return this.plus(this.shard(id), -Number(count));
    }
    // Nothing that is subtracted makes it an integer, so it is replaced if its version is still the same.
    return {update: this.shard(id), fields: {[this.own().names.count]: 0}, at: updateTime};
  }

  async resize(shards) {
    requireShards(shards);
    await this.attempt(async (head) => {
      const present = head.isSound ? head.shards : 0;
      if (present !== shards) {
        // New shards come with the number that makes clients use them, so nobody meets one missing.
        const added = this.firstShards(shards).slice(present).map((shard) => this.merge(shard, 0));
        await this.own().sdk.commit([...added, head.with(shards)]);
      }
      this.remember(shards);
    });
  }

  async compact({unwritten = HOUR} = {}) {
    check('unwritten', 'milliseconds from 0 on', unwritten, Number.isFinite(unwritten) && unwritten >= 0);
    const {sdk} = this.own();
    return this.attempt(async (head) => {
      const inUse = head.sound();
      const {shards, readTime} = await this.allShards();
      const latest = nanos(readTime) - BigInt(Math.round(unwritten)) * 1_000_000n;
      const retired = shards.filter(({id}) => /^(0|[1-9][0-9]{0,8})$/.test(id) && Number(id) >= inUse);
      const quiet = retired.filter(({count, updateTime}) => nanos(updateTime) <= latest && (typeof count !== 'number' || Number.isFinite(count)));
      const total = Number(sum(quiet.map(({count}) => count)));
      // The sum of integers may be none that a number holds.
      if (quiet.length === 0 || Math.abs(total) >= 2 ** 53) {
        return retired.length;
      }
      // Without the first write, a shard that a resize has just put in use again could be deleted.
      const writes = [head.kept, ...quiet.map(({id, updateTime}) => ({delete: this.shard(id), at: updateTime}))];
      if (total !== 0) {
        this.remember(inUse);
        writes.push(this.merge(this.randomShard(), total));
      }
      await sdk.commit(writes);
      return retired.length - quiet.length;
    });
  }

  /**
   * Deletes the counter's document with the first page of shards: then no increment creates a shard, so an empty page is the
   * last. Names are deleted after the shards: without a shard, no name is created.
   */
  async delete() {
    const {sdk, names, document} = this.own();
    Object.assign(this.own(), {shards: undefined, readAt: -Infinity});
    let writes = [{delete: document}];
    for (const collection of [this.shards(), `${document}/${names.increments}`]) {
      for (let left = MOST_PAGES; ; left--) {
        writes.push(...(await sdk.ids(collection, PAGE)).map((id) => ({delete: `${collection}/${id}`})));
        if (writes.length === 0) {
          break;
        }
        if (left === 0) {
          throw ours(ABORTED, `${document}: expected at most ${MOST_PAGES * PAGE} documents to delete, found more; call again`);
        }
        await this.repeat(() => sdk.commit(writes));
        writes = [];
      }
    }
  }

  /** Runs attempts until one is not refused; each reads the counter's document anew. */
  attempt(step, options) {
    return this.repeat(async (isLast) => step(await this.head(options), isLast));
  }

  async repeat(step) {
    let refused;
    for (let left = MOST_ATTEMPTS; left > 0; left--) {
      try {
        return await step(left === 1);
      } catch (failed) {
        if (!isRefused(failed)) {
          throw failed;
        }
        refused = failed;
      }
    }
    throw ours(ABORTED, `${this.own().document}: expected one of ${MOST_ATTEMPTS} attempts to find it as it had been read, found: ${refused.message}`,
      refused);
  }

  /** The counter's document as it was read. */
  async head({mayBeMissing = false} = {}) {
    const {sdk, names, document: path} = this.own();
    const document = await sdk.get(path);
    if (!document.exists && !mayBeMissing) {
      throw ours(NOT_FOUND, `${path}: no such counter: expected its document, with ${names.numShards}, found none; create(10) makes it, or `
        + 'createMissing(10), if it has shards');
    }
    const fields = shardsFields(names).filter((field) => document.get(field) !== undefined);
    const found = document.get(fields[0] ?? names.numShards);
    const shards = Number(found);
    const head = {path, exists: document.exists, version: document.updateTime, shards};
    head.isSound = ['number', 'bigint'].includes(typeof found) && Number.isInteger(shards) && shards >= 1 && shards <= MOST_SHARDS_FOUND;
    head.sound = () => {
      if (!head.isSound) {
        throw ours(FAILED_PRECONDITION, `${path}: expected a whole number from 1 to ${MOST_SHARDS_FOUND} in ${fields[0] ?? names.numShards}, found `
          + `'${found}'; resize(10) replaces it`);
      }
      return shards;
    };
    head.kept = expecting(head, {[fields[0]]: found});
    head.with = (wanted) => expecting(head, Object.fromEntries([names.numShards, ...fields].map((field) => [field, wanted])));
    return head;
  }

  async readShards() {
    return (await this.head()).sound();
  }

  shards() {
    const {document, names} = this.own();
    return `${document}/${names.shards}`;
  }

  /** A read for each. */
  async allShards() {
    const {sdk, names, document} = this.own();
    const all = await sdk.shards(this.shards(), names.count, MOST_SHARDS_IN_A_BATCH + 1);
    if (all.shards.length > MOST_SHARDS_IN_A_BATCH) {
      throw ours(FAILED_PRECONDITION, `${document}: expected at most ${MOST_SHARDS_IN_A_BATCH} shards, found more`);
    }
    return all;
  }
}

class Increment {
  constructor(counter, n, shard) {
    this.own = () => ({counter, n, shard});
  }

  addTo(writes) {
    const {counter, n, shard} = this.own();
    const {sdk, names} = counter.own();
    return sdk.addTo(this, writes, shard, names.count, n);
  }

  async again() {
    const {counter, n} = this.own();
    return counter.attempt(async (head) => {
      counter.remember(head.sound());
      const shard = counter.randomShard();
      await counter.own().sdk.commit([counter.merge(shard, 0), head.kept]);
      return new Increment(counter, n, shard);
    });
  }
}

export class ServerCounters extends Counters {
  constructor(store, names, parent) {
    super(store, ServerCounter, names, parent);
  }

  buffered(options) {
    return new BufferedCounters(this, options);
  }

  async totals(ids) {
    check('ids', `an array of at most ${MOST_TOTALS}`, Array.isArray(ids) ? ids.length : ids, Array.isArray(ids) && ids.length <= MOST_TOTALS);
    const places = ids.map((id) => ({id, ...placeOf(this.own(), id)}));
    const paths = [...new Set(places.map(({rollupDocument}) => rollupDocument))];
    const found = paths.length === 0 ? [] : await this.own().sdk.all(paths);
    const read = new Map(paths.map((path, at) => [path, found[at]]));
    return places.map(({id, document, rollupDocument}) => (
      {id, ...(rollupIn(read.get(rollupDocument), rollupDocument, document) ?? none())}));
  }

  async list({prefix = '', after = '', limit = 100} = {}) {
    [['prefix', prefix], ['after', after]].forEach(([what, id]) => id === '' || requireDocumentId(what, id));
    return this.find({orderBy: '__name__', prefix, after, limit});
  }

  async top(limit = 10) {
    return this.find({orderBy: 'count', prefix: '', after: '', limit});
  }

  /** Reads on until it has as many roll-ups, since there may be others' documents among them. */
  async find({limit, ...query}) {
    requireInteger('limit', 1, MOST_TOTALS, limit);
    const {sdk, names, parent} = this.own();
    const collection = below(parent, names.rollups);
    const totals = [];
    let {after} = query;
    for (let pages = 0; pages < MOST_FOREIGN_PAGES; pages++) {
      const wanted = limit - totals.length;
      const page = await sdk.page(collection, {...query, after, limit: wanted});
      for (const document of page) {
        const {id} = document;
        const rollup = rollupIn(document, `${collection}/${id}`, below(parent, `${names.counters}/${id}`));
        totals.push(...(rollup ? [{id, ...rollup}] : []));
      }
      if (page.length < wanted || totals.length === limit) {
        return totals;
      }
      after = page[wanted - 1];
    }
    throw new Error(`${collection}: expected some roll-ups on each of ${MOST_FOREIGN_PAGES} pages, found others' documents`);
  }
}

const BUFFER = {
  maxDelay: 1000, maxPending: 10_000, maxCounters: 10_000, closeTimeout: 8000, exactlyOnce: false, failed: console.error,
};

class BufferedCounters {
  constructor(counters, options = {}) {
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    const {maxDelay, maxPending, maxCounters, closeTimeout, exactlyOnce, failed} = {...BUFFER, ...given};
    requireInteger('maxDelay', 10, 60_000, maxDelay);
    requireInteger('maxPending', 1, 1_000_000, maxPending);
    requireInteger('maxCounters', 1, 1_000_000, maxCounters);
    requireInteger('closeTimeout', 0, 600_000, closeTimeout);
    const own = {counters, maxDelay, maxPending, maxCounters, closeTimeout, exactlyOnce, failed, closed: false, waiting: new Map(), open: new Set()};
    this.own = () => own;
  }

  counter(id) {
    const counter = this.own().counters.counter(id);
    const add = (n = 1) => this.add(counter, n);
    return {add};
  }

  async flush() {
    const {waiting, open} = this.own();
    waiting.forEach((sum) => sum.commit());
    await Promise.allSettled([...open].map((sum) => sum.ended));
  }

  async close() {
    const own = this.own();
    own.closed = true;
    await atMost(own.closeTimeout, this.flush());
    if (own.open.size > 0) {
      throw new Error(`expected all adds to end within ${own.closeTimeout} ms, found ${own.open.size} commits open`);
    }
  }

  add(counter, n) {
    const {waiting, open, closed, maxCounters, maxPending} = this.own();
    try {
      requireIncrement(n); // before it is added to those of others
    } catch (wrong) {
      return this.told(Promise.reject(wrong));
    }
    let sum = waiting.get(counter);
    if (sum && !isIncrement(sum.n + n)) {
      sum.commit();
      sum = undefined;
    }
    if (!sum && (closed || open.size >= maxCounters)) {
      const full = new Error(`expected an open buffer of fewer than ${maxCounters} sums; not counted`);
      return this.told(Promise.reject(full));
    }
    sum ??= this.begin(counter);
    sum.n += n;
    if (++sum.adds >= maxPending) {
      sum.commit();
    }
    return sum.ended;
  }

  begin(counter) {
    const {waiting, open, maxDelay} = this.own();
    const sum = {n: 0, adds: 0};
    sum.ended = this.told(new Promise((due) => {
      const timer = setTimeout(() => sum.commit(), maxDelay);
      sum.commit = () => {
        clearTimeout(timer);
        waiting.delete(counter);
        due();
      };
    }).then(() => this.write(counter, sum.n)).finally(() => open.delete(sum)));
    waiting.set(counter, sum);
    open.add(sum);
    return sum;
  }

  /** The failure of an add that nobody awaits must not end the process. */
  told(add) {
    add.catch(this.own().failed);
    return add;
  }

  /** With a name, it may be tried again. */
  async write(counter, n) {
    if (n === 0) {
      return undefined;
    }
    if (!this.own().exactlyOnce) {
      return counter.add(n);
    }
    const name = crypto.randomUUID();
    const once = () => counter.addOnce(name, n);
    await once().catch(once).catch(once);
    return undefined;
  }
}
