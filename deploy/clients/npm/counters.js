// What both SDKs share: where counters are, and which shard an increment goes to. An SDK is an object of functions, as
// in web.js and node.js.

/** The names in the functions' settings. `count` is the setting COUNT_FIELD. */
const NAMES = {
  counters: 'counters', polled: 'polled_counters', shards: 'shards', rollups: 'rollups', count: 'count',
  numShards: 'num_shards', increments: 'increment_names',
};

/** While a name is kept, another increment of that name is not counted. */
const NAMES_KEPT_MS = 7 * 24 * 60 * 60 * 1000;

const MOST_SHARDS = 400;

/** How long a number of shards is used without another read. The Java library has the same limit. */
const SHARDS_KEPT_MS = 60_000;
const SHARDS_READ_MS = 1000;

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

const bytes = (text) => new TextEncoder().encode(text).length;

function requireId(what, id) {
  check(what, 'a Firestore id of 1 to 1,500 bytes, without a slash, not ., .. or __.*__', id,
    typeof id === 'string' && /^(?!\.{1,2}$|__.*__$)[^/]+$/s.test(id) && !/\p{Surrogate}/u.test(id) && bytes(id) <= 1500);
}

/** In these, COUNTERS and POLLED are patterns. */
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
  ids.forEach((id) => requireId('parent', id));
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

/** A name that is wrong, such as all of COUNTERS in place of its last part, would name documents that no function sums. */
function namesWith(own) {
  const given = Object.entries(own ?? {}).filter(([, name]) => name !== undefined);
  given.forEach(([key]) => check('names', `one of ${Object.keys(NAMES).join(', ')}`, key, Object.hasOwn(NAMES, key)));
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
  if (names.polled !== '') {
    const polled = String(names.polled).split('/');
    check('names.polled', 'the path of a collection', names.polled, typeof names.polled === 'string' && polled.length % 2 === 1);
    polled.forEach((id) => requirePlain('names.polled', id));
    requireDifferent([polled.at(-1), shards, rollups, RUNS, 'live']);
    check('names.polled', `a path outside of ${RUNS}`, names.polled, polled[0] !== RUNS);
  }
  return names;
}

function requireDifferent(collections) {
  check('names', 'collections with different names', collections.join(', '), new Set(collections).size === collections.length);
}

function check(what, expected, found, isRight) {
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

/** React Native Firebase puts the name of its module first. */
export const codeOf = ({code}) => (typeof code === 'string' ? code.replace(/^firestore\//, '') : code);

/** Waits for a promise, but not longer than this. */
export async function atMost(millis, promise) {
  let timer;
  await Promise.race([promise, new Promise((late) => { timer = setTimeout(late, millis); })]);
  clearTimeout(timer);
}

/** Counters at the root, or below a document such as rooms/r1. */
export class Counters {
  constructor(sdk, db, names = {}, parent = '') {
    requireParent(parent);
    Object.assign(this, {sdk, db, names: namesWith(names), parent});
  }

  below(parent) {
    requireParent(parent);
    return this.with({parent});
  }

  polled() {
    check('names.polled', "POLLED's path", this.names.polled, this.names.polled !== '');
    const [, parent = '', counters] = this.names.polled.match(/^(?:(.*)\/)?(.*)$/);
    return this.with({names: {...this.names, counters}, parent});
  }

  counter(id) {
    requireId('id', id);
    check('names.count', 'the field of a counter\'s shards; documents have a reader', this.names.count,
      /^[^.]+$/s.test(this.names.count));
    return new Counter(this, id);
  }

  reader(id) {
    requireId('id', id);
    return new CounterReader(this, id);
  }

  /** The same, but for these properties. */
  with(changes) {
    return Object.assign(Object.create(Object.getPrototypeOf(this)), this, changes);
  }
}

/** What is read where there is no roll-up. */
const none = () => ({total: 0, number: 0, average: 0, asOf: new Date(0)});

class CounterReader {
  #sdk;

  constructor({sdk, db, names, parent}, id) {
    const path = (collection) => `${parent ? `${parent}/` : ''}${collection}/${id}`;
    requireRequestPath('shard of the counter', `${path(names.counters)}/${names.shards}/${LAST_SHARD}`);
    requirePath('roll-up of the counter', path(names.rollups));
    this.#sdk = sdk;
    Object.assign(this, {document: sdk.doc(db, path(names.counters)), rollupDocument: sdk.doc(db, path(names.rollups))});
  }

  async total() {
    return (await this.rollup()).total;
  }

  async rollup() {
    return this.#rollupIn(await this.#sdk.get(this.rollupDocument)) ?? none();
  }

  listen(show, failed = console.error) {
    let shown;
    return this.#sdk.listen(this.rollupDocument, (document) => {
      let rollup;
      try {
        rollup = this.#rollupIn(document);
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

  /** Undefined if there is none, or another document in its place. */
  #rollupIn(document) {
    if (document.get('counter') !== this.document.path) {
      return undefined;
    }
    const count = document.get('count');
    const total = Number(count);
    check(this.rollupDocument.path, 'a total that JavaScript can hold, from -2^53 + 1 to 2^53 - 1', count,
      Math.abs(total) < 2 ** 53);
    // If these are none, somebody else has written them.
    const shards = Number(document.get('shards'));
    const number = Number.isSafeInteger(shards) && shards > 0 ? shards : 0;
    const asOf = document.get('as_of')?.toDate?.() ?? new Date(0);
    return {total, number, average: number && total / number, asOf};
  }
}

class Counter extends CounterReader {
  #counters;
  #shards;
  #readAt = -Infinity;
  #reading;

  constructor(counters, id) {
    super(counters, id);
    this.#counters = counters;
  }

  async create(shards, fields = {}) {
    requireInteger('shards', 1, MOST_SHARDS, shards);
    const {sdk, db, names} = this.#counters;
    const all = Array.from({length: shards}, (_, i) => this.#shard(i));
    if (!await sdk.create(db, this.document, {...fields, [names.numShards]: shards}, all, names.count)) {
      const failure = new Error(`${this.document.path}: expected no counter, found one that exists`);
      throw Object.assign(failure, {code: sdk.exists});
    }
  }

  async add(n = 1) {
    requireIncrement(n);
    const {sdk, db, names, pass} = this.#counters;
    await this.#atShard((shard) => sdk.add(db, shard, names.count, n, pass?.(this.document, shard)));
  }

  async addOnce(name, n = 1) {
    requireId('name', name);
    requireIncrement(n);
    const {sdk, db, names} = this.#counters;
    const path = `${this.document.path}/${names.increments}/${name}`;
    requirePath('name', path);
    const once = sdk.doc(db, path);
    return this.#atShard((shard) => sdk.addOnce(db, once, Date.now() + NAMES_KEPT_MS, shard, names.count, n));
  }

  /** After a resize the shard may be missing, so a refused write reads the number of shards again. */
  async #atShard(write) {
    const shards = await this.#numShards();
    try {
      return await write(this.#randomShard());
    } catch (failure) {
      if (!this.#counters.sdk.missing.includes(codeOf(failure))) {
        throw failure;
      }
      await this.#readShards();
      if (this.#shards === shards) {
        throw failure;
      }
    }
    return write(this.#randomShard());
  }

  /** An old number does no harm, so it is used if a new one takes long, as in a tunnel. */
  async #numShards() {
    if (performance.now() - this.#readAt >= SHARDS_KEPT_MS) {
      this.#reading ??= this.#readShards().finally(() => { this.#reading = undefined; });
      await (this.#shards ? atMost(SHARDS_READ_MS, this.#reading.catch(() => {})) : this.#reading);
    }
    return this.#shards;
  }

  async #readShards() {
    const {sdk, names} = this.#counters;
    const counter = await sdk.get(this.document).catch((failure) => {
      throw codeOf(failure) === 'permission-denied' ? this.#refused(failure) : failure;
    });
    // Google's samples use both names.
    const shards = Number(counter.get(names.numShards) ?? counter.get('numShards'));
    if (!(shards > 0)) {
      throw new Error(`${this.document.path}: no such counter: a server creates it, with ${names.numShards}`);
    }
    this.#shards = shards;
    this.#readAt = performance.now();
  }

  /** The rules do not say why: Tallyroll's refuse a document that is not there, and one with fields of the app. */
  #refused(failure) {
    const refused = new Error(`${this.document.path}: no such counter: a server creates it; or the rules do not show it: the user `
      + 'is not signed in, or it has other fields than its number of shards', {cause: failure});
    return Object.assign(refused, {code: failure.code});
  }

  #randomShard() {
    return this.#shard(Math.floor(Math.random() * this.#shards));
  }

  #shard(number) {
    const {sdk, db, names} = this.#counters;
    return sdk.doc(db, `${this.document.path}/${names.shards}/${number}`);
  }
}
