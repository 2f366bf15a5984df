// What any web page would do, with the Web SDK, under the rules that are deployed.
import {initializeApp} from '/sdk/firebase-app.js';
import {
  connectFirestoreEmulator, doc, getFirestore, increment, onSnapshot, updateDoc,
} from '/sdk/firebase-firestore.js';

/** Signed in, as the rules ask of whoever counts. */
export function connect({project, emulator}) {
  const db = getFirestore(initializeApp({projectId: project}));
  const [host, port] = emulator.split(':');
  connectFirestoreEmulator(db, host, Number(port), {mockUserToken: {user_id: 'console'}});
  return db;
}

/** Adds one to a random shard, as Google's sample does. */
export function incrementCounter(db, names, id, shards) {
  const shard = String(Math.floor(Math.random() * shards));
  return updateDoc(doc(db, names.counters, id, names.shards, shard), {[names.count]: increment(1)});
}

/** Shows the roll-up now and whenever it changes: one read each time. */
export function listenToTotal(db, names, id, show, fail) {
  return onSnapshot(doc(db, names.rollups, id), (rollup) => {
    // Before a slow server has answered, the SDK says that there is none.
    if (rollup.metadata.fromCache && !rollup.exists()) return;
    show({
      count: rollup.get('count') ?? 0,
      asOf: rollup.get('as_of')?.toMillis() ?? 0,
      live: rollup.get('live_until') !== undefined,
    });
  }, fail);
}
