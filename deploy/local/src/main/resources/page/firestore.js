// All calls of Firestore, by the Web SDK.
import {collectionOf} from '/counters.js';
import {initializeApp} from '/sdk/firebase-app.js';
import * as sdk from '/sdk/firebase-firestore.js';
import * as lite from '/sdk/firebase-firestore-lite.js';

const {collection, deleteDoc, doc, increment, limit, onSnapshot, query, serverTimestamp, setDoc, updateDoc} = sdk;

/** An id of this installation, as each client of Firebase's extension has one. */
const CLIENT = crypto.randomUUID();

/** The id of the page's user, and of that user's documents: the one in the line that `up` prints for clients. */
const USER = 'me';

const MOST_DELTA = 2 ** 40;

/** For the answers to all queries of a list. */
const PATIENCE_MILLIS = 20_000;

/**
 * Clients of the emulator: `user` is a signed-in person, whom the rules bind; `admin` watches all, whatever the rules say; `lists` is
 * for the same administrator's queries, each a request of its own.
 */
export function connect({project, database, emulator}) {
  const [host, port] = emulator.split(':');
  const open = ({getFirestore, connectFirestoreEmulator}, app, mockUserToken) => {
    const db = getFirestore(app);
    db._databaseId.database = database; // this version of the SDK has no parameter for it
    connectFirestoreEmulator(db, host, Number(port), {mockUserToken});
    return db;
  };
  const person = initializeApp({projectId: project});
  const owner = initializeApp({projectId: project}, 'admin');
  return {user: open(sdk, person, {user_id: USER}), admin: open(sdk, owner, 'owner'), lists: open(lite, owner, 'owner')};
}

/**
 * The first `most` documents of each collection in which totals, or the documents that they are of, may be. Fails if the emulator does
 * not answer in time: a query by the other clients would share the answer that an earlier one still waits for.
 */
export async function listAll(lists, entries, most) {
  const ids = entries.flatMap((entry) => (
    entry.fold.length ? entry.fold.map((document) => collectionOf({document})) : [collectionOf(entry), entry.rollups]));
  const late = new Promise((_, fail) => { setTimeout(() => fail(new Error('the emulator does not answer')), PATIENCE_MILLIS); });
  const all = Promise.all([...new Set(ids)].map(async (id) => {
    const {docs} = await lite.getDocs(lite.query(lite.collectionGroup(lists, id), lite.limit(most)));
    return [id, docs.map((each) => ({path: each.ref.path, data: each.data()}))];
  }));
  return new Map(await Promise.race([all, late]));
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
