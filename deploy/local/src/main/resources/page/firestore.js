// The calls of a client: any web page can make them with the Web SDK, under the rules in force.
import {initializeApp} from '/sdk/firebase-app.js';
import {
  connectFirestoreEmulator, doc, getFirestore, increment, onSnapshot, updateDoc,
} from '/sdk/firebase-firestore.js';

/** Connects as a signed-in user, because the rules let only such users count. */
export function connect({project, emulator}) {
  const db = getFirestore(initializeApp({projectId: project}));
  const [host, port] = emulator.split(':');
  connectFirestoreEmulator(db, host, Number(port), {mockUserToken: {user_id: 'page'}});
  return db;
}

/** Adds one to a random shard, as Google's sample does. */
export function incrementCounter(db, countField, {shardsPath, shards}) {
  const shard = String(Math.floor(Math.random() * shards));
  return updateDoc(doc(db, shardsPath, shard), {[countField]: increment(1)});
}

/** Shows the roll-up now and whenever it changes: one read each time. One without the counter's mark is another's. */
export function listenToTotal(db, {rollupPath, shardsPath}, show, fail) {
  return onSnapshot(doc(db, rollupPath), (rollup) => {
    // Until a slow server answers, the SDK reports a missing document.
    if (rollup.metadata.fromCache && !rollup.exists()) return;
    const isOurs = shardsPath.startsWith(`${rollup.get('counter')}/`);
    show({count: isOurs ? rollup.get('count') : undefined, live: isOurs && rollup.get('live_until') !== undefined});
  }, fail);
}
