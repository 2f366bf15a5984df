// Plays what README.md prints on numbers to start from, and what it says of them. Prints what Firestore then holds.
import {Firestore} from '@google-cloud/firestore';
import {Firestore as Other} from 'firestore-7';
import {Counters} from 'tallyroll/node';
import {startAll, startFieldFrom, startFrom} from './starting.mjs';

const POSTS = 203; // three pages, the last one not full
const db = new Firestore();

await db.doc('pages/home').set({visits: 5, stats: {visits: 2}});
const writer = db.bulkWriter();
for (let i = 1; i < POSTS; i++) writer.set(db.doc(`posts/post${i}`), {likes: i});
writer.set(db.doc('posts/p'), {});
await writer.close();
await import('./starting-printed.mjs');
await import('./starting-printed.mjs?again');

// Stopped after a page, and begun behind it.
const seen = [];
let last;
const stop = new Error('stopped');
const start = async (post) => {
  seen.push(post.id);
  await startFrom(db.doc(`stories/${post.id}`), post.get('likes') ?? 0);
};
await startAll(db.collection('posts'), start, (id) => {
  last = id;
  throw stop;
}).catch((failure) => {
  if (failure !== stop) throw failure;
});
if (seen.length !== 100) throw new Error(`expected a page, found ${seen.length}`);
await startAll(db.collection('posts'), start, () => {}, last);
const bases = await db.getAll(...seen.map((id) => db.doc(`stories/${id}/shards/base`)));
bases.forEach((base, i) => {
  if (base.get('count') !== (Number(seen[i].slice('post'.length)) || 0)) throw new Error(`found ${base.get('count')} for ${seen[i]}`);
});
console.log(`posts started ${new Set(seen).size}`);

for (const number of [100, 100, 120]) await startFieldFrom(db.doc('pages/home'), 'visits', number);
for (const number of [10, 10]) await startFieldFrom(db.doc('pages/home'), 'stats.visits', number);
const page = await db.doc('pages/home').get();
console.log(`page ${page.get('visits')} ${page.get('stats.visits')}`);

// A second copy of the SDK, and numbers that no shard may hold.
const other = new Other();
await startFieldFrom(other.doc('pages/other'), 'visits', 1).catch(() => {}); // it is not there
await db.doc('pages/other').set({visits: 1});
await startFieldFrom(other.doc('pages/other'), 'visits', 4);
const ids = [];
await startAll(other.collection('posts'), (post) => ids.push(post.id), () => {});
for (const bad of [NaN, Infinity, 2 ** 53, '5', undefined]) {
  for (const call of [() => startFrom(db.doc('counters/bad'), bad), () => startFieldFrom(db.doc('pages/other'), 'visits', bad)]) {
    const failure = await call().then(() => 'none', (refusal) => refusal.message);
    if (!failure.includes(`below 2^53; found ${bad}`)) throw new Error(`expected a refusal of ${bad}; found ${failure}`);
  }
}
const written = await db.doc('counters/bad/shards/base').get();
console.log(`other ${(await db.doc('pages/other').get()).get('visits')} ${ids.length} ${written.exists}`);
