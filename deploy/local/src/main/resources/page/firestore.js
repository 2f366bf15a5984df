// All calls of Firestore, by the Web SDK.
import {initializeApp} from '/sdk/firebase-app.js';
import {
  collection, collectionGroup, connectFirestoreEmulator, doc, getFirestore, increment, limit, onSnapshot, query, setDoc, updateDoc,
} from '/sdk/firebase-firestore.js';

/** An id of this installation, as each client of Firebase's extension has one. */
const CLIENT = crypto.randomUUID();
const MOST_DELTA = 2 ** 40;

/** Two clients of the emulator: `admin` sees all, whatever the rules say; `user` is a signed-in person, whom they bind. */
export function connect({project, database, emulator}) {
  const [host, port] = emulator.split(':');
  const open = (mockUserToken, ...name) => {
    const db = getFirestore(initializeApp({projectId: project}, ...name), database);
    connectFirestoreEmulator(db, host, Number(port), {mockUserToken});
    return db;
  };
  return {user: open({user_id: 'page'}), admin: open('owner', 'admin')};
}

/** Watches the first `most` documents of each collection in which counters, or counted documents, may be. */
export function watchAll(admin, names, most, changed) {
  const group = (id) => collectionGroup(admin, id);
  const sources = names.fold.length
    ? Object.fromEntries(names.fold.map((pattern) => [pattern.split('/').at(-2), group(pattern.split('/').at(-2))]))
    : {
      documents: group(names.counters.split('/').at(-1)),
      rollups: group(names.rollups),
      ...(names.polled && {polled: collection(admin, names.polled)}),
    };
  const found = {};
  const stops = Object.entries(sources).map(([name, source]) => onSnapshot(query(source, limit(most)), (snapshot) => {
    if (isUnknown(snapshot)) return;
    found[name] = snapshot.docs.map((each) => ({path: each.ref.path, data: each.data()}));
    changed(found, Object.values(found).some((documents) => documents.length === most));
  }));
  return () => stops.forEach((stop) => stop());
}

/** Watches the shards of one counter, or document; at most `most`. */
export function watchShards(admin, shards, most, show) {
  return onSnapshot(query(collection(admin, shards), limit(most)), (snapshot) => {
    if (!isUnknown(snapshot)) show(snapshot.docs.map((shard) => ({id: shard.id, data: shard.data()})));
  });
}

/** Until a slow server answers, the SDK reports no documents. */
function isUnknown(snapshot) {
  return snapshot.metadata.fromCache && snapshot.empty;
}

/** Adds a number to a random shard, as Google's sample does; or for a field, to the shard of this client. */
export function add(user, counter, shardIds, text) {
  const n = Number(text);
  if (!(Math.abs(n) <= MOST_DELTA)) throw new RangeError(`n: expected a number from -2^40 to 2^40, found ${text}`);
  if (counter.field) {
    const fields = counter.field.reduceRight((inner, name) => ({[name]: inner}), increment(n));
    return setDoc(doc(user, counter.shards, CLIENT), fields, {merge: true});
  }
  if (!shardIds.length) throw new RangeError('shards: expected one to count on, found none');
  const shard = shardIds[Math.floor(Math.random() * shardIds.length)];
  return updateDoc(doc(user, counter.shards, shard), {[counter.countField]: increment(n)});
}
