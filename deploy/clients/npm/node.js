// Totals and counters on a Node server. node.d.ts says what each call does.
import {Plus, ServerCounters, ServerTotalReader} from './server.js';
import {Totals as SharedTotals, check, requireSdk} from './totals.js';

/**
 * One commit, which is not tried again: over REST, the SDK takes a document that exists for contention. Without reads,
 * this begins no transaction.
 */
const commitOnce = (db, write) => db.runTransaction(async (commit) => write(commit), {maxAttempts: 1});

/**
 * What is in a shard: the SDK's numbers do not tell integers from doubles, nor hold large ones. A bundle does both, and it
 * is the SDK's one public form of a document that does. It is JSON, each element after its length.
 */
function exactCount(db, shard, field) {
  const bundle = db.bundle('shard').add(shard).build();
  for (let at = 0, text = bundle.toString('latin1'); at < text.length;) {
    const [digits] = text.slice(at).match(/^\d+/);
    const end = at + digits.length + Number(digits);
    const {document} = JSON.parse(bundle.subarray(at + digits.length, end).toString());
    if (document) {
      const {integerValue, doubleValue, ...other} = document.fields?.[field] ?? {};
      return integerValue !== undefined ? BigInt(integerValue) : doubleValue !== undefined ? Number(doubleValue) : Object.keys(other)[0];
    }
    at = end;
  }
  return undefined;
}

const reading = (db) => ({
  get: (path) => db.doc(path).get(),
  listen: (path, show, failed) => db.doc(path).onSnapshot(show, failed),
});

const on = (db, {FieldValue, AggregateField}) => {
  const own = (fields) => Object.fromEntries(Object.entries(fields)
    .map(([name, value]) => [name, value instanceof Plus ? FieldValue.increment(value.n) : value]));

  function write(commit, {create, update, merge, delete: gone, fields, at}) {
    const precondition = at && {lastUpdateTime: at};
    if (create) {
      commit.create(db.doc(create), own(fields));
    } else if (merge) {
      commit.set(db.doc(merge), own(fields), {merge: true});
    } else if (update) {
      commit.update(db.doc(update), own(fields), ...(at ? [precondition] : []));
    } else {
      commit.delete(db.doc(gone), ...(at ? [precondition] : []));
    }
  }

  const writeAll = (commit, writes) => writes.forEach((one) => write(commit, one));

  return {
    ...reading(db),
    all: (paths) => db.getAll(...paths.map((path) => db.doc(path))),

    async shards(collection, field, limit) {
      const read = await db.collection(collection).select(field).limit(limit).get();
      return {
        shards: read.docs.map((shard) => ({id: shard.id, count: exactCount(db, shard, field), updateTime: shard.updateTime})),
        readTime: read.readTime,
      };
    },

    async sum(collection, field) {
      if (!AggregateField) {
        throw new TypeError('sdk: expected AggregateField, found none');
      }
      return (await db.collection(collection).aggregate({total: AggregateField.sum(field)}).get()).data().total ?? NaN;
    },

    ids: async (collection, limit) => (await db.collection(collection).select().limit(limit).get()).docs.map(({id}) => id),

    async page(collection, {orderBy, prefix, after, limit}) {
      let query = db.collection(collection).orderBy(orderBy, orderBy === 'count' ? 'desc' : 'asc');
      if (prefix) {
        // No id that begins with the prefix sorts after it and the last character.
        query = query.where('__name__', '>=', prefix).where('__name__', '<=', `${prefix}\u{10ffff}`);
      }
      return (await (after ? query.startAfter(after) : query).limit(limit).get()).docs;
    },

    add: async (path, field, n) => (await db.doc(path).update({[field]: FieldValue.increment(n)})).writeTime,
    commit: (writes) => commitOnce(db, (commit) => writeAll(commit, writes)),

    unless: (path, writes) => db.runTransaction(async (transaction) => {
      const isNew = !(await transaction.get(db.doc(path))).exists;
      if (isNew) {
        writeAll(transaction, writes);
      }
      return isNew;
    }),

    addTo: (increment, writes, path, field, n) => writes.update(db.doc(path), {[field]: FieldValue.increment(n)}),
  };
};

export class Totals extends SharedTotals {
  constructor(db, file) {
    const isDatabase = typeof db?.doc === 'function' && typeof db.runTransaction === 'function';
    check('db', 'a database of @google-cloud/firestore or firebase-admin', db?.constructor?.name ?? db, isDatabase);
    super(reading(db), file, ServerTotalReader);
  }
}

export class Counters extends ServerCounters {
  /** The class of a database has what its package exports, so this is the right copy. */
  constructor(db, options, parent) {
    const {sdk = db?.constructor, ...names} = options ?? {};
    const isFirestore = sdk?.FieldValue?.increment && typeof db?.runTransaction === 'function';
    requireSdk('a database of @google-cloud/firestore or firebase-admin, or its {FieldValue, AggregateField} as {sdk}', sdk, isFirestore);
    super(on(db, sdk), names, parent);
  }
}
