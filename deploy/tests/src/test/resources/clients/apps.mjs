// Uses the package as apps of many kinds do, as an administrator. Prints what is not as expected.
import {createRequire} from 'node:module';
import {FieldValue, Firestore, Timestamp} from '@google-cloud/firestore';
import compat from 'firebase/compat/app';
import 'firebase/compat/firestore';
import {initializeApp} from 'firebase/app';
import * as web from 'firebase/firestore';
import * as lite from 'firebase/firestore/lite';
import {FakeCounters} from 'tallyroll/fake';
import {Counters as Modular, Totals as ModularTotals} from 'tallyroll/modular';
import {Counters as Server, Totals as ServerTotals} from 'tallyroll/node';
import {Counters as Page, Totals} from 'tallyroll/web';
import {expect, inTime, later, reactive, until} from './expect.mjs';

const require = createRequire(import.meta.url);
const projectId = process.env.GOOGLE_CLOUD_PROJECT;
const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
const db = new Firestore({projectId});
const server = new Server(db);
const started = Date.now();
let apps = 0;

/** A database of this copy of the Web SDK. */
function connect(sdk, {app = initializeApp, user = 'owner'} = {}) {
  const page = sdk.getFirestore(app({projectId}, `app-${++apps}`));
  sdk.connectFirestoreEmulator(page, host, Number(port), user ? {mockUserToken: user} : {});
  return page;
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

/** What it shows or tells first. */
function first(counter) {
  return new Promise((show, failed) => {
    const stop = counter.listen((total) => { show(total); setImmediate(() => stop()); }, failed);
  });
}

/** Writes a roll-up with this raw value, as the functions do, of a new counter; returns its id. */
async function rollUp(count, id = newId()) {
  const fields = {count, counter: {stringValue: `counters/${id}`}};
  const written = await fetch(`http://${host}:${port}/v1/projects/${projectId}/databases/(default)/documents/rollups/${id}`,
    {method: 'PATCH', headers: {authorization: 'Bearer owner'}, body: JSON.stringify({fields})});
  return written.ok ? id : Promise.reject(new Error(await written.text()));
}

/** Of an emulator, which has no server of tokens. */
function authClient(sdk) {
  const {OAuth2Client} = createRequire(sdk === other ? require.resolve('firestore-7') : import.meta.url)('google-auth-library');
  return Object.assign(new OAuth2Client(), {credentials: {access_token: 'owner', expiry_date: Date.now() + 1e9}});
}

async function onLastShard(call) {
  const {random} = Math;
  Math.random = () => 0.99;
  try {
    return await call();
  } finally {
    Math.random = random;
  }
}

async function afterAMinute(call) {
  const {now} = performance;
  performance.now = () => now.call(performance) + 60_000;
  try {
    return await call();
  } finally {
    performance.now = now;
  }
}

const code = (call) => call().then(() => 'none', (failure) => failure.code);

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
await expect('other SDK', /TypeError: db: expected a database of the SDK .* as the option {sdk}/,
  () => count(new Page(pageOfCommon)));
await expect('wrong SDK', /RangeError: sdk: expected Timestamp and the functions doc, .*, found '{doc}'/,
  () => new Modular(pageOfLite, {sdk: {doc: lite.doc}}));
await expect('page on server', /RangeError: sdk: expected a database of .*, found 'Firestore{}'/, () => new Server(connect(web)));
await expect('no database', /RangeError: sdk: expected a database of .*, found undefined/, () => new Server());
await expect('an SDK alone', /RangeError: sdk: expected a database of /, () => new Server(undefined, {sdk: other}));

// Over REST the same failures have other codes, and version 7 tries again for minutes.
for (const [what, sdk] of Object.entries({'version 8': {Firestore}, 'version 7': other})) {
  const id = newId();
  const overRest = new Server(new sdk.Firestore({projectId, preferRest: true, authClient: authClient(sdk)}));
  const counter = overRest.counter(id);
  await expect(`REST, ${what}`, counted, () => inTime(count(overRest)));
  await counter.create(2);
  await expect(`REST creates again, ${what}`, new RegExp(`^Error: counters/${id}: expected no counter, found one that exists, or a shard of it; use it, or call createMissing`),
    () => inTime(counter.create(2)));
  await expect(`REST, at once, ${what}`, 'false,true', async () => {
    const votes = [1, 2].map(() => overRest.counter(id).addOnce('vote'));
    return (await inTime(Promise.all(votes))).sort();
  });
  await counter.add();
  await db.doc(`counters/${id}`).update({num_shards: 1});
  await db.doc(`counters/${id}/shards/1`).delete();
  await expect(`REST after shrinking, ${what}`, /^[0-9]+$/, async () => (await inTime(onLastShard(() => counter.add()))).seconds);
  await db.doc(`counters/${id}`).delete();
  await expect(`REST, a shard in the way, ${what}`, /exists/, () => inTime(counter.create(1)));
}

// Integers that are BigInt, and those that no number is.
const big = new Server(new Firestore({projectId, useBigInt: true}));
await expect('BigInt', counted, () => count(big));
await expect('BigInt in a buffer', '1', async () => {
  const id = newId();
  await big.counter(id).create(1);
  await big.buffered({maxDelay: 10, exactlyOnce: true}).counter(id).add();
  return sum(id);
});
await expect('a total of BigInt', 'number 5', async () => {
  const id = await rollUp({integerValue: '5'});
  const total = await big.counter(id).total();
  return `${typeof total} ${total}`;
});
const most = await rollUp({integerValue: String(Number.MAX_SAFE_INTEGER)});
const least = await rollUp({doubleValue: -Number.MAX_SAFE_INTEGER});
const tooMuch = await rollUp({integerValue: '9007199254740995'});
const tooLittle = await rollUp({doubleValue: -1e17});
for (const [what, counters] of Object.entries({server, big, page: new Page(connect(web))})) {
  await expect(`the most on ${what}`, '9007199254740991', () => counters.counter(most).total());
  await expect(`the least on ${what}`, '-9007199254740991', () => counters.counter(least).total());
  for (const id of [tooMuch, tooLittle]) {
    const refused = /RangeError: rollups.*: expected a total that JavaScript can hold, .*, found -?(900719925474099[56]|10{17})$/;
    await expect(`too much on ${what}`, refused, () => counters.counter(id).total());
    await expect(`too much shown on ${what}`, refused, () => first(counters.counter(id)));
  }
}

// Creating never takes what was counted.
for (const [what, counters] of Object.entries({page: new Page(connect(web)), lite: new Modular(pageOfLite, {sdk: lite})})) {
  const id = newId();
  await db.doc(`counters/${id}/shards/0`).set({count: 1000});
  await expect(`${what} creates around a shard`, '1000 0', async () => {
    await counters.counter(id).create(2);
    const shards = await db.collection(`counters/${id}/shards`).get();
    return shards.docs.map((shard) => shard.get('count')).join(' ');
  });
  await expect(`${what} creates again`, `already-exists counters/${id}: expected no counter, found one that exists`,
    () => counters.counter(id).create(3).catch((failure) => `${failure.code} ${failure.message}`));
}

// A handle learns of a resize after a minute; if it cannot, the old number serves.
for (const [what, counters] of Object.entries({server, page: new Page(connect(web))})) {
  const id = newId();
  await server.counter(id).create(1);
  const counter = counters.counter(id);
  await counter.add();
  await db.doc(`counters/${id}`).update({num_shards: 2});
  await db.doc(`counters/${id}/shards/1`).create({count: 0});
  const last = async () => (await db.doc(`counters/${id}/shards/1`).get()).get('count');
  await onLastShard(() => counter.add());
  await expect(`within a minute on ${what}`, '0', last);
  await afterAMinute(() => onLastShard(() => counter.add())); // nobody waits for the new number
  while (await last() === 0) {
    await onLastShard(() => counter.add());
  }
  await expect(`after a minute on ${what}`, '1', last);
  await db.doc(`counters/${id}`).delete();
  await expect(`without a counter on ${what}`, 'counted', () => afterAMinute(() => onLastShard(() => counter.add())).then(() => 'counted'));
}
for (const [what, read] of Object.entries({fails: () => Promise.reject(new Error('offline')), hangs: () => later(600_000)})) {
  await expect(`a read that ${what}`, '2', async () => {
    const id = newId();
    await server.counter(id).create(1);
    const reads = [web.getDoc, read];
    const sdk = {...web, getDoc: (document) => reads.shift()(document)};
    const counter = new Page(connect(web), {sdk}).counter(id);
    await counter.add();
    await inTime(afterAMinute(() => counter.add()));
    return sum(id);
  });
}

// A page that starts offline shows nothing, then the total; and 0 where the server says that there is none.
for (const [what, id] of Object.entries({1042: await rollUp({integerValue: '1042'}), 0: newId()})) {
  await expect(`${what} after offline`, what, async () => {
    const page = connect(web);
    await web.disableNetwork(page);
    const shown = [];
    new Page(page).counter(id).listen((total) => shown.push(total));
    await later(500);
    await expect('offline', '', () => shown);
    await web.enableNetwork(page);
    await until(() => shown.length > 0);
    await later(200);
    return shown;
  });
}
await expect('each total once', '1 2 1', async () => {
  const id = await rollUp({integerValue: '1'});
  const page = connect(web);
  const shown = [];
  new Page(page).counter(id).listen((total) => shown.push(total));
  await until(() => shown.at(-1) === 1);
  await web.disableNetwork(page);
  await later(200);
  await rollUp({integerValue: '2'}, id);
  await web.enableNetwork(page);
  await until(() => shown.at(-1) === 2);
  await rollUp({integerValue: '1'}, id);
  await until(() => shown.at(-1) === 1);
  return shown.join(' ');
});

// Another document in the roll-up's place is no total.
const foreign = newId();
await db.doc(`rollups/${foreign}`).set({count: 77});
const others = await rollUp({integerValue: '78'});
await db.doc(`rollups/${others}`).update({counter: 'counters/other'});
for (const [what, counters] of Object.entries({server, page: new Page(connect(web))})) {
  for (const id of [foreign, others]) {
    await expect(`foreign total on ${what}`, '0 0', async () => {
      const counter = counters.counter(id);
      return `${await counter.total()} ${await first(counter)}`;
    });
  }
}

// A document of others whose id no counter may have, or with another mark, hides no total.
await expect('totals beside documents of others', 'a 5,a 5', async () => {
  const parent = `rooms/${newId()}${'é'.repeat(700)}`;
  await db.doc(`${parent}/rollups/${'é'.repeat(750)}`).set({count: 9});
  await db.doc(`${parent}/rollups/b`).set({count: 8, counter: `${parent}/counters/other`});
  await db.doc(`${parent}/rollups/a`).set({count: 5, shards: 1, counter: `${parent}/counters/a`, as_of: Timestamp.now()});
  const room = server.below(parent);
  return [await room.top(3), await room.list()].map((all) => all.map(({id, total}) => `${id} ${total}`).join());
});

// Documents that users write, which the functions of this test sum, as they are.
await expect('ratings', '5 1 5,7 2 3.5,9 2 4.5,4 1 4', async () => {
  const id = newId();
  const rating = (user) => db.doc(`counters/${id}/shards/${user}`);
  const shown = [];
  const stop = new Totals(connect(web)).of('counters', `counters/${id}`).listen((total, {number, average}) => shown.push(`${total} ${number} ${average}`));
  const writes = [
    () => rating('alice').set({count: 5, text: 'good'}), () => rating('bob').set({count: 2}),
    () => rating('bob').set({count: 4}), () => rating('alice').delete(),
  ];
  await inTime(until(() => shown.pop() === '0 0 0'));
  for (const [at, write] of writes.entries()) {
    await write();
    await inTime(until(() => shown.length > at));
  }
  stop();
  return shown;
});
const roll = async (fields, id = newId()) => {
  await db.doc(`stars/${id}`).set({counter: `posts/${id}`, as_of: Timestamp.fromMillis(1234), ...fields});
  return id;
};
const texts = (rollups) => rollups.map(({total, number, average, asOf}) => `${total} ${number} ${average} ${asOf.getTime()}`).join();
const rolled = {
  '9 2 4.5 1234': {count: 9, shards: 2},
  '-1.5 3 -0.5 1234': {count: -1.5, shards: 3},
  '2 2 1 1234': {count: 2, shards: 2},
  '0 0 0 1234': {count: 0, shards: 0},
  '3 0 0 1234': {count: 3, shards: -1},
  '4 0 0 0': {count: 4, shards: 'four', as_of: 'now'},
  '0 0 0 0': {count: 3, shards: 3, counter: 'posts/other'},
};
const stars = {stars: {of: 'posts/{post}/ratings', rollups: 'stars'}};
for (const [what, posts] of Object.entries({
  server: new ServerTotals(db, stars), big: new ServerTotals(new Firestore({projectId, useBigInt: true}), stars),
  page: new Totals(connect(web), stars), lite: new ModularTotals(pageOfLite, stars, {sdk: lite}),
})) {
  for (const [expected, fields] of Object.entries(rolled)) {
    await expect(`${what} reads`, expected, async () => texts([await posts.of('stars', `posts/${await roll(fields)}`).rollup()]));
  }
  await expect(`${what} reads none`, '0 0 0 0', async () => texts([await posts.of('stars', `posts/${newId()}`).rollup()]));
  await expect(`${what} reads NaN`, /^RangeError: stars.*: expected a total that JavaScript can hold/,
    async () => posts.of('stars', `posts/${await roll({count: NaN, shards: 2})}`).rollup());
}
await expect('another number of the same total is shown', '4 2,4 1', async () => {
  const id = await roll({count: 4, shards: 2});
  const shown = [];
  const stop = new ServerTotals(db, stars).of('stars', `posts/${id}`).listen((total, {number}) => shown.push(`${total} ${number}`));
  await inTime(until(() => shown.length === 1));
  await roll({count: 4, shards: 1, as_of: Timestamp.fromMillis(2000)}, id);
  await inTime(until(() => shown.length === 2));
  stop();
  return shown;
});

// A failure that nobody awaits is told, and does not end the process.
const told = [];
const buffered = server.buffered({maxDelay: 10, maxCounters: 1, failed: (failure) => told.push(failure.message)});
buffered.counter(`missing-${started}`).add();
buffered.counter('b').add();
buffered.counter('b').add(NaN);
await until(() => told.length === 3);
await expect('nobody awaits', /^expected an open buffer.*,n: expected a finite.*,counters.missing-[0-9]+: no such counter: expected its document, with num_shards, found none; create\(10\)/,
  () => told);
await expect('somebody awaits', /no such counter/, () => buffered.counter(`missing-${started}`).add());

// What the rules may hide from a client that is signed in, and from one that is not.
const hidden = /^Error: counters.[^:]*: no such counter: a server creates it, by create\(10\), or by createMissing\(10\) .*; or the rules .* not signed in, or it has other fields/;
const bob = new Page(connect(web, {user: {sub: 'bob'}})).withPass('bob');
const nobody = new Page(connect(web, {user: null}));
const titled = newId();
await server.counter(titled).create(1, {title: 'Likes'});
await expect('a missing counter', hidden, () => bob.counter(newId()).add());
await expect('a counter with a title', hidden, () => bob.counter(titled).add());
await expect('nobody', hidden, () => nobody.counter(titled).add());
await expect('the code and cause', 'permission-denied permission-denied', () => bob.counter(titled).add().catch((it) => `${it.code} ${it.cause.code}`));
await expect('codes of React Native', 'undefined', async () => {
  const id = newId();
  await server.counter(id).create(2);
  const prefixed = (batch) => ({
    update(...update) { batch.update(...update); return this; },
    commit: () => batch.commit().catch((failure) => { throw Object.assign(new Error(), {code: `firestore/${failure.code}`}); }),
  });
  const counter = new Page(connect(web), {sdk: {...web, writeBatch: (page) => prefixed(web.writeBatch(page))}}).counter(id);
  await counter.add();
  await db.doc(`counters/${id}`).update({num_shards: 1});
  await db.doc(`counters/${id}/shards/1`).delete();
  return onLastShard(() => counter.add());
});

// What a server's calls do over each way to Firestore, with values that the SDK does not tell apart, or hold.
for (const [what, counters] of Object.entries({
  server, big, 'REST, version 8': new Server(new Firestore({projectId, preferRest: true, authClient: authClient({Firestore})})),
  'version 7': new Server(new other.Firestore({projectId})),
  'REST, version 7': new Server(new other.Firestore({projectId, preferRest: true, authClient: authClient(other)})),
})) {
  const id = newId();
  const counter = counters.counter(id);
  const raw = (shard) => `http://${host}:${port}/v1/projects/${projectId}/databases/(default)/documents/counters/${id}/shards/${shard}`;
  const headers = {authorization: 'Bearer owner'};
  const put = (shard, count) => fetch(raw(shard), {method: 'PATCH', headers, body: JSON.stringify({fields: {count}})});
  const values = async () => {
    const shards = (await Promise.all([0, 1, 2, 3, 4].map(async (shard) => (await fetch(raw(shard), {headers})).json())));
    return shards.map(({fields}) => JSON.stringify(fields?.count)).join(' ');
  };
  const nulls = Array(5).fill('{"integerValue":"0"}').join(' ');
  await expect(`${what} resets`, `7.5 ${nulls}`, async () => {
    await counter.create(5);
    await put(0, {integerValue: '5'});
    await put(1, {doubleValue: 2});
    await put(2, {doubleValue: 0.5});
    return `${await inTime(counter.reset())} ${await values()}`;
  });
  await expect(`${what} resets what no number holds`, `NaN ${nulls}`, async () => {
    await put(0, {integerValue: '9007199254740993'});
    await put(1, {doubleValue: 'NaN'});
    await put(2, {stringValue: 'three'});
    await put(3, {doubleValue: '-Infinity'});
    return `${await inTime(counter.reset())} ${await values()}`;
  });
  await expect(`${what} resizes, compacts, mends`, '0 6 1 7', async () => {
    await counter.add(6);
    await counter.resize(2);
    const left = await inTime(counter.compact({unwritten: 0}));
    const total = await counter.exactTotal();
    await db.doc(`counters/${id}`).delete();
    const made = await inTime(counter.createMissing(2));
    const {total: shown} = await inTime(counters.counter(id).awaitTotal(await counter.add(1)));
    return `${left} ${total} ${made} ${shown}`;
  });
  await expect(`${what} is refused`, '9 5 6', async () => {
    await db.doc(`counters/${id}`).update({num_shards: 'two'});
    const codes = [await code(() => counters.counter(id).add()), await code(() => counters.counter(newId()).resize(3)), await code(() => counter.create(1))];
    return codes.join(' ');
  });
  await expect(`${what} gives up`, '10 expected one of 5 attempts', async () => {
    await counter.createMissing(2);
    const busy = counters.counter(id);
    const {sdk} = busy.own();
    const changing = {...sdk, async shards(...args) {
      const read = await sdk.shards(...args);
      await db.doc(`counters/${id}`).update({at: FieldValue.increment(1)});
      return read;
    }};
    busy.own().sdk = changing;
    return inTime(busy.reset()).catch((failure) => `${failure.code} ${failure.message.match(/expected one of 5 attempts/)}`);
  });
  await expect(`${what} deletes`, '', async () => {
    await counter.delete();
    return (await values()).trim();
  });
}
await expect('a wait is ended', 'AbortError', () => server.counter(newId()).awaitTotal(Timestamp.now(), {signal: AbortSignal.abort()}).catch(({name}) => name));
await expect('a wait in between', 'AbortError', async () => {
  const ending = new AbortController();
  const wait = server.counter(newId()).awaitTotal(Timestamp.now(), {signal: ending.signal, timeout: 3_600_000});
  setTimeout(() => ending.abort(), 150);
  return inTime(wait).catch(({name}) => name);
});
await expect('a wait for a Date', /^RangeError: committed: expected a Timestamp, as of add, or the write time of a document, found/, () => server.counter('x').awaitTotal(new Date()));
await expect('a sum without its function', /^TypeError: sdk: expected AggregateField/, () => new Server(db, {sdk: {FieldValue}}).counter('x').exactTotal());

for (const [what, counters] of Object.entries({server, page: new Page(connect(web)), lite: new Modular(pageOfLite, {sdk: lite}), fake: new FakeCounters()})) {
  await expect(`${what} in a Proxy`, '3 0', async () => {
    const id = newId();
    await (what === 'fake' ? counters : server).counter(id).create(2);
    await reactive({likes: counters.counter(id)}).likes.add();
    await reactive(counters).below('').counter(id).add();
    await reactive(reactive(counters).counter(id)).add();
    const added = what === 'fake' ? await counters.counter(id).exactTotal() : await sum(id);
    return `${added} ${await reactive(counters).counter(newId()).total()}`;
  });
}
await expect('a buffer in a Proxy', '4', async () => {
  const id = newId();
  await server.counter(id).create(1);
  const {buffer} = reactive({buffer: reactive(server).buffered({maxDelay: 10})});
  await Promise.all([buffer.counter(id).add(), reactive(buffer.counter(id)).add(3)]);
  await buffer.close();
  return sum(id);
});

// With a number of shards, nothing is read, so a first click that is made offline waits for the network.
await expect('the first click, offline', '1', async () => {
  const id = newId();
  await server.counter(id).create(2);
  const page = connect(web);
  await web.disableNetwork(page);
  await expect('without a number', /client is offline/, () => new Page(page).counter(id).add());
  const click = new Page(page).counter(id, {shards: 2}).add();
  await later(200);
  await web.enableNetwork(page);
  await inTime(click);
  return sum(id);
});
await expect('a number that is too large', '3', async () => {
  const id = newId();
  await server.counter(id).create(1);
  const counter = new Page(connect(web)).counter(id, {shards: 5});
  await onLastShard(() => counter.add());
  await onLastShard(() => counter.add());
  await new Server(db).counter(id, {shards: 5}).add();
  return sum(id);
});
await expect('no number', /^RangeError: shards: expected an integer from 1 to 1000, found 0/, () => server.counter('x', {shards: 0}));

// What pages may add.
for (const n of [4, 0.5, 0, -2]) {
  await expect(`a page adds ${n}`, /^RangeError: n: expected 1 or -1, which is what Tallyroll's rules let pages add; rules of your own: /,
    () => new Page(connect(web)).counter(titled).add(n));
}
await expect('a page adds by its own rules', '4.5', async () => {
  const id = newId();
  await server.counter(id).create(1);
  await new Page(connect(web), {ownRules: true}).counter(id).add(4.5);
  return sum(id);
});
await expect('a page is told why', /^Error: counters.[^:]*.shards.[01]: the rules refuse it: they are without the variant down; or there is no such shard, which createMissing\(2\) .* nobody is signed in; or .* not published$/, async () => {
  const id = newId();
  await server.counter(id).create(2);
  return new Page(connect(web, {user: {sub: 'bob'}})).counter(id).add(-1);
});
await expect('a page without its shards is told', /createMissing\(2\) on a server makes/, async () => {
  const id = newId();
  await server.counter(id).create(2);
  const counter = new Page(connect(web, {user: {sub: 'eve'}})).withPass('eve').counter(id);
  await Promise.all([0, 1].map((shard) => db.doc(`counters/${id}/shards/${shard}`).delete()));
  const refused = await counter.add().then(() => 'counted', String);
  await server.counter(id).createMissing(2);
  await later(1100);
  await counter.add();
  return `${refused} ${await sum(id)}`;
});

await expect('a click too soon, without a document', /within a second of the user's last/, async () => {
  const id = newId();
  await db.doc(`counters/${id}/shards/0`).set({count: 0});
  const counter = new Page(connect(web, {user: {sub: `zoe-${id}`}})).withPass(`zoe-${id}`).counter(id, {shards: 1});
  await counter.add();
  return counter.add();
});
await expect('a click offline', 'queued', async () => {
  const id = newId();
  await server.counter(id).create(1);
  const page = connect(web);
  const queued = [];
  const batches = (db) => { queued.push('queued'); return web.writeBatch(db); };
  const counter = new Page(page, {sdk: {...web, writeBatch: batches}}).counter(id);
  await counter.add();
  await web.disableNetwork(page);
  queued.length = 0;
  return afterAMinute(async () => {
    counter.add();
    await Promise.resolve().then(() => {}).then(() => {}); // a page that is closed now has queued it
    return queued.join();
  });
});

// A fake of a page.
await expect('a fake page', '3 1', async () => {
  const fake = new FakeCounters();
  await fake.counter('likes').create(2);
  const alice = fake.withPass('alice', {once: true});
  await alice.counter('likes').add();
  await alice.counter('likes').add();
  fake.hold();
  await fake.withPass('alice').counter('likes').add();
  await fake.counter('likes').add();
  const held = await fake.counter('likes').total();
  fake.release();
  return `${await fake.counter('likes').total()} ${held}`;
});

process.exit();
