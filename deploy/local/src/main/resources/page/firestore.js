// All calls of Firestore, by the Web SDK.
import {collectionOf} from '/counters.js';
import {initializeApp} from '/sdk/firebase-app.js';
import {
  collection, collectionGroup, connectFirestoreEmulator, deleteDoc, doc, getDocsFromServer, getFirestore, increment, limit, onSnapshot, query,
  serverTimestamp, setDoc, updateDoc,
} from '/sdk/firebase-firestore.js';

/** An id of this installation, as each client of Firebase's extension has one. */
const CLIENT = crypto.randomUUID();

/** The id of the page's user, and of that user's documents: the one in the line that `up` prints for clients. */
const USER = 'me';

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

/** The first `most` documents of each collection in which totals, or the documents that they are of, may be. */
export async function listAll(admin, entries, most) {
  const ids = entries.flatMap((entry) => (
    entry.fold.length ? entry.fold.map((document) => collectionOf({document})) : [collectionOf(entry), entry.rollups]));
  return new Map(await Promise.all([...new Set(ids)].map(async (id) => {
    const {docs} = await getDocsFromServer(query(collectionGroup(admin, id), limit(most)));
    return [id, docs.map((each) => ({path: each.ref.path, data: each.data()}))];
  })));
}

/**
 * Watches the document with a counter's total, the app's own if it shows the total, and at most `most` of its shards. Of people's
 * documents, which may be many, the server of this page counts and sums.
 */
export function watch(admin, counter, most, {showTotal, showDocument, showShards}) {
  // On a slow machine the SDK tells of an empty cache first; that the server has nothing either changes metadata only.
  const all = {includeMetadataChanges: true};
  const watchDocument = (path, show) => onSnapshot(doc(admin, path), all, (found) => {
    if (found.exists() || !found.metadata.fromCache) show(found.data());
  });
  const stops = [
    watchDocument(counter.totalIn, showTotal),
    counter.shows ? watchDocument(counter.document, showDocument) : () => {},
    counter.documents ? ask(counter, showShards) : onSnapshot(query(collection(admin, counter.shards), limit(most)), all, (found) => {
      if (!found.empty || !found.metadata.fromCache) showShards(found.docs.map((shard) => ({id: shard.id, data: shard.data()})));
    }),
  ];
  return () => stops.forEach((stop) => stop());
}

/** Asks once a second for the sum and the number of documents, and for whether the user has one. */
function ask(counter, show) {
  let next;
  const again = async () => {
    try {
      const answer = await fetch(`/documents/${`${counter.entry}/${counter.document}`.split('/').map(encodeURIComponent).join('/')}`);
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

/** The path of the user's own document among those that a total counts. */
export function mine({shards}) {
  return `${shards}/${USER}`;
}

/** Adds a number to a random shard, as Google's sample does; or for a field, to the shard of this client. */
export async function add(user, counter, shardIds, text) {
  const n = Number(text);
  if (!(Math.abs(n) <= MOST_DELTA)) throw new RangeError(`n: expected a number from -2^40 to 2^40, found ${text}`);
  const id = counter.field ? CLIENT : shardIds[Math.floor(Math.random() * shardIds.length)];
  const shard = doc(user, counter.shards, id);
  await told(`an increment of ${shard.path} by ${n}`, counter.field
    ? setDoc(shard, nested(counter.field, increment(n)), {merge: true})
    : updateDoc(shard, {[counter.countField]: increment(n)}));
}

/** Writes the user's own document as a user of the app would: a like with its time, a rating with its number. */
export function write(user, counter, n) {
  const {countField} = counter;
  const [what, data] = countField ? [` with ${countField} ${n}`, nested(countField.split('.'), n)] : ['', {at: serverTimestamp()}];
  return told(`${mine(counter)}${what}`, setDoc(doc(user, mine(counter)), data));
}

/** Deletes the user's own document. */
export function takeBack(user, counter) {
  return told(`the deletion of ${mine(counter)}`, deleteDoc(doc(user, mine(counter))));
}

/** Waits for a write. If rules refuse it, the message tells what they refuse. */
async function told(what, written) {
  try {
    await written;
  } catch (refused) {
    if (refused.code !== 'permission-denied') throw refused;
    throw new Error(`the rules in force refuse ${what} (${refused.message.replace('PERMISSION_DENIED:', '').trim()})`);
  }
}

/** A map in a map, down to the value. */
function nested(way, value) {
  return way.reduceRight((inner, name) => ({[name]: inner}), value);
}
