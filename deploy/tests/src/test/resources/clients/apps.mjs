// Uses the package as apps of many kinds do, as an administrator. Prints what is not as expected.
import {createRequire} from 'node:module';
import {FieldValue, Firestore, Timestamp} from '@google-cloud/firestore';
import compat from 'firebase/compat/app';
import 'firebase/compat/firestore';
import {initializeApp} from 'firebase/app';
import * as web from 'firebase/firestore';
import * as lite from 'firebase/firestore/lite';
import {Counters as Modular} from 'tallyroll/modular';
import {Counters as Server} from 'tallyroll/node';
import {Counters as Page} from 'tallyroll/web';

const require = createRequire(import.meta.url);
const projectId = process.env.GOOGLE_CLOUD_PROJECT;
const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
const db = new Firestore({projectId});
const server = new Server(db);
const started = Date.now();
let apps = 0;

/** A database of this copy of the Web SDK. */
function connect(sdk, {app = initializeApp, mockUserToken = 'owner'} = {}) {
  const page = sdk.getFirestore(app({projectId}, `app-${++apps}`));
  sdk.connectFirestoreEmulator(page, host, Number(port), {mockUserToken});
  return page;
}

async function expect(what, expected, call) {
  const found = await Promise.resolve().then(call).then(String, (failure) => `${failure.name}: ${failure.message}`);
  if (!(expected instanceof RegExp ? expected.test(found) : expected === found)) {
    process.exitCode = 1;
    console.log(`${what}: expected ${expected}, found ${found}`);
  }
}

const newId = () => `${started}-${++apps}`;

/** What this client counts on a new counter; by a second vote, nothing. */
async function count(counters) {
  const id = newId();
  await server.counter(id).create(2);
  const counter = counters.counter(id);
  await counter.add();
  const votes = [await counter.addOnce('vote', 5), await counter.addOnce('vote', 5)];
  return `${await sum(id)} ${votes}`;
}

async function sum(id) {
  const shards = await db.collection(`counters/${id}/shards`).get();
  return shards.docs.reduce((sum, shard) => sum + shard.get('count'), 0);
}

// The SDK that the app has, not the one that this package finds.
const other = require('firestore-7');
const common = require('firebase/firestore');
const {initializeApp: initializeCommon} = require('firebase/app');
const pageOfCommon = connect(common, {app: initializeCommon});
const pageOfLite = connect(lite);
const pageOfCompat = compat.initializeApp({projectId}).firestore();
pageOfCompat.useEmulator(host, Number(port), {mockUserToken: 'owner'});

class Own extends other.Firestore {}

const counted = '6 true,false';
await expect('another copy', counted, () => count(new Server(new other.Firestore({projectId}))));
await expect('a class of its own', counted, () => count(new Server(new Own({projectId}))));
await expect('handed over', counted, () => count(new Server(db, {sdk: {FieldValue, Timestamp}})));
await expect('CommonJS from ES', counted, () => count(new Page(pageOfCommon, {sdk: common})));
await expect('compat', counted, () => count(new Page(pageOfCompat)));
await expect('lite', counted, () => count(new Modular(pageOfLite, {sdk: lite})));
await expect('no SDK', counted, () => count(new Modular(connect(web), {sdk: web})));
await expect('lite listens', /TypeError: sdk: expected onSnapshot, found none/,
  () => new Modular(pageOfLite, {sdk: lite}).counter('x').listen());
await expect('other SDK', /TypeError: db: expected a database of the SDK .* as new Counters\(db, {sdk}\)/,
  () => count(new Page(pageOfCommon)));
await expect('wrong SDK', /RangeError: sdk: expected Timestamp and the functions doc, .*, found '{doc}'/,
  () => new Modular(pageOfLite, {sdk: {doc: lite.doc}}));
await expect('page on server', /RangeError: sdk: expected a database of .*, found 'Firestore{}'/, () => new Server(connect(web)));
await expect('no database', /RangeError: sdk: expected a database of .*, found undefined/, () => new Server());

process.exit();
