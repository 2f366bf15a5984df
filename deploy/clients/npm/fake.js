// Totals and counters in memory, for tests without an emulator: those of a server, on a store of their own.
import {failure} from './counters.js';
import {Plus, ServerCounter, ServerCounters, ServerTotalReader, nanos} from './server.js';
import {Totals, check, requireInteger} from './totals.js';

/** Firestore's time. */
class Time {
  constructor(nanoseconds) {
    Object.assign(this, {seconds: Number(nanoseconds / 1_000_000_000n), nanoseconds: Number(nanoseconds % 1_000_000_000n)});
  }

  toDate() {
    return new Date(this.seconds * 1000 + Math.floor(this.nanoseconds / 1e6));
  }
}

const parentOf = (path) => path.slice(0, path.lastIndexOf('/'));
const idOf = (path) => path.slice(path.lastIndexOf('/') + 1);
/** What a write is of. */
const pathOf = ({create, update, merge, delete: gone}) => create ?? update ?? merge ?? gone;

const before = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

/** Documents, who listens to them, and the roll-ups that the functions would keep. */
class Memory {
  documents = new Map();
  listeners = new Set();
  last = 0n;
  held;
  added = new WeakSet();
  names;

  /** Each is later than the one before. */
  now() {
    const now = BigInt(Date.now()) * 1_000_000n;
    this.last = now > this.last ? now : this.last + 1000n;
    return new Time(this.last);
  }

  read(path) {
    const found = this.documents.get(path);
    const readTime = this.now();
    return {id: idOf(path), exists: found !== undefined, get: (field) => found?.fields[field], ...found, readTime};
  }

  below(collection) {
    return [...this.documents.keys()].filter((path) => parentOf(path) === collection).sort(before);
  }

  async get(path) {
    return this.read(path);
  }

  async all(paths) {
    return paths.map((path) => this.read(path));
  }

  async shards(collection, field, limit) {
    const shards = this.below(collection).slice(0, limit).map((path) => {
      const {id, updateTime, get} = this.read(path);
      const count = get(field);
      return {id, updateTime, count: Number.isInteger(count) ? BigInt(count) : count};
    });
    return {shards, readTime: this.now()};
  }

  async sum(collection, field) {
    return this.numbers(collection, field).reduce((total, n) => total + n, 0);
  }

  numbers(collection, field) {
    return this.below(collection).map((path) => this.read(path).get(field)).filter((count) => typeof count === 'number');
  }

  async ids(collection, limit) {
    return this.below(collection).slice(0, limit).map(idOf);
  }

  async page(collection, {orderBy, prefix, after, limit}) {
    const all = this.below(collection).map((path) => this.read(path));
    if (orderBy === 'count') {
      all.sort((one, other) => other.get('count') - one.get('count') || before(other.id, one.id));
      const start = after ? all.findIndex(({id}) => id === after.id) + 1 : 0;
      return all.slice(start, start + limit);
    }
    const last = typeof after === 'string' ? after : after.id;
    return all.filter(({id}) => id.startsWith(prefix) && id > last).slice(0, limit);
  }

  async add(path, field, n) {
    return this.write([{update: path, fields: {[field]: new Plus(n)}}]);
  }

  async commit(writes) {
    this.write(writes);
  }

  async unless(path, writes) {
    const isNew = !this.documents.has(path);
    if (isNew) {
      this.write(writes);
    }
    return isNew;
  }

  /** It cannot see the commit, so it counts now, and only once. */
  addTo(increment, writes, path, field, n) {
    if (!this.added.has(increment) && this.documents.has(path)) {
      this.added.add(increment);
      this.write([{update: path, fields: {[field]: new Plus(n)}}]);
    }
    return writes;
  }

  /** All or none. */
  write(writes) {
    for (const one of writes) {
      const path = pathOf(one);
      const found = this.documents.get(path);
      if (one.create && found) {
        throw failure(6, `${path}: expected none, found one`);
      }
      if (one.update && !found) {
        throw failure(5, `${path}: expected a document, found none`);
      }
      if (one.at && (!found || nanos(found.updateTime) !== nanos(one.at))) {
        throw failure(9, `${path}: expected another version`);
      }
    }
    const time = this.now();
    writes.forEach((one) => this.apply(one, time));
    const shards = writes.map(pathOf).filter((path) => idOf(parentOf(path)) === this.names.shards);
    new Set(shards.map((path) => parentOf(parentOf(path))))
      .forEach((counter) => (this.held ? this.held.add(counter) : this.rollUp(counter)));
    return time;
  }

  apply(one, time) {
    const path = pathOf(one);
    if (one.delete) {
      this.put(path, undefined);
      return;
    }
    const found = this.documents.get(path);
    const next = {...found?.fields};
    let isChanged = !found;
    for (const [name, value] of Object.entries(one.fields)) {
      const old = typeof next[name] === 'number' ? next[name] : 0;
      next[name] = value instanceof Plus ? old + value.n : value;
      isChanged ||= next[name] !== found.fields[name];
    }
    // One that is not changed keeps its version.
    this.put(path, {fields: next, createTime: found?.createTime ?? time, updateTime: isChanged ? time : found.updateTime});
  }

  put(path, document) {
    if (document) {
      this.documents.set(path, document);
    } else {
      this.documents.delete(path);
    }
    this.listeners.forEach((listener) => listener.path === path && this.tell(listener));
  }

  /** As the functions do after a write of a shard. */
  rollUp(counter) {
    const collection = parentOf(counter);
    const above = collection.includes('/') ? `${parentOf(collection)}/` : '';
    const numbers = this.numbers(`${counter}/${this.names.shards}`, this.names.count);
    const time = this.now();
    const count = numbers.reduce((total, n) => total + n, 0);
    this.put(`${above}${this.names.rollups}/${idOf(counter)}`, numbers.length === 0 ? undefined
      : {fields: {counter, total_of: this.totalOf, count, shards: numbers.length, as_of: time}, createTime: time, updateTime: time});
  }

  listen(path, show) {
    const listener = {path, show};
    this.listeners.add(listener);
    this.tell(listener);
    return () => this.listeners.delete(listener);
  }

  /** Later, as Firestore does, but not to those who have stopped meanwhile. */
  tell(listener) {
    const document = this.read(listener.path);
    queueMicrotask(() => {
      if (this.listeners.has(listener)) {
        listener.show(document);
      }
    });
  }
}

export class FakeTotals extends Totals {
  constructor(file) {
    super(new Memory(), file, ServerTotalReader);
  }

  /** As the functions do. */
  set(name, path, {total, number, asOf = new Date()}) {
    check('total', 'a finite number', total, Number.isFinite(total));
    requireInteger('number', 0, Number.MAX_SAFE_INTEGER, number);
    const {sdk, document, rollupDocument} = this.of(name, path).own();
    const as_of = new Time(BigInt(asOf.getTime()) * 1_000_000n);
    sdk.put(rollupDocument, {fields: {counter: document, count: total, shards: number, as_of}});
  }
}

export class FakeCounters extends ServerCounters {
  constructor(names = {}, parent = '') {
    const memory = new Memory();
    super(memory, names, parent);
    const own = this.own().names;
    memory.names = own; // of shards, counts and roll-ups
    memory.totalOf = `sum of ${own.count} in {**}/${own.counters}/{1}/${own.shards}`;
  }

  /** A user who may add only once has an increment of that name. */
  withPass(uid, {once = false} = {}) {
    return this.with({
      kind: class extends ServerCounter {
        async add(n = 1) {
          if (!once) {
            return super.add(n);
          }
          await this.addOnce(`pass-of-${uid}`, n);
          return super.add(0); // the time
        }
      },
    });
  }

  hold() {
    const {sdk} = this.own();
    sdk.held ??= new Set();
  }

  release() {
    const {sdk} = this.own();
    const held = sdk.held ?? new Set();
    sdk.held = undefined;
    held.forEach((counter) => sdk.rollUp(counter));
  }
}
