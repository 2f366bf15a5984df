// What pages and servers share: where counters are, and which shard an increment goes to. It runs in browsers, Node.js
// and React Native, so it takes nothing that only some of them have. An SDK is an object of functions, as in modular.js.

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

/** The functions' own collection, at the root. */
const RUNS = 'rollup_runs';

/** The Java library has the same limits. A NaN would stay in its shard for ever. */
export const isIncrement = (n) => typeof n === 'number' && Math.abs(n) <= 2 ** 40;

export function requireIncrement(n) {
  check('n', 'a finite number from -2^40 to 2^40', n, isIncrement(n));
}

export function requireInteger(what, least, most, n) {
  check(what, `an integer from ${least} to ${most}`, n, Number.isInteger(n) && n >= least && n <= most);
}

export const requireShards = (shards) => requireInteger('shards', 1, MOST_SHARDS, shards);

/** In UTF-8; NaN if the text is not valid Unicode. */
function bytes(text) {
  try {
    return encodeURIComponent(text).replace(/%../g, '.').length;
  } catch {
    return NaN;
  }
}

const ID = 'a Firestore id of 1 to 1,500 bytes, without a slash, not ., .. or __.*__';

/** Datastore's ids that are numbers, in Firestore's form. */
const NUMERIC_ID = /^__id-?\d{1,19}__$/;

/** An id of a document. Databases that were Datastore's have numeric ones. */
export function requireDocumentId(what, id) {
  check(what, ID, id,
    typeof id === 'string' && (NUMERIC_ID.test(id) || /^(?!\.{1,2}$|__[^]*__$)[^/]+$/.test(id)) && bytes(id) <= 1500);
}

/** A name of a collection, or of a field. */
function requireId(what, id) {
  requireDocumentId(what, id);
  check(what, ID, id, !NUMERIC_ID.test(id));
}

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

/** A path, or empty, where the functions count documents; these are only read. */
function requireCount(path) {
  check('names.count', 'a text', path, typeof path === 'string');
  (path ? path.split('.') : []).forEach((name) => requireField('names.count', name));
}

/** Empty for the root of the database. */
function requireParent(parent) {
  const ids = parent === '' ? [] : String(parent).split('/');
  check('parent', 'the path of a document, such as rooms/r1', parent, typeof parent === 'string' && ids.length % 2 === 0);
  ids.forEach((id, place) => (place % 2 ? requireDocumentId : requireId)('parent', id));
  check('parent', `a place outside of ${RUNS}, and at most 100 nested collections`, parent,
    ids[0] !== RUNS && ids.length / 2 + 2 <= 100);
}

function requirePath(what, path) {
  check(what, 'a path of at most 6 KiB', path, bytes(path) <= 6 * 1024);
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
  requireCount(names.count);
  requireField('names.numShards', names.numShards);
  const {counters, shards, rollups, increments} = names;
  requireDifferent([counters, shards, rollups, RUNS, 'live']);
  requireDifferent([increments, counters, shards, rollups, RUNS]);
  return names;
}

function requireDifferent(collections) {
  check('names', 'collections with different names', collections.join(', '), new Set(collections).size === collections.length);
}

export function check(what, expected, found, isRight) {
  if (!isRight) {
    const text = String(found);
    const shown = text.length > 80 ? `${text.slice(0, 80)}...` : text;
    throw new RangeError(`${what}: expected ${expected}, found ${typeof found === 'string' ? `'${shown}'` : shown}`);
  }
}

/** An SDK is an object of functions, or a class that has them. */
export function requireSdk(expected, found, isRight) {
  check('sdk', expected, found && `${found.name ?? ''}{${Object.keys(found).join(', ')}}`, isRight);
}

/** A failure with a code, as the SDK's have. */
export const failure = (code, message, cause) => Object.assign(new Error(message, cause && {cause}), {code});

/** Waits for a promise, but not longer than this. */
export async function atMost(millis, promise) {
  let timer;
  await Promise.race([promise, new Promise((late) => { timer = setTimeout(late, millis); })]);
  clearTimeout(timer);
}

/**
 * Lets a handle know this. It is behind a function, since an app's framework may put the handle in a Proxy, as Vue's
 * `ref` does: a Proxy has no private fields, and wraps what properties hold, but not what functions return.
 */
export function knows(handle, state) {
  handle.own = () => state;
  return handle;
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
    const {count} = own.names;
    check('names.count', 'the field of a counter\'s shards; documents have a reader', count, count !== '' && !count.includes('.'));
    return new own.kind(own, id, options);
  }

  reader(id) {
    return new CounterReader(this.own(), id);
  }

  /** The same, but for these properties. */
  with(changes) {
    return knows(Object.create(Object.getPrototypeOf(this)), {...this.own(), ...changes});
  }
}

/** What is read where there is no roll-up. */
export const none = () => ({total: 0, number: 0, average: 0, asOf: new Date(0)});

/** A number of JavaScript's, or a RangeError. */
export function requireTotal(path, count) {
  const total = Number(count);
  check(path, 'a total that JavaScript can hold, from -2^53 + 1 to 2^53 - 1', count, Math.abs(total) < 2 ** 53);
  return total;
}

/** Undefined if there is none, or another document in its place. */
export function rollupIn(document, path, counter) {
  if (document.get('counter') !== counter) {
    return undefined;
  }
  const total = requireTotal(path, document.get('count'));
  // If these are none, somebody else has written them.
  const shards = Number(document.get('shards'));
  const number = Number.isSafeInteger(shards) && shards > 0 ? shards : 0;
  const asOf = document.get('as_of')?.toDate?.() ?? new Date(0);
  return {total, number, average: number && total / number, asOf};
}

/** The path of something below a document, or at the root. */
export const below = (parent, path) => (parent ? `${parent}/${path}` : path);

export class CounterReader {
  constructor({sdk, names, parent}, id) {
    requireDocumentId('id', id);
    const document = below(parent, `${names.counters}/${id}`);
    const rollupDocument = below(parent, `${names.rollups}/${id}`);
    requireRequestPath('shard of the counter', `${document}/${names.shards}/${LAST_SHARD}`);
    requirePath('roll-up of the counter', rollupDocument);
    knows(this, {sdk, names, document, rollupDocument});
  }

  async total() {
    return (await this.rollup()).total;
  }

  async rollup() {
    const {sdk, document, rollupDocument} = this.own();
    return rollupIn(await sdk.get(rollupDocument), rollupDocument, document) ?? none();
  }

  listen(show, failed = console.error) {
    const {sdk, document: counter, rollupDocument} = this.own();
    let shown;
    return sdk.listen(rollupDocument, (document) => {
      let rollup;
      try {
        rollup = rollupIn(document, rollupDocument, counter);
      } catch (wrong) {
        failed(wrong);
        return;
      }
      // What a page's cache does not have, the server may.
      if (!rollup && document.metadata?.fromCache) {
        return;
      }
      rollup ??= none();
      if (rollup.total !== shown?.total || rollup.number !== shown.number) {
        shown = rollup;
        show(rollup.total, rollup);
      }
    }, failed);
  }
}

/** What counters of pages and of servers do alike: they know the number of shards, and where shards and names are. */
export class Counter extends CounterReader {
  constructor(counters, id, {shards} = {}) {
    super(counters, id);
    if (shards !== undefined) {
      requireShards(shards);
    }
    // A number that is given is not read, unless a write is refused.
    Object.assign(this.own(), {shards, readAt: shards === undefined ? -Infinity : Infinity, reading: undefined});
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
