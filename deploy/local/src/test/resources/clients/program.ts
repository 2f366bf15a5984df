// A user's program in TypeScript, under the strict rules: a server creates, a web page counts.
import {Firestore} from '@google-cloud/firestore';
import {initializeApp} from 'firebase/app';
import {connectFirestoreEmulator, getFirestore} from 'firebase/firestore';
import {Counters as OnServer, type BufferedCounters} from 'tallyroll/node';
import {Counters, type Counter} from 'tallyroll/web';

const [host, port] = process.env.FIRESTORE_EMULATOR_HOST!.split(':');
const projectId = process.env.GOOGLE_CLOUD_PROJECT!;
const web = getFirestore(initializeApp({projectId}));
connectFirestoreEmulator(web, host, Number(port), {mockUserToken: {sub: 'me'}});

const server = new OnServer(new Firestore({projectId}));
await server.counter('stars').create(3, {});
const buffered: BufferedCounters = server.buffered({maxDelay: 20});
await buffered.counter('stars').add(4);
await buffered.close();
const counted: boolean = await server.counter('stars').addOnce('of-alice', 2);

const stars: Counter = new Counters(web, {counters: 'counters'}).withPass('me').counter('stars');
const shown = new Promise<number>((done) => {
  const stop: () => void = stars.listen((total) => { if (total === 7) { stop(); done(total); } });
});
await stars.add();
const total: number = await shown;
console.log(`${counted} ${total}`);

// Wrong calls, of which the compiler must know. They are never made.
export async function wrong() {
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
