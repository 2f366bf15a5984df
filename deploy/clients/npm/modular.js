// Counters with an SDK that has the Web SDK's modular API. Imports none. modular.d.ts says what each call does.
import {Counters as Shared, codeOf, requireSdk} from './counters.js';

const FUNCTIONS = ['doc', 'getDoc', 'increment', 'runTransaction', 'serverTimestamp', 'writeBatch'];

const on = ({Timestamp, doc, getDoc, increment, onSnapshot, runTransaction, writeBatch}) => ({
  // The rules refuse an update of a document that is not there.
  missing: ['not-found', 'permission-denied'],
  exists: 'already-exists',
  get: getDoc,

  doc(db, path) {
    try {
      return doc(db, path);
    } catch (failure) {
      throw new TypeError('db: expected a database of the SDK whose functions are used, found one of another SDK, '
        + 'copy or module format; hand over its functions as new Counters(db, {sdk})', {cause: failure});
    }
  },

  listen(document, show, failed) {
    if (!onSnapshot) {
      throw new TypeError('sdk: expected onSnapshot, found none; firebase/firestore/lite cannot listen');
    }
    // Without these, the server's word that there is no document makes no snapshot after that of an empty cache.
    return onSnapshot(document, {includeMetadataChanges: true}, show, failed);
  },

  create: (db, counter, fields, shards, field) => runTransaction(db, async (transaction) => {
    const isNew = !await isThere(transaction, counter);
    if (isNew) {
      transaction.set(counter, fields);
      // Adding nothing creates what is missing, and never sets a shard to 0.
      shards.forEach((shard) => transaction.set(shard, {[field]: increment(0)}, {merge: true}));
    }
    return isNew;
  }),

  async add(db, shard, field, n, pass) {
    const batch = writeBatch(db).update(shard, {[field]: increment(n)});
    if (pass) {
      batch.set(pass.document, pass.fields);
    }
    await batch.commit().catch(async (refused) => {
      if (!pass || codeOf(refused) !== 'permission-denied') {
        throw refused;
      }
      // The SDK sends a click again whose reply was lost. The rules refuse the second, but the first has counted.
      const counted = pass.once && await getDoc(pass.document).then((mine) => mine.exists(), () => false);
      if (!counted) {
        const why = pass.once ? 'no such shard, or nobody is signed in'
          : "within a second of the user's last, no such shard, or it has counted and the reply was lost";
        throw Object.assign(new Error(`${shard.path}: the rules refuse it: ${why}`, {cause: refused}), {code: refused.code});
      }
    });
  },

  addOnce: (db, once, expiry, shard, field, n) => runTransaction(db, async (transaction) => {
    const isNew = !await isThere(transaction, once);
    if (isNew) {
      transaction.set(once, {expire_at: Timestamp.fromMillis(expiry)});
      transaction.update(shard, {[field]: increment(n)});
    }
    return isNew;
  }),
});

const isThere = async (transaction, document) => (await transaction.get(document)).exists();

export class Counters extends Shared {
  constructor(db, options, parent) {
    const {sdk, ...names} = options ?? {};
    const isModular = FUNCTIONS.every((name) => typeof sdk?.[name] === 'function') && sdk.Timestamp?.fromMillis;
    requireSdk(`Timestamp and the functions ${FUNCTIONS.join(', ')}`, sdk, isModular);
    super(on(sdk), db, names, parent);
    this.functions = sdk;
  }

  withPass(uid, {once = false} = {}) {
    const {doc, serverTimestamp} = this.functions;
    return this.with({
      pass: (counter, shard) => ({
        once,
        document: doc(this.db, `${once ? `${counter.path}/` : ''}passes/${uid}`),
        fields: {at: serverTimestamp(), shard: once ? shard.id : shard},
      }),
    });
  }
}
