// What pages and servers share: where counters are, and which shard an increment goes to. It runs in browsers, Node.js
// and React Native, so it takes nothing that only some of them have. An SDK is an object of functions, as in modular.js.
import {
  RUNS, TotalReader, bytes, check, knows, requireDocumentId, requireId, requireInteger, requireParent, requirePath,
} from './totals.js';

/** The names of an entry of the file of totals; `count` is its `sum`. */
const NAMES = {
  counters: 'counters', shards: 'shards', rollups: 'rollups', count: 'count',
  numShards: 'num_shards', increments: 'increment_names',
};

/** While a name is kept, another increment of that name is not counted. */
const NAMES_KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** The Java library has the same limit. */
const MOST_SHARDS = 1000;

/** How long a number of shards is used without another read. The Java library has the same limit. */
const SHARDS_KEPT_MS = 60_000;

/** The longest id of a shard: a counter may have more shards than `create` makes. */
const LAST_SHARD = '9999';

/** The Java library has the same limits. A NaN would stay in its shard for ever. */
export const isIncrement = (n) => typeof n === 'number' && Math.abs(n) <= 2 ** 40;

export function requireIncrement(n) {
  check('n', 'a finite number from -2^40 to 2^40', n, isIncrement(n));
}

export const requireShards = (shards) => requireInteger('shards', 1, MOST_SHARDS, shards);

/** In a path of the file of totals, these would be parts of a pattern. */
function requirePlain(what, id) {
  requireId(what, id);
  check(what, 'a name without { } * or =', id, !/[{}*=]/.test(id));
}

/** The SDKs take these characters for a path of fields. */
function requireField(what, name) {
  requireId(what, name);
  check(what, "a field's name without . * ~ [ or ]", name, !/[.*~[\]]/.test(name));
}

/** A request for a sum names the path in its head, percent-encoded. The functions have the same limit. */
function requireRequestPath(what, path) {
  const plain = path.match(/[A-Za-z0-9.*_ -]/g)?.length ?? 0;
  check(what, 'a path of at most 7,000 characters when it is percent-encoded', path, 3 * bytes(path) - 2 * plain <= 7000);
  requirePath(what, path);
}

/** A name that is wrong, such as a whole path in place of a collection's name, would name documents that no function sums. */
function namesWith(own) {
  const given = Object.entries(own ?? {}).filter(([, name]) => name !== undefined);
  given.forEach(([key]) => check('names', `one of ${Object.keys(NAMES).join(', ')}`, key, Object.keys(NAMES).includes(key)));
  const names = {...NAMES, ...Object.fromEntries(given)};
  requirePlain('names.counters', names.counters);
  requirePlain('names.shards', names.shards);
  requireId('names.rollups', names.rollups);
  requireId('names.increments', names.increments);
  requireField('names.count', names.count);
  requireField('names.numShards', names.numShards);
  const {counters, shards, rollups, increments} = names;
  requireDifferent([counters, shards, rollups, RUNS, 'live']);
  requireDifferent([increments, counters, shards, rollups, RUNS]);
  return names;
}

function requireDifferent(collections) {
  check('names', 'collections with different names', collections.join(', '), new Set(collections).size === collections.length);
}

/** A failure with a code, as the SDK's have. */
export const failure = (code, message, cause) => Object.assign(new Error(message, cause && {cause}), {code});

/** Waits for a promise, but not longer than this. */
export async function atMost(millis, promise) {
  let timer;
  await Promise.race([promise, new Promise((late) => { timer = setTimeout(late, millis); })]);
  clearTimeout(timer);
}

/** Counters at the root, or below a document such as rooms/r1. */
export class Counters {
  /** @param kind the class of a counter here */
  constructor(sdk, kind, names = {}, parent = '') {
    requireParent(parent);
    knows(this, {sdk, kind, names: namesWith(names), parent});
  }

  below(parent) {
    requireParent(parent);
    return this.with({parent});
  }

  counter(id, options) {
    const own = this.own();
    return new own.kind(own, id, options);
  }

  /** The same, but for these properties. */
  with(changes) {
    return knows(Object.create(Object.getPrototypeOf(this)), {...this.own(), ...changes});
  }
}

/** The path of something below a document, or at the root. */
export const below = (parent, path) => (parent ? `${parent}/${path}` : path);

/** Where a counter and its roll-up are. */
export function placeOf({names, parent}, id) {
  requireDocumentId('id', id);
  const document = below(parent, `${names.counters}/${id}`);
  requireRequestPath('shard of the counter', `${document}/${names.shards}/${LAST_SHARD}`);
  const rollupDocument = below(parent, `${names.rollups}/${id}`);
  requirePath('roll-up of the counter', rollupDocument);
  return {document, rollupDocument};
}

/** What counters of pages and of servers do alike: they know the number of shards, and where shards and names are. */
export class Counter extends TotalReader {
  constructor({sdk, names, parent}, id, {shards} = {}) {
    const {document, rollupDocument} = placeOf({names, parent}, id);
    super(sdk, document, rollupDocument);
    if (shards !== undefined) {
      requireShards(shards);
    }
    // A number that is given is not read, unless a write is refused.
    Object.assign(this.own(), {names, shards, readAt: shards === undefined ? -Infinity : Infinity, reading: undefined});
  }

  remember(shards) {
    Object.assign(this.own(), {shards, readAt: performance.now()});
  }

  /** An old number does no harm, so nobody waits for a new one: a page may be offline, and be closed soon. */
  async numShards() {
    const own = this.own();
    if (performance.now() - own.readAt >= SHARDS_KEPT_MS) {
      own.reading ??= this.readShards().then((shards) => this.remember(shards)).finally(() => { own.reading = undefined; });
      if (own.shards) {
        own.reading.catch(() => {});
      } else {
        await own.reading;
      }
    }
    return own.shards;
  }

  randomShard() {
    return this.shard(Math.floor(Math.random() * this.own().shards));
  }

  shard(number) {
    const {document, names} = this.own();
    return `${document}/${names.shards}/${number}`;
  }

  firstShards(shards) {
    return Array.from({length: shards}, (_, number) => this.shard(number));
  }

  /** The path of a name's document, and when it may go. */
  name(name) {
    requireDocumentId('name', name);
    const {document, names} = this.own();
    const path = `${document}/${names.increments}/${name}`;
    requirePath('name', path);
    return {path, expiry: Date.now() + NAMES_KEPT_MS};
  }
}

/** The fields with a number of shards: Google's samples have both of the latter. */
export const shardsFields = ({numShards}) => [...new Set([numShards, 'num_shards', 'numShards'])];
