// Totals and counters with an SDK that has the Web SDK's modular API. Imports none. modular.d.ts says what each call does.
import {Counter, Counters as SharedCounters, failure, requireIncrement, requireShards, shardsFields} from './counters.js';
import {Totals as SharedTotals, check, requireSdk} from './totals.js';

const READING = ['doc', 'getDoc'];

const FUNCTIONS = [...READING, 'increment', 'runTransaction', 'serverTimestamp', 'writeBatch'];

/** React Native Firebase puts the name of its module first. */
const codeOf = ({code}) => (typeof code === 'string' ? code.replace(/^firestore\//, '') : code);

/** The rules refuse an update of a document that is not there. */
const isMissing = (refused) => ['not-found', 'permission-denied'].includes(codeOf(refused));

/** The functions of an SDK that read. */
const reading = (db, {doc, getDoc, onSnapshot}) => ({
  get: (path) => getDoc(doc(db, path)),

  listen(path, show, failed) {
    if (!onSnapshot) {
      throw new TypeError('sdk: expected onSnapshot, found none; firebase/firestore/lite cannot listen');
    }
    // Without these, the server's word that there is no document makes no snapshot after that of an empty cache.
    return onSnapshot(doc(db, path), {includeMetadataChanges: true}, show, failed);
  },
});

/** Those that write. */
const writing = (db, {Timestamp, doc, increment, runTransaction, writeBatch}) => ({
  /** Writes unless there is such a document; resolves to whether it has. */
  unless: (path, write) => runTransaction(db, async (transaction) => {
    const document = doc(db, path);
    const isNew = !(await transaction.get(document)).exists();
    if (isNew) {
      write(transaction, document);
    }
    return isNew;
  }),

  // Adding nothing creates what is missing, and never sets a shard to 0.
  makeShard: (transaction, path, field) => transaction.set(doc(db, path), {[field]: increment(0)}, {merge: true}),
  add: (writes, path, field, n) => writes.update(doc(db, path), {[field]: increment(n)}),
  timestamp: (millis) => Timestamp.fromMillis(millis),
  batch: () => writeBatch(db),
});

/** Why there may be no counter, and what helps. */
const NO_COUNTER = 'no such counter: a server creates it, by create(10), or by createMissing(10) if something of it is there';

class PageCounter extends Counter {
  constructor(counters, id, options) {
    super(counters, id, options);
    const {pass, ownRules} = counters;
    Object.assign(this.own(), {pass, ownRules});
  }

  async create(shards, fields = {}) {
    requireShards(shards);
    const {sdk, names, document} = this.own();
    const isNew = await sdk.unless(document, (transaction, counter) => {
      transaction.set(counter, {...fields, [names.numShards]: shards});
      this.firstShards(shards).forEach((shard) => sdk.makeShard(transaction, shard, names.count));
    });
    if (!isNew) {
      throw failure('already-exists', `${document}: expected no counter, found one that exists`);
    }
  }

  async add(n = 1) {
    const {sdk, names, document, pass, ownRules} = this.own();
    requireIncrement(n);
    check('n', "1 or -1, which is what Tallyroll's rules let pages add; rules of your own: new Counters(db, {ownRules: true})",
      n, ownRules || Math.abs(n) === 1);
    await this.atShard(async (shard) => {
      const passed = pass?.(document, shard);
      const batch = sdk.add(sdk.batch(), shard, names.count, n);
      if (passed) {
        batch.set(passed.document, passed.fields);
      }
      await batch.commit().catch(async (refused) => {
        if (codeOf(refused) !== 'permission-denied') {
          throw refused;
        }
        // The SDK sends a click again whose reply was lost. The rules refuse the second, but the first has counted.
        const counted = passed?.once && await passed.get().then((mine) => mine.exists(), () => false);
        if (!counted) {
          throw failure(refused.code, `${shard}: the rules refuse it: ${this.causes(n, passed)}`, refused);
        }
      });
    });
  }

  /** After a resize the shard may be missing, so a refused write reads the number of shards again. */
  async atShard(write) {
    const shards = await this.numShards();
    try {
      return await write(this.randomShard());
    } catch (refused) {
      if (!isMissing(refused)) {
        throw refused;
      }
      // Without a document, as for a counter whose number the page was told, there is no more to learn.
      this.remember(await this.readShards().catch((unread) => {
        throw codeOf(refused) === 'permission-denied' ? refused : unread;
      }));
      if (this.own().shards === shards) {
        throw refused;
      }
    }
    return write(this.randomShard());
  }

  /** The rules do not say why. */
  causes(n, passed) {
    return [
      ...(passed && !passed.once ? ["within a second of the user's last, which may be this one, sent again as its reply was lost"] : []),
      ...(n < 0 ? ['they are without the variant down'] : []),
      ...(Math.abs(n) === 1 ? [] : ['they do not allow this number']),
      `there is no such shard, which createMissing(${this.own().shards}) on a server makes, or no such counter`,
      'nobody is signed in',
      'Tallyroll\'s rules are not published',
    ].join('; or ');
  }

  async addOnce(name, n = 1) {
    requireIncrement(n);
    const {path, expiry} = this.name(name);
    const {sdk, names} = this.own();
    return this.atShard((shard) => sdk.unless(path, (transaction, once) => {
      transaction.set(once, {expire_at: sdk.timestamp(expiry)});
      sdk.add(transaction, shard, names.count, n);
    }));
  }

  async readShards() {
    const {sdk, names, document} = this.own();
    const counter = await sdk.get(document).catch((refused) => {
      throw codeOf(refused) === 'permission-denied' ? this.noCounter(refused) : refused;
    });
    const shards = Number(shardsFields(names).map((name) => counter.get(name)).find((found) => found !== undefined));
    if (!(shards > 0)) {
      throw failure('not-found', `${document}: ${NO_COUNTER}; expected ${names.numShards}, found none`);
    }
    return shards;
  }

  /** Tallyroll's rules refuse a document that is not there, and one with fields of the app. */
  noCounter(refused) {
    return failure(refused.code, `${this.own().document}: ${NO_COUNTER}; or the rules do not show it: they are not published, the `
      + 'user is not signed in, or it has other fields than its number of shards', refused);
  }
}

function requireDatabase(db, {doc}) {
  try {
    doc(db, 'counters/any');
  } catch (wrong) {
    throw new TypeError('db: expected a database of the SDK whose functions are used, found one of another SDK, '
      + 'copy or module format; hand over its functions as the option {sdk}', {cause: wrong});
  }
}

const has = (sdk, functions) => functions.every((name) => typeof sdk?.[name] === 'function');

export class Totals extends SharedTotals {
  constructor(db, file, {sdk} = {}) {
    requireSdk(`the functions ${READING.join(', ')}`, sdk, has(sdk, READING));
    requireDatabase(db, sdk);
    super(reading(db, sdk), file);
  }
}

export class Counters extends SharedCounters {
  constructor(db, options, parent) {
    const {sdk, ownRules = false, ...names} = options ?? {};
    requireSdk(`Timestamp and the functions ${FUNCTIONS.join(', ')}`, sdk, has(sdk, FUNCTIONS) && sdk.Timestamp?.fromMillis);
    requireDatabase(db, sdk);
    super({...reading(db, sdk), ...writing(db, sdk)}, PageCounter, names, parent);
    Object.assign(this.own(), {ownRules, pass: undefined, database: () => [db, sdk]});
  }

  withPass(uid, {once = false} = {}) {
    const [db, {doc, getDoc, serverTimestamp}] = this.own().database();
    return this.with({
      pass(counter, path) {
        const [document, shard] = [doc(db, `${once ? `${counter}/` : ''}passes/${uid}`), doc(db, path)];
        return {once, document, fields: {at: serverTimestamp(), shard: once ? shard.id : shard}, get: () => getDoc(document)};
      },
    });
  }
}
