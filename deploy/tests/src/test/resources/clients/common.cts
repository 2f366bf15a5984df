// An app in CommonJS: a page of Jest or of a server, and a server.
import {Firestore} from '@google-cloud/firestore';
import {initializeApp} from 'firebase/app';
import {connectFirestoreEmulator, getFirestore} from 'firebase/firestore';
import * as lite from 'firebase/firestore/lite';
import {FakeTotals} from 'tallyroll/fake';
import {Counters as Modular} from 'tallyroll/modular';
import {Counters as OnServer} from 'tallyroll/node';
import {Counters} from 'tallyroll/web';

const [host, port] = process.env.FIRESTORE_EMULATOR_HOST!.split(':');
const projectId = process.env.GOOGLE_CLOUD_PROJECT!;
const app = initializeApp({projectId});
const web = getFirestore(app);
connectFirestoreEmulator(web, host, Number(port), {mockUserToken: 'owner'});
const pageOfLite = lite.getFirestore(app);
lite.connectFirestoreEmulator(pageOfLite, host, Number(port), {mockUserToken: 'owner'});
const id = `common-${Date.now()}`;

async function run() {
  const firestore = new Firestore({projectId});
  const server = new OnServer(firestore);
  await server.counter(id).create(1);
  const buffered = server.buffered();
  void buffered.counter(id).add(4);
  await buffered.close();
  await new Counters(web, {ownRules: true}).counter(id).add(2);
  await new Modular(pageOfLite, {sdk: lite}).counter(id).add();
  const fakes = new FakeTotals({likes: {of: 'posts/{post}/likes'}});
  fakes.set('likes', 'posts/p1', {total: 3, number: 2});
  if (await fakes.of('likes', 'posts/p1').total() !== 3) throw new Error('expected a fake total of 3');
  const shard = await firestore.doc(`counters/${id}/shards/0`).get();
  // Node 20.18 cannot require an ES module.
  console.log(`${shard.get('count')} ${/tallyroll.cjs.web\.js$/.test(require.resolve('tallyroll/web'))}`);
  process.exit();
}

void run();
