// Reads totals by entry and document, on the emulator with functions of the same file, and in memory.
import {Firestore} from '@google-cloud/firestore';
import {initializeApp} from 'firebase/app';
import * as web from 'firebase/firestore';
import * as lite from 'firebase/firestore/lite';
import {FakeTotals} from 'tallyroll/fake';
import {Totals as Modular} from 'tallyroll/modular';
import {Totals as Server} from 'tallyroll/node';
import {Totals as Page} from 'tallyroll/web';
import {expect, inTime, reactive, until} from './expect.mjs';
import file from './totals.json' with {type: 'json'};

const projectId = process.env.GOOGLE_CLOUD_PROJECT;
const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
const db = new Firestore({projectId});
const app = initializeApp({projectId});
const page = web.getFirestore(app);
web.connectFirestoreEmulator(page, host, Number(port), {mockUserToken: 'owner'});
const pageOfLite = lite.getFirestore(app);
lite.connectFirestoreEmulator(pageOfLite, host, Number(port), {mockUserToken: 'owner'});
const fakes = new FakeTotals(file);
const on = {
  server: new Server(db, file), 'server with BigInt': new Server(new Firestore({projectId, useBigInt: true}), file),
  page: new Page(page, file), modular: new Modular(page, file, {sdk: web}), lite: new Modular(pageOfLite, file, {sdk: lite}), fake: fakes,
};
const text = ({total, number, average}) => `${total} ${number} ${average}`;

// Of each entry, with what is written, where its roll-up is, and what it then has.
for (const [name, path, rollup, writes, expected] of [
  ['likes', 'posts/t1', 'likes_rollups/t1', {'posts/t1/likes/a': {}, 'posts/t1/likes/b': {}}, '2 2 1'],
  ['ratings', 'products/t1', 'ratings_rollups/t1', {'products/t1/reviews/a': {stars: 5}, 'products/t1/reviews/b': {stars: 2}}, '7 2 3.5'],
  ['followers', 'profiles/t1', 'followers_rollups/t1', {'users/t1/followers/a': {}}, '1 1 1'],
  ['replies', 'threads/t1', 'replies_rollups/t1', {'threads/t1/replies/a': {}}, '1 1 1'],
  ['replies', 'rooms/r1/threads/t1', 'rooms/r1/replies_rollups/t1', {'rooms/r1/threads/t1/replies/a': {}, 'rooms/r1/threads/t1/replies/b': {}}, '2 2 1'],
  ['members', 'clubs/c1/groups/g 1', 'clubs/c1/how_many/g 1', {'clubs/c1/groups/g 1/members/a': {}}, '1 1 1'],
  ['counters', 'counters/t1', 'rollups/t1', {'counters/t1/shards/0': {count: -3}}, '-3 1 -3'],
]) {
  const total = on.server.of(name, path);
  await expect(`none of ${path}`, '0 0 0', async () => text(await total.rollup()));
  await expect(`${name} of ${path}`, expected, async () => {
    let committed;
    for (const [document, fields] of Object.entries(writes)) {
      committed = (await db.doc(document).set(fields)).writeTime;
    }
    return text(await total.awaitTotal(committed, {timeout: 60_000})); // the functions may be starting
  });
  await expect(`the roll-up ${rollup}`, path, async () => (await db.doc(rollup).get()).get('counter'));
  const {total: sum, number} = await total.rollup();
  fakes.set(name, path, {total: sum, number});
  for (const [what, totals] of Object.entries(on)) {
    await expect(`${name} of ${path} on ${what}`, `${expected} ${sum}`, async () => {
      const reader = totals.of(name, path);
      return `${text(await reader.rollup())} ${await reader.total()}`;
    });
    await expect(`${name} in a Proxy on ${what}`, expected, async () => text(await reactive(reactive(totals).of(name, path)).rollup()));
  }
}
for (const what of ['server', 'page', 'modular']) {
  await expect(`${what} listens`, '0 0 0,1 1 1,2 2 1,1 1 1', async () => {
    const likes = (user) => db.doc(`posts/heard-by-${what}/likes/${user}`);
    const heard = [];
    const stop = on[what].of('likes', `posts/heard-by-${what}`).listen((total, rollup) => heard.push(text(rollup)));
    const writes = [() => likes('a').set({}), () => likes('b').set({}), () => likes('a').delete()];
    await inTime(until(() => heard.length === 1));
    for (const [at, write] of writes.entries()) {
      await write();
      await inTime(until(() => heard.length === at + 2));
    }
    stop();
    return heard;
  });
}
await expect('a like that is late', /^Error: likes_rollups.t1: expected a total as of .* within 1 ms, found one as of /,
  () => on.server.of('likes', 'posts/t1').awaitTotal({seconds: 4e9, nanoseconds: 0, toDate: () => new Date(4e12)}, {timeout: 1}));
await expect('a document of others', '0 0 0', async () => {
  await db.doc('likes_rollups/t2').set({counter: 'posts/other', count: 3, shards: 3});
  return text(await on.server.of('likes', 'posts/t2').rollup());
});

// The fake alone.
await expect('the fake is listened to', '0 0 0,9 2 4.5,0 0 0', async () => {
  const heard = [];
  const stop = fakes.of('ratings', 'products/t2').listen((total, rollup) => heard.push(text(rollup)));
  for (const [total, number] of [[0, 0], [9, 2], [9, 2], [0, 0]]) {
    fakes.set('ratings', 'products/t2', {total, number});
    await inTime(until(() => heard.at(-1)?.startsWith(`${total} ${number} `)));
  }
  stop();
  fakes.set('ratings', 'products/t2', {total: 7, number: 2});
  await fakes.of('ratings', 'products/t2').total();
  return heard;
});
await expect('the fake waits', '3 1234', async () => {
  fakes.set('ratings', 'products/t3', {total: 3, number: 1, asOf: new Date(1234)});
  const {total, asOf} = await fakes.of('ratings', 'products/t3').awaitTotal({seconds: 1, nanoseconds: 234_000_000, toDate: () => new Date(1234)});
  return `${total} ${asOf.getTime()}`;
});
for (const [words, total, number] of [
  [/^RangeError: total: expected a finite number, found NaN$/, NaN, 1], [/^RangeError: number: expected an integer from 0/, 1, -1],
  [/^RangeError: ratings_rollups.t4: expected a total that JavaScript can hold/, 2 ** 53, 1],
]) {
  await expect('the fake refuses', words, () => fakes.set('ratings', 'products/t4', {total, number}) ?? fakes.of('ratings', 'products/t4').total());
}

// Where roll-ups are, also of entries that functions do not take yet.
const places = (entries, name, path) => new FakeTotals(entries).of(name, path).own().rollupDocument;
for (const [rollup, name, path, entry] of [
  ['rollups/likes', 'counters', 'counters/likes'],
  ['rollups/likes', 'counters', 'counters/likes', {of: '{parent=**}/counters/{counter}/shards'}],
  ['a/b/c/d/rollups/likes', 'counters', 'a/b/c/d/counters/likes', {of: '{parent=**}/counters/{counter}/shards', sum: 'count', rules: 'plain'}],
  ['own/p1', 'likes', 'posts/p1', {of: 'posts/{post}/likes', rollups: 'own', document: undefined}],
  ['likes_rollups/__id7__', 'likes', 'posts/__id7__', {of: 'posts/{post}/likes'}],
  ['likes_rollups/{post}', 'likes', 'posts/{post}', {of: 'posts/{post}/likes'}],
  ['a/a1/likes_rollups/c1', 'likes', 'a/a1/c/c1', {of: 'b/{b}/likes', document: 'a/{a}/c/{c}'}],
  ['by-team_rollups/t1', 'by-team', 'teams/t1', {of: 'users', document: 'teams/{teamId}', where: {active: true}}],
  ['users_rollups/app', 'users', 'stats/app', {of: 'users', document: 'stats/app'}],
]) {
  await expect(`${name} of ${path}`, rollup, () => places(entry && {$schema: './totals.schema.json', [name]: entry}, name, path));
}

// What is refused, by each alike.
const wrong = {
  nothing: {}, number: {of: 7}, document: {of: 'posts/{post}'}, slash: {of: 'posts/{post}/'}, none: null,
  root: {of: 'users'}, anywhere: {of: '{parent=**}/users'}, collection: {of: 'users', document: 'stats'}, no: {of: 'users', document: null}, empty: {of: 'users', document: ''},
  name: {of: 'posts/{post}/likes', rollups: 'a/b'}, text: 'posts/{post}/likes', likes: {of: 'posts/{post}/likes'}, $schema: './totals.schema.json',
  followers: {of: 'users/{user}/followers', document: 'profiles/{user}'}, app: {of: 'users', document: 'stats/app'}, replies: {of: '{parent=**}/threads/{thread}/replies'},
};
const names = Object.keys(wrong).filter((name) => name !== '$schema').join(', ');
const collection = 'expected the path of a collection, such as posts/{post}/likes, found';
const id = 'expected a Firestore id of 1 to 1,500 bytes, without a slash, not ., .. or __.*__, found';
for (const [what, totals] of Object.entries({
  server: new Server(db, wrong), page: new Page(page, wrong), lite: new Modular(pageOfLite, wrong, {sdk: lite}), fake: new FakeTotals(wrong),
})) {
  for (const [name, path, words] of [
    ['like', 'posts/p1', `entry: expected one of ${names}, found 'like'`],
    ['$schema', 'posts/p1', `entry: expected one of ${names}, found '$schema'`],
    ['toString', 'posts/p1', `entry: expected one of ${names}, found 'toString'`],
    [undefined, 'posts/p1', `entry: expected one of ${names}, found undefined`],
    ['nothing', 'posts/p1', `nothing.of: ${collection} undefined`],
    ['none', 'posts/p1', `none.of: ${collection} undefined`],
    ['text', 'posts/p1', `text.of: ${collection} undefined`],
    ['number', 'posts/p1', `number.of: ${collection} 7`],
    ['document', 'posts/p1', `document.of: ${collection} 'posts/{post}'`],
    ['slash', 'posts/p1', `slash.of: ${collection} 'posts/{post}/'`],
    ['root', 'users/u1', 'root.document: expected the document that the total is of, as the collection users is below none, found undefined'],
    ['anywhere', 'users/u1', 'anywhere.document: expected the document that the total is of, as the collection {parent=**}/users is below none, found undefined'],
    ['collection', 'stats', "collection.document: expected the path of a document, such as profiles/{user}, found 'stats'"],
    ['no', 'stats/app', 'no.document: expected the path of a document, such as profiles/{user}, found null'],
    ['empty', '', "empty.document: expected the path of a document, such as profiles/{user}, found ''"],
    ['name', 'posts/p1', `name.rollups: ${id} 'a/b'`],
    ['likes', 'p1', "path of likes: expected posts/{post}, found 'p1'"],
    ['likes', 'post/p1', "path of likes: expected posts/{post}, found 'post/p1'"],
    ['likes', 'posts/p1/likes/l1', "path of likes: expected posts/{post}, found 'posts/p1/likes/l1'"],
    ['likes', '/posts/p1', "path of likes: expected posts/{post}, found '/posts/p1'"],
    ['likes', undefined, 'path of likes: expected posts/{post}, found undefined'],
    ['likes', {path: 'posts/p1'}, 'path of likes: expected posts/{post}, found [object Object]'],
    ['likes', 'posts/', `path of likes: ${id} ''`],
    ['likes', 'posts/..', `path of likes: ${id} '..'`],
    ['likes', 'posts/__p__', `path of likes: ${id} '__p__'`],
    ['followers', 'users/u1', "path of followers: expected profiles/{user}, found 'users/u1'"],
    ['app', 'stats/all', "path of app: expected stats/app, found 'stats/all'"],
    ['replies', 'rooms/threads/t1', "path of replies: expected {parent=**}/threads/{thread}, found 'rooms/threads/t1'"],
    ['replies', 'rooms//threads/t1', `parent: ${id} ''`],
    ['replies', 'rollup_runs/r1/threads/t1', "parent: expected a place outside of rollup_runs, and at most 100 nested collections, found 'rollup_runs/r1'"],
    ['replies', `${'a/b/'.repeat(1600)}threads/t1`, `parent: expected a place outside of rollup_runs, and at most 100 nested collections, found '${'a/b/'.repeat(20)}...'`],
    ['replies', `${`${'a'.repeat(1500)}/${'b'.repeat(1500)}/`.repeat(3)}threads/t1`, `roll-up of replies: expected a path of at most 6 KiB, found '${'a'.repeat(80)}...'`],
  ]) {
    await expect(`${what} refuses`, `RangeError: ${words}`, () => totals.of(name, path));
  }
}
for (const found of [null, '{"likes": {"of": "posts/{post}/likes"}}', 7, []]) {
  await expect('a file', /^RangeError: file: expected the content of totals.json, an object of entries, found /, () => new Page(page, found));
}
await expect('no database', "RangeError: db: expected a database of @google-cloud/firestore or firebase-admin, found 'Firestore'", () => new Server(page, file));
await expect('no database at all', /^RangeError: db: expected a database of .*, found undefined$/, () => new Server());
await expect('no SDK', /^RangeError: sdk: expected the functions doc, getDoc, found undefined$/, () => new Modular(page, file));
await expect('another SDK', /^TypeError: db: expected a database of the SDK whose functions are used/, () => new Page(pageOfLite, file));
await expect('lite listens', /^TypeError: sdk: expected onSnapshot, found none/, () => on.lite.of('likes', 'posts/t1').listen());

process.exit();
