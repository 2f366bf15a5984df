// A counter on a web page, with the modular Web SDK.
import {initializeApp} from 'firebase/app';
import {
  connectFirestoreEmulator, doc, getFirestore, increment, onSnapshot, runTransaction, updateDoc, writeBatch,
} from 'firebase/firestore';

/** As the settings of the functions have them; `count` is their COUNT_FIELD. */
const NAMES = {
  counters: 'counters', shards: 'shards', rollups: 'rollups', count: 'count', numShards: 'num_shards',
};

/** With `emulator`, such as 127.0.0.1:8080, this is the local stack. */
export function connect({databaseId = '(default)', emulator, ...config}) {
  const db = getFirestore(initializeApp(config), databaseId);
  if (emulator) {
    const [host, port] = emulator.split(':');
    connectFirestoreEmulator(db, host, Number(port));
  }
  return db;
}

/** The counter and its shards, all at zero, in one batch. */
export function createCounter(db, id, shards, names = NAMES) {
  const batch = writeBatch(db);
  batch.set(doc(db, names.counters, id), {[names.numShards]: shards});
  for (let shard = 0; shard < shards; shard++) {
    batch.set(doc(db, names.counters, id, names.shards, String(shard)), {[names.count]: 0});
  }
  return batch.commit();
}

/** Adds one to a random shard. */
export function incrementCounter(db, id, shards, names = NAMES) {
  return updateDoc(randomShard(db, id, shards, names), {[names.count]: increment(1)});
}

/** As the oldest samples did it: slower, as increments of one shard wait for each other. */
export function incrementInTransaction(db, id, shards, names = NAMES) {
  return runTransaction(db, async (transaction) => {
    const shard = randomShard(db, id, shards, names);
    const count = (await transaction.get(shard)).get(names.count);
    transaction.update(shard, {[names.count]: count + 1});
  });
}

/** Shows the total now and whenever it changes; returns what ends that. */
export function listenToTotal(db, id, show, names = NAMES) {
  return onSnapshot(doc(db, names.rollups, id), (rollup) => show(rollup.get('count') ?? 0));
}

function randomShard(db, id, shards, names) {
  return doc(db, names.counters, id, names.shards, String(Math.floor(Math.random() * shards)));
}
