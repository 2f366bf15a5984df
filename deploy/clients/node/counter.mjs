// A counter on a Node server. The SDK finds the local stack by FIRESTORE_EMULATOR_HOST.
import {FieldValue, Firestore} from '@google-cloud/firestore';

/** As the settings of the functions have them; `count` is their COUNT_FIELD. */
const NAMES = {counters: 'counters', shards: 'shards', rollups: 'rollups', count: 'count'};

export function connect({projectId, databaseId = '(default)'}) {
  return new Firestore({projectId, databaseId});
}

/** Adds one to a random shard, which is made if nobody has created the counter. */
export function incrementCounter(db, id, shards, names = NAMES) {
  return randomShard(db, id, shards, names).set({[names.count]: FieldValue.increment(1)}, {merge: true});
}

/** As the oldest samples did it: slower, as increments of one shard wait for each other. */
export function incrementInTransaction(db, id, shards, names = NAMES) {
  return db.runTransaction(async (transaction) => {
    const shard = randomShard(db, id, shards, names);
    const count = (await transaction.get(shard)).get(names.count) ?? 0;
    transaction.set(shard, {[names.count]: count + 1}, {merge: true});
  });
}

/** Shows the total now and whenever it changes; returns what ends that. */
export function listenToTotal(db, id, show, names = NAMES) {
  const rollup = db.collection(names.rollups).doc(id);
  return rollup.onSnapshot((document) => show(document.get('count') ?? 0));
}

function randomShard(db, id, shards, names) {
  const shard = Math.floor(Math.random() * shards);
  return db.collection(names.counters).doc(id).collection(names.shards).doc(String(shard));
}
