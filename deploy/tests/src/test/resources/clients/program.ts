// A user's program in TypeScript, under the strict rules: a server creates, a web page counts.
import {FieldValue, Firestore, Timestamp} from '@google-cloud/firestore';
import {initializeApp} from 'firebase/app';
import * as sdk from 'firebase/firestore';
import {connectFirestoreEmulator, getFirestore, type FirestoreError} from 'firebase/firestore';
import * as lite from 'firebase/firestore/lite';
import {Counters as Modular, Totals as ModularTotals} from 'tallyroll/modular';
import {FakeCounters, FakeTotals} from 'tallyroll/fake';
import {
  Counters as OnServer, Totals as TotalsOnServer, type BufferedCounters, type Counter as ServerCounter, type CounterTotal, type Increment, type Time,
} from 'tallyroll/node';
import {Counters, Totals, type Counter, type Entries, type Rollup, type TotalReader} from 'tallyroll/web';
import file from './totals.json' with {type: 'json'};

const [host, port] = process.env.FIRESTORE_EMULATOR_HOST!.split(':');
const projectId = process.env.GOOGLE_CLOUD_PROJECT!;
const web = getFirestore(initializeApp({projectId}));
connectFirestoreEmulator(web, host, Number(port), {mockUserToken: {sub: 'me'}});

Math.random = () => 0.9; // the last shard

const firestore = new Firestore({projectId});
const server = new OnServer(firestore);
await server.counter('stars').create(3, {});
const buffered: BufferedCounters = server.buffered({maxDelay: 20});
await buffered.counter('stars').add(4);
const large = buffered.counter('stars');
const adds = [2 ** 40, 1, -(2 ** 40), -1].map((n) => large.add(n));
if (adds[0] === adds[1] || adds[1] !== adds[3]) {
  throw new Error('expected a second sum after the largest one');
}
await buffered.close();
const counted: boolean = await server.counter('stars').addOnce('of-alice', 2);

const stars: Counter = new Counters(web, {counters: 'counters'}).withPass('me').counter('stars');
await stars.add();
await shows(7);

// A server resizes the counter, of which the page knows nothing; then the user may add at once.
await firestore.batch().update(firestore.doc('counters/stars'), {num_shards: 1})
  .update(firestore.doc('counters/stars/shards/0'), {count: 7})
  .delete(firestore.doc('counters/stars/shards/1')).delete(firestore.doc('counters/stars/shards/2'))
  .delete(firestore.doc('passes/me')).commit();
await stars.add();
await shows(8);
const total: number = await stars.total();
console.log(`${counted} ${total}`);

function shows(expected: number): Promise<void> {
  return new Promise((done) => {
    const stop: () => void = stars.listen((found) => {
      if (found === expected) {
        stop();
        done();
      }
    });
  });
}

// Wrong calls, of which the compiler must know. They are never made.
interface Post { title: string }

export async function wrong(post: Post, maybe: string | undefined) {
  // These are right.
  await server.counter('titled').create(10, post);
  const handle: ServerCounter = server.counter('stars', {shards: 3});
  const either: Counter = handle;
  const committed: Time = await handle.add();
  const {total: awaited}: Rollup = await handle.awaitTotal(committed, {timeout: 5000, signal: AbortSignal.timeout(1000)});
  await handle.awaitTotal((await firestore.doc('posts/p1/likes/u').set({})).writeTime);
  const one: Increment = await handle.prepare();
  await one.addTo(firestore.batch().create(firestore.doc('likes/u'), {})).commit();
  await firestore.runTransaction(async (transaction) => { one.addTo(transaction); });
  const [first]: CounterTotal[] = await server.top(3);
  await server.below('rooms/r1').list({prefix: 'clicks-', after: first?.id, limit: 5});
  const left: number = await handle.compact() + await handle.reset() + await handle.createMissing(3) + awaited;
  new Counters(web, {counters: maybe, ownRules: true}).counter('stars', {shards: left}).listen(console.log, (told: FirestoreError) => console.log(told.code));
  server.buffered({failed: (told: FirestoreError) => console.log(told.code), maxDelay: undefined});
  await new FakeCounters({count: maybe}).withPass('me').below('rooms/r1').counter('stars').resize(2);
  // @ts-expect-error: only servers resize
  await new Counters(web).counter('stars').resize(2);
  // @ts-expect-error: a time of Firestore's
  await handle.awaitTotal(new Date());
  console.log(either);
  new Counters(lite.getFirestore(), {sdk: lite});
  new Modular(web, {sdk, counters: 'posts'}).withPass('me');
  new OnServer(firestore, {sdk: {FieldValue, Timestamp}});
  const reader: TotalReader = stars;
  const {average, asOf}: Rollup = await reader.rollup();
  reader.listen((shown: number, {number}) => console.log(shown / number, average, asOf.getTime()));
  const totals = new Totals(web, file);
  const likes: TotalReader = totals.of('likes', 'posts/p1');
  await new TotalsOnServer(firestore, file).of('ratings', 'products/p1').awaitTotal(committed, {timeout: 5000});
  await new TotalsOnServer(firestore).of('counters', 'counters/stars').total();
  new ModularTotals(lite.getFirestore(), {likes: {of: 'posts/{post}/likes', document: maybe}}, {sdk: lite}).of('likes', 'posts/p1');
  const others: Entries = JSON.parse('{}');
  new Totals(web, others).of('any', 'posts/p1').listen(console.log, (told: FirestoreError) => console.log(told.code));
  new FakeTotals({$schema: './totals.schema.json', likes: {of: 'posts/{post}/likes', into: {count: 'likes'}}})
    .set('likes', 'posts/p1', {total: 3, number: 2, asOf: new Date()});
  // @ts-expect-error: no such entry
  totals.of('like', 'posts/p1');
  // @ts-expect-error: the schema is no entry
  new Totals(web, {$schema: './totals.schema.json', likes: {of: 'posts/{post}/likes'}}).of('$schema', 'posts/p1');
  // @ts-expect-error: the default file has counters only
  new Totals(web).of('likes', 'posts/p1');
  // @ts-expect-error: an entry is of a collection
  new Totals(web, {likes: {document: 'posts/{post}'}});
  // @ts-expect-error: a page waits for nothing
  await likes.awaitTotal(committed);
  // @ts-expect-error: a total is read only
  await new TotalsOnServer(firestore, file).of('likes', 'posts/p1').add();
  // @ts-expect-error: no SDK
  new ModularTotals(web, file);
  // @ts-expect-error: the other SDK's database
  new Totals(firestore, file);
  // @ts-expect-error: the other SDK's database
  new TotalsOnServer(web, file);
  // @ts-expect-error: how many were summed
  new FakeTotals(file).set('likes', 'posts/p1', {total: 3});
  // @ts-expect-error: no SDK
  new Modular(web);
  // @ts-expect-error: the other SDK's database
  new Counters(new Firestore());
  // @ts-expect-error: the other SDK's database
  new OnServer(web);
  // @ts-expect-error: a name that the functions do not have
  new Counters(web, {shard: 'shards'});
  // @ts-expect-error: only servers have a buffer
  new Counters(web).buffered();
  // @ts-expect-error: only clients need a pass
  server.withPass('me');
  // @ts-expect-error: a total is a number
  const text: string = await stars.total();
  // @ts-expect-error: a number of shards
  await server.counter(text).create('10');
}
process.exit();
