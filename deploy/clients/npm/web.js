// Counters on a web page, with the modular Web SDK. web.d.ts says what each call does.
import {
  Timestamp, doc, getDoc, increment, onSnapshot, runTransaction, serverTimestamp, writeBatch,
} from 'firebase/firestore';
import {Counters as Shared} from './counters.js';

const SDK = {
  // The rules refuse an update of a document that is not there.
  missing: ['not-found', 'permission-denied'],
  doc,
  get: getDoc,
  listen: onSnapshot,

  create: (db, documents) => runTransaction(db, async (transaction) => {
    const [[counter]] = documents;
    if ((await transaction.get(counter)).exists()) {
      throw new Error(`${counter.path}: expected no counter, found one`);
    }
    documents.forEach(([document, fields]) => transaction.set(document, fields));
  }),

  add(db, shard, field, n, pass) {
    const batch = writeBatch(db).update(shard, {[field]: increment(n)});
    if (pass) {
      batch.set(...pass);
    }
    return batch.commit();
  },

  addOnce: (db, once, expiry, shard, field, n) => runTransaction(db, async (transaction) => {
    if ((await transaction.get(once)).exists()) {
      return false;
    }
    transaction.set(once, {expire_at: Timestamp.fromMillis(expiry)});
    transaction.update(shard, {[field]: increment(n)});
    return true;
  }),
};

export class Counters extends Shared {
  constructor(db, names, parent) {
    super(SDK, db, names, parent);
  }

  withPass(uid, {once = false} = {}) {
    return this.with({
      pass: (counter, shard) => [
        doc(this.db, `${once ? `${counter.path}/` : ''}passes/${uid}`),
        {at: serverTimestamp(), shard: once ? shard.id : shard},
      ],
    });
  }
}
