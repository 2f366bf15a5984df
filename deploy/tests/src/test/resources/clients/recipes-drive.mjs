// Plays the recipes as users would, and prints each result: `name 1` for success, `name 0` if
// the rules refused it, `name 2` for any other failure.
import {initializeApp} from 'firebase/app';
import {
  connectFirestoreEmulator, deleteDoc, disableNetwork, doc, enableNetwork, getDoc, getFirestore, increment, serverTimestamp, setDoc, updateDoc,
  writeBatch,
} from 'firebase/firestore';
import {once} from 'node:events';
import {connect as dial, createServer} from 'node:net';
import {Counters} from 'tallyroll/web';
import * as recipes from './recipes.mjs';

const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
const alice = connect('alice');
const bob = connect('bob');
const nobody = connect();

await say('voted', recipes.vote(alice, 'alice', 'p', 'yes', 2));
await say('votedTwice', recipes.vote(alice, 'alice', 'p', 'yes', 2));
await say('votedForAnother', recipes.vote(alice, 'alice', 'p', 'no', 2));
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

await say('slipMoved', updateDoc(doc(bob, 'polls/p/slips/bob'), {shard: doc(bob, 'polls/p/counters/no/shards/0')}));

// Eight users vote on eight shards; then a server takes six of them away.
const voters = Array.from({length: 8}, (_, number) => `voter${number}`).map((uid) => [connect(uid), uid]);
await Promise.all(voters.map(([db, uid]) => recipes.vote(db, uid, 'q', 'yes', 8)));
console.log('voters 8');
await once(process.stdin, 'data');
const lost = [];
for (const voter of voters) {
  const slip = await read(voter[0], () => getDoc(doc(voter[0], `polls/q/slips/${voter[1]}`)));
  if (Number(slip.get('shard').id) > 1) lost.push(voter);
}
const [db, uid] = lost[0];
for (const [what, to] of [['slipToNothing', 'yes/shards/5'], ['slipToAnotherChoice', 'no/shards/0']]) {
  await say(what, updateDoc(doc(db, `polls/q/slips/${uid}`), {shard: doc(db, `polls/q/counters/${to}`)}));
}
await say('slipOfAnother', updateDoc(doc(bob, `polls/q/slips/${uid}`), {shard: doc(bob, 'polls/q/counters/yes/shards/0')}));
for (const [page, name] of voters.slice(0, 7)) await recipes.takeBack(page, name, 'q');
for (const name of ['late1', 'late2', 'late3', 'late4']) await recipes.vote(connect(name), name, 'q', 'yes', 8);
console.log('lateVoters 4');

const leaders = await read(nobody, () => recipes.leaders(nobody, 'g', 2));
leaders.forEach(({player, score}) => console.log(`${player} ${score}`));
await say('elevenLeaders', recipes.leaders(nobody, 'g', 11));

const hours = await read(nobody, () => recipes.hoursOf(nobody, 's', 'clicks', '2026-05-01'));
console.log(`hours ${hours.size}`);
console.log(`noon ${hours.get(recipes.hourOf('clicks', new Date('2026-05-01T12:34:56Z')))}`);

// An empty cache is no leaderboard and no day.
await disableNetwork(alice);
await say('leadersOffline', recipes.leaders(alice, 'g', 2));
await say('hoursOffline', recipes.hoursOf(alice, 's', 'clicks', '2026-05-01'));

const views = [];
new Counters(nobody).counter('home').listen((total) => views.push(total));
const bobs = home(bob, 'bob');
await Promise.all([say('viewed', bobs.add()), say('viewedAtOnceAgain', bobs.add())]); // within a second, however slow this machine is
await say('viewedWithoutPass', new Counters(bob).counter('home').add());
await say('viewedByNobody', home(nobody, 'nobody').add());
await say('foreignTotal', getDoc(doc(nobody, 'polls/p/rollups/foreign')));
while (views.at(-1) !== 6) await new Promise((later) => { setTimeout(later, 100); });
console.log(`views ${views.at(-1)}`);

// What the SDK queues arrives at once; what waits in the app counts, click by click.
const carol = connect('carol');
await disableNetwork(carol);
const queued = [1, 2, 3, 4, 5].map(() => writeBatch(carol).update(doc(carol, 'counters/home/shards/0'), {count: increment(1)})
  .set(doc(carol, 'passes/carol'), {at: serverTimestamp(), shard: doc(carol, 'counters/home/shards/0')}).commit());
await enableNetwork(carol);
const refused = (await Promise.allSettled(queued)).filter(({status}) => status === 'rejected');
console.log(`queuedAndRefused ${refused.length > 0 ? 1 : 0}`);
const counted = [];
new Counters(nobody).counter('offline').listen((total) => counted.push(total));
const network = await between();
const click = recipes.clicks(connect('dave', network.port), 'dave', 'offline', 1);
await click();
network.fail();
const waiting = [click(), click(), click()];
await new Promise((later) => { setTimeout(later, 2_000); });
network.work();
await Promise.all(waiting);
network.loseReplies();
const unheard = click();
while (counted.at(-1) !== 5) await new Promise((later) => { setTimeout(later, 100); });
network.work();
await unheard;
console.log('waited 5');
while (counted.at(-1) !== 5) await new Promise((later) => { setTimeout(later, 100); });
console.log('end 1');
process.stdin.resume().on('end', () => process.exit(0));

function home(db, uid) {
  return new Counters(db).withPass(uid).counter('home');
}

/** A network between a page and the emulator. */
async function between() {
  const open = new Set();
  let up = true;
  let losing = false;
  let lost = false;
  const server = createServer((page) => {
    if (!up) return void page.destroy();
    const cloud = dial(Number(port), host);
    open.add(page);
    page.on('data', (data) => {
      lost ||= losing && data.includes('/shards/'); // a commit, and no read of a pass
      cloud.write(data);
    });
    cloud.on('data', (data) => lost || page.write(data));
    for (const [one, other] of [[page, cloud], [cloud, page]]) one.on('error', () => {}).on('close', () => other.destroy());
  });
  await once(server.listen(0, host), 'listening');
  const cut = () => open.forEach((page) => page.destroy());
  return {
    port: server.address().port,
    fail() { up = false; cut(); },
    loseReplies() { losing = true; },
    work() { [up, losing, lost] = [true, false, false]; cut(); },
  };
}

function connect(uid, at = port) {
  const db = getFirestore(initializeApp({projectId: process.env.GOOGLE_CLOUD_PROJECT}, uid ?? 'nobody'));
  connectFirestoreEmulator(db, host, Number(at), uid ? {mockUserToken: {sub: uid}} : {});
  return db;
}

/** Asks again on a new connection: the emulator breaks one in some thousands of reads (firebase-tools #8654). */
async function read(db, ask) {
  try {
    return await ask();
  } catch (failure) {
    if (failure.code !== 'unavailable') throw failure;
    await disableNetwork(db);
    await enableNetwork(db);
    return ask();
  }
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
