// All calls of Firestore, by the Web SDK.
import {last} from '/counters.js';
import {initializeApp} from '/sdk/firebase-app.js';
import {
  collection, collectionGroup, connectFirestoreEmulator, deleteDoc, doc, getDocsFromServer, getFirestore, increment, limit, onSnapshot, query,
  setDoc, updateDoc,
} from '/sdk/firebase-firestore.js';

/** An id of this installation, as each client of Firebase's extension has one. */
const CLIENT = crypto.randomUUID();

/** The id of the page's user, and of that user's documents. */
export const USER = 'page';

const MOST_DELTA = 2 ** 40;

/** Two clients of the emulator: `admin` sees all, whatever the rules say; `user` is a signed-in person, whom they bind. */
export function connect({project, database, emulator}) {
  const [host, port] = emulator.split(':');
  const open = (mockUserToken, ...name) => {
    const db = getFirestore(initializeApp({projectId: project}, ...name));
    db._databaseId.database = database; // this version of the SDK has no parameter for it
    connectFirestoreEmulator(db, host, Number(port), {mockUserToken});
    return db;
  };
  return {user: open({user_id: USER}), admin: open('owner', 'admin')};
}

/** The first `most` documents of each collection in which counters, or folded documents, may be. */
export async function listAll(admin, entries, most) {
  const ids = entries.flatMap(({fold, counters, rollups}) => (fold.length ? fold.map((pattern) => pattern.split('/').at(-2)) : [last(counters), rollups]));
  return new Map(await Promise.all([...new Set(ids)].map(async (id) => {
    const {docs} = await getDocsFromServer(query(collectionGroup(admin, id), limit(most)));
    return [id, docs.map((each) => ({path: each.ref.path, data: each.data()}))];
  })));
}

/**
 * Watches the document with a counter's total, and at most `most` of its shards. Of people's documents, which may be many, the server
 * of this page counts and sums.
 */
export function watch(admin, counter, most, showTotal, showShards) {
  // On a slow machine the SDK tells of an empty cache first; that the server has nothing either changes metadata only.
  const all = {includeMetadataChanges: true};
  const stops = [
    onSnapshot(doc(admin, counter.totalIn), all, (found) => {
      if (found.exists() || !found.metadata.fromCache) showTotal(found.data());
    }),
    counter.documents ? ask(counter, showShards) : onSnapshot(query(collection(admin, counter.shards), limit(most)), all, (found) => {
      if (!found.empty || !found.metadata.fromCache) showShards(found.docs.map((shard) => ({id: shard.id, data: shard.data()})));
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

/** Asks once a second for the sum and the number of documents, and for whether the user has one. */
function ask({entry, shards}, show) {
  let next;
  const again = async () => {
    try {
      const answer = await fetch(`/documents/${`${entry ? `${entry}/` : ''}${shards}/${USER}`.split('/').map(encodeURIComponent).join('/')}`);
      if (answer.ok && next !== null) show(await answer.json());
    } catch {
      // A stack that is gone is told by the page.
    }
    if (next !== null) next = setTimeout(again, 1000);
  };
  again();
  return () => {
    clearTimeout(next);
    next = null;
  };
}

/** Adds a number to a random shard, as Google's sample does; or for a field, to the shard of this client. */
export function add(user, counter, shardIds, text) {
  const n = Number(text);
  if (!(Math.abs(n) <= MOST_DELTA)) throw new RangeError(`n: expected a number from -2^40 to 2^40, found ${text}`);
  if (counter.field) {
    return setDoc(doc(user, counter.shards, CLIENT), nested(counter.field, increment(n)), {merge: true});
  }
  const shard = shardIds[Math.floor(Math.random() * shardIds.length)];
  return updateDoc(doc(user, counter.shards, shard), {[counter.countField]: increment(n)});
}

/** Writes the user's own document: a like, or a rating. */
export function write(user, {shards, countField}, n) {
  return setDoc(doc(user, shards, USER), countField === '' ? {} : nested(countField.split('.'), n));
}

/** A map in a map, down to the value. */
function nested(way, value) {
  return way.reduceRight((inner, name) => ({[name]: inner}), value);
}

/** Deletes the user's own document. */
export function takeBack(user, {shards}) {
  return deleteDoc(doc(user, shards, USER));
}
