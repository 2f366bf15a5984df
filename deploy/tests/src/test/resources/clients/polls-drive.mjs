// Takes back the votes of a poll on a server, while users vote under the rules. Fails where a total differs from the number of slips.
import {Firestore} from '@google-cloud/firestore';
import {initializeApp} from 'firebase/app';
import {connectFirestoreEmulator, getFirestore} from 'firebase/firestore';
import {Counters} from 'tallyroll/node';
import {clearVotes} from './polls.mjs';
import {takeBack, vote} from './recipes.mjs';

const VOTES = 450; // three batches
const db = new Firestore();
const poll = db.doc('polls/r');
const shard = (choice, id) => poll.collection(`counters/${choice}/shards`).doc(`${id}`);
const slip = (uid) => poll.collection('slips').doc(uid);
const polls = new Counters(db);
await polls.below('polls/r').counter('yes').create(8);
await polls.below('polls/r').counter('no').create(1);
await polls.below('polls/s').counter('yes').create(1);

const pages = new Map(['a-ann', 'a-bob', 'a-cy', 'zoe'].map((uid) => [uid, connect(uid)]));
await castVotes();
await vote(pages.get('a-ann'), 'a-ann', 'r', 'yes', 8);
await vote(pages.get('a-bob'), 'a-bob', 'r', 'no', 1);
// Eve's slip names a shard of another poll, for which she has voted, too.
await slip('a-eve').set({shard: db.doc('polls/s/counters/yes/shards/0')});
await takeAway(7); // a server has made the counter smaller

// Between the reads and the commit of the first batch, a user votes, one takes back, and a shard goes. Ann stays for the end.
const duringCommit = [
  async () => {
    await vote(pages.get('a-cy'), 'a-cy', 'r', 'yes', 6);
    await takeBack(pages.get('a-bob'), 'a-bob', 'r');
  },
  () => takeAway(6),
];
const stopped = new Error('stopped');
let commits = 0;
const hook = hookCommits(async () => duringCommit.shift()?.(), async () => {
  await votes();
  if (++commits === 2) throw stopped; // its reply was lost
});
const failure = await clearVotes(poll).catch((thrown) => thrown);
expect('a clearing that stops', stopped, failure);
expect('votes when it stopped', true, await votes() > 0);
duringCommit.push(async () => {
  await vote(pages.get('zoe'), 'zoe', 'r', 'no', 1);
  await vote(pages.get('a-bob'), 'a-bob', 'r', 'no', 1); // behind which the clearing is
});
await clearVotes(poll);
expect('votes that came too late', 1, await votes());
expect('events of the test that have not happened', 0, duringCommit.length);
await clearVotes(poll);
expect('votes', 0, await votes());
expect('another poll', 0, (await db.doc('polls/s/counters/yes/shards/0').get()).get('count'));

await takeBack(pages.get('a-ann'), 'a-ann', 'r')
  .then(() => expect('taken back', 'a refusal', 'none'), ({message}) => expect('taken back', true, message.endsWith('found none')));
await vote(pages.get('a-ann'), 'a-ann', 'r', 'yes', 6);
expect('votes of a cleared poll', 1, await votes());

// The counter is deleted and made again; its slips go in between.
hook.end();
await castVotes();
for (const document of await poll.collection('counters/yes/shards').listDocuments()) await document.delete();
expect('slips of a deleted counter', VOTES + 1, await clearVotes(poll));
await castVotes();
hookCommits((slips) => { // users who take back are faster than large batches
  if (slips > 60) throw Object.assign(new Error('overtaken'), {code: 10});
}, () => {});
expect('cleared', VOTES, await clearVotes(poll));
expect('votes in the end', 0, await votes());
console.log('polls cleared');
process.exit(0); // pages keep their connections for a minute

/** Votes as users cast them, by a server. */
async function castVotes() {
  const writer = db.bulkWriter();
  for (let i = 0; i < VOTES; i++) writer.set(slip(`user${i}`), {shard: shard('yes', i % 8)});
  for (let id = 0; id < 8; id++) {
    const count = Math.ceil((VOTES - id) / 8);
    writer.set(shard('yes', id), {count: Firestore.FieldValue.increment(count)}, {merge: true});
  }
  await writer.close();
}

/** As a server does that makes a counter smaller: the votes go to shard 0. */
function takeAway(id) {
  return db.runTransaction(async (transaction) => {
    const gone = await transaction.get(shard('yes', id));
    transaction.delete(gone.ref).update(shard('yes', 0), {count: Firestore.FieldValue.increment(gone.get('count'))});
  });
}

/** The number of votes, which is that of the slips, but for Eve's. */
async function votes() {
  const [all, slips] = await db.runTransaction(async (read) => {
    const counters = await Promise.all(['yes', 'no'].map((choice) => read.get(poll.collection(`counters/${choice}/shards`))));
    return [counters.flatMap(({docs}) => docs), (await read.get(poll.collection('slips'))).docs];
  }, {readOnly: true});
  const total = all.reduce((sum, found) => sum + found.get('count'), 0);
  expect('votes', slips.filter(({id}) => id !== 'a-eve').length, total);
  return total;
}

/** Does this before each commit of a batch by the server, with the number of its slips, and this after it. */
function hookCommits(before, after) {
  const batch = db.batch.bind(db);
  db.batch = () => {
    const made = batch();
    const [commit, remove] = [made.commit.bind(made), made.delete.bind(made)];
    let slips = 0;
    made.delete = (...slip) => {
      slips++;
      return remove(...slip);
    };
    made.commit = async () => {
      await before(slips);
      await commit();
      await after();
    };
    return made;
  };
  return {end() { db.batch = batch; }};
}

function connect(uid) {
  const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
  const page = getFirestore(initializeApp({projectId: process.env.GOOGLE_CLOUD_PROJECT}, uid));
  connectFirestoreEmulator(page, host, Number(port), {mockUserToken: {sub: uid}});
  return page;
}

function expect(what, right, found) {
  if (found !== right) throw new Error(`${what}: expected ${right}, found ${found}`);
}
