// Plays the recipes as users would, and prints each result: `name 1` for success, `name 0` if
// the rules refused it, `name 2` for any other failure.
import {initializeApp} from 'firebase/app';
import {connectFirestoreEmulator, deleteDoc, doc, getDoc, getFirestore, increment, setDoc, updateDoc, writeBatch} from 'firebase/firestore';
import {Counters} from 'tallyroll/web';
import * as recipes from './recipes.mjs';

const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
const alice = connect('alice');
const bob = connect('bob');
const nobody = connect();

await say('voted', recipes.vote(alice, 'alice', 'p', 'yes', 2));
await say('votedTwice', recipes.vote(alice, 'alice', 'p', 'yes', 2));
await say('votedForBob', recipes.vote(alice, 'bob', 'p', 'yes', 2));
await say('bobTookAliceBack', recipes.takeBack(bob, 'alice', 'p'));
await say('slipAlone', setDoc(doc(bob, 'polls/p/slips/bob'), {shard: doc(bob, 'polls/p/counters/yes/shards/0')}));
await say('shardAlone', updateDoc(doc(bob, 'polls/p/counters/yes/shards/0'), {count: increment(1)}));
await say('slipTornUp', deleteDoc(doc(alice, 'polls/p/slips/alice')));
await say('twoShards', twoShards(bob, 'bob'));
await say('tookBack', recipes.takeBack(alice, 'alice', 'p'));
await say('tookNothingBack', recipes.takeBack(alice, 'alice', 'p'));
await say('votedAgain', recipes.vote(alice, 'alice', 'p', 'no', 2));
await say('bobVoted', recipes.vote(bob, 'bob', 'p', 'no', 2));

const leaders = await recipes.leaders(nobody, 'g', 2);
leaders.forEach(({player, score}) => console.log(`${player} ${score}`));
await say('elevenLeaders', recipes.leaders(nobody, 'g', 11));

const hours = await recipes.hoursOf(nobody, 's', 'clicks', '2026-05-01');
console.log(`hours ${hours.size}`);
console.log(`noon ${hours.get(recipes.hourOf('clicks', new Date('2026-05-01T12:34:56Z')))}`);

const views = [];
new Counters(nobody).counter('home').listen((total) => views.push(total));
await say('viewed', home(bob, 'bob').add());
await say('viewedAtOnceAgain', home(bob, 'bob').add());
await say('viewedWithoutPass', new Counters(bob).counter('home').add());
await say('viewedByNobody', home(nobody, 'nobody').add());
await say('foreignTotal', getDoc(doc(nobody, 'polls/p/rollups/foreign')));
while (views.at(-1) !== 6) await new Promise((later) => { setTimeout(later, 100); });
console.log(`views ${views.at(-1)}`);
console.log('end 1');
process.stdin.resume().on('end', () => process.exit(0));

function home(db, uid) {
  return new Counters(db).withPass(uid).counter('home');
}

function connect(uid) {
  const db = getFirestore(initializeApp({projectId: process.env.GOOGLE_CLOUD_PROJECT}, uid ?? 'nobody'));
  connectFirestoreEmulator(db, host, Number(port), uid ? {mockUserToken: {sub: uid}} : {});
  return db;
}

async function say(what, promise) {
  try {
    await promise;
    console.log(`${what} 1`);
  } catch (failure) {
    const refused = failure.code === 'permission-denied';
    console.log(refused ? `${what} 0` : `${failure}\n${what} 2`);
  }
}

function twoShards(db, uid) {
  const batch = writeBatch(db);
  const shard = doc(db, 'polls/p/counters/yes/shards/0');
  batch.set(doc(db, `polls/p/slips/${uid}`), {shard});
  batch.update(shard, {count: increment(1)});
  batch.update(doc(db, 'polls/p/counters/yes/shards/1'), {count: increment(1)});
  return batch.commit();
}
