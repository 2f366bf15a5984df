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

/** The Java library has the same limits. A NaN would stay in its shard for ever. */
export const isIncrement = (n) => typeof n === 'number' && Math.abs(n) <= 2 ** 40;

export function requireIncrement(n) {
  require('n', 'a finite number from -2^40 to 2^40', n, isIncrement(n));
}

export function requireInteger(what, least, most, n) {
  require(what, `an integer from ${least} to ${most}`, n, Number.isInteger(n) && n >= least && n <= most);
}

/** With a slash, it would name a document elsewhere. Firestore refuses other bad ids. */
function requireId(what, id) {
  require(what, 'an id without a slash', id, typeof id === 'string' && /^[^/]+$/.test(id));
}

/** A name that is wrong, such as all of COUNTERS in place of its last part, would name documents that no function sums. */
function namesWith(own) {
  const given = Object.entries(own ?? {}).filter(([, name]) => name !== undefined);
  for (const [key, name] of given.filter(([key, name]) => key !== 'polled' || name !== '')) {
    require('names', `one of ${Object.keys(NAMES).join(', ')}`, key, Object.hasOwn(NAMES, key));
    const ids = key === 'polled' && typeof name === 'string' ? name.split('/') : [name];
    require(`names.${key}`, 'the path of a collection', name, ids.length % 2 === 1);
    ids.forEach((id) => requireId(`names.${key}`, id));
  }
  return {...NAMES, ...Object.fromEntries(given)};
}

function require(what, expected, found, isRight) {
  if (!isRight) {
    throw new RangeError(`${what}: expected ${expected}, found ${typeof found === 'string' ? `'${found}'` : found}`);
  }
}

/** Counters at the root, or below a document such as rooms/r1. */
export class Counters {
  constructor(sdk, db, names = {}, parent = '') {
    Object.assign(this, {sdk, db, names: namesWith(names), parent});
  }

  below(parent) {
    return this.with({parent});
  }

  polled() {
    const [, parent = '', counters] = this.names.polled.match(/^(?:(.*)\/)?(.*)$/);
    return this.with({names: {...this.names, counters}, parent});
  }

  counter(id) {
    requireId('id', id);
    return new Counter(this, id);
  }

  /** The same, but for these properties. */
  with(changes) {
    return Object.assign(Object.create(Object.getPrototypeOf(this)), this, changes);
  }
}

class Counter {
  #counters;
  #shards;

  constructor(counters, id) {
    const {sdk, db, names, parent} = counters;
    const at = (collection) => sdk.doc(db, `${parent ? `${parent}/` : ''}${collection}/${id}`);
    this.#counters = counters;
    Object.assign(this, {document: at(names.counters), rollup: at(names.rollups)});
  }

  async create(shards, fields = {}) {
    requireInteger('shards', 1, MOST_SHARDS, shards);
    const {sdk, db, names} = this.#counters;
    const zeros = Array.from({length: shards}, (_, i) => [this.#shard(i), {[names.count]: 0}]);
    await sdk.create(db, [[this.document, {...fields, [names.numShards]: shards}], ...zeros]);
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
    const once = sdk.doc(db, `${this.document.path}/${names.increments}/${name}`);
    return this.#atShard((shard) => sdk.addOnce(db, once, Date.now() + NAMES_KEPT_MS, shard, names.count, n));
  }

  async total() {
    return (await this.#counters.sdk.get(this.rollup)).get('count') ?? 0;
  }

  listen(show, failed = console.error) {
    return this.#counters.sdk.listen(this.rollup, (rollup) => show(rollup.get('count') ?? 0), failed);
  }

  /** After a resize the shard may be missing, so a refused write reads the number of shards again. */
  async #atShard(write) {
    const before = this.#shards;
    if (before) {
      try {
        return await write(this.#randomShard());
      } catch (failure) {
        if (!this.#counters.sdk.missing.includes(failure.code)) {
          throw failure;
        }
        await this.#readShards();
        if (this.#shards === before) {
          throw failure;
        }
      }
    } else {
      await this.#readShards();
    }
    return write(this.#randomShard());
  }

  async #readShards() {
    const {sdk, names} = this.#counters;
    const counter = await sdk.get(this.document);
    // Google's samples use both names.
    this.#shards = counter.get(names.numShards) ?? counter.get('numShards');
    if (!(this.#shards > 0)) {
      throw new Error(`${this.document.path}: expected a counter with ${names.numShards}, found ${this.#shards}`);
    }
  }

  #randomShard() {
    return this.#shard(Math.floor(Math.random() * this.#shards));
  }

  #shard(number) {
    const {sdk, db, names} = this.#counters;
    return sdk.doc(db, `${this.document.path}/${names.shards}/${number}`);
  }
}
