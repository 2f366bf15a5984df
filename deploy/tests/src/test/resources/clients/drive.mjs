// Drives the package: listens, may create the counter, increments, and prints how many
// increments were acknowledged. It listens until its input ends, at the latest with the test.

/** An aborted commit has changed nothing. These are the codes of gRPC and of the Web SDK. */
const ABORTED = [10, 'aborted'];

const job = JSON.parse(process.argv[3]);
const {names} = job;
const counterPath = `${names.counters}/${job.id}`;
const leftOver = Array.from({length: job.shards - 1}, (_, i) => `${counterPath}/${names.shards}/${i + 1}`);
const sdk = await {node, web}[process.argv[2]]();
const {Counters} = await import(`tallyroll/${process.argv[2]}`);
const counters = new Counters(sdk.db, names);
const counter = counters.counter(job.id);

const ways = {
  add: () => counter.add(),
  // Repeats each call at once, as after a lost reply.
  async addOnce(call) {
    const [first, again] = [await counter.addOnce(`call-${call}`), await counter.addOnce(`call-${call}`)];
    if (!first || again) {
      throw new Error(`expected one of two to count, found ${[first, again]}`);
    }
  },
  // Adds of one commit: after a moment, when the buffer is closed, or when it is full.
  async addBuffered(call) {
    const options = {maxDelay: call % 2 ? 20 : 60_000, maxPending: call % 3 ? 9 : 3, exactlyOnce: call % 4 < 2};
    const buffered = counters.buffered(options);
    const one = buffered.counter(job.id);
    const first = one.add(2);
    await refusedNumbers((bad) => one.add(bad));
    const others = [one.add(), one.add(-2)];
    if (others.some((add) => add !== first)) {
      throw new Error('expected one commit, found several');
    }
    if (call % 2 === 0) {
      await buffered.close();
      await refused(() => one.add());
    }
    await refused(() => counters.buffered({maxDelay: [0, 3_600_000][call % 2]}), RangeError);
    await refused(() => counters.buffered({maxPending: '9'}), RangeError);
    await refused(() => counters.buffered({maxPending: '9'}));
    return first;
  },
  // Increments after a server has resized the counter and deleted the retired shards.
  async addAfterShrinking(call) {
    if (call === 0) {
      await counter.numShards(); // which it remembers
      await sdk.shrink();
    }
    return counter.add();
  },
  // Creates missing shards, as Google's sample for Node does.
  merge: () => sdk.merge(randomShard()),
  // The oldest samples' way, which is slow: transactions on one shard wait for each other.
  transaction: () => sdk.transaction(randomShard()),
};

const stop = counter.listen((total) => console.log(`total ${total}`));
if (job.creates) {
  await counter.create(job.shards);
  console.log('created 1');
}
await refusedNumbers((bad) => counter.add(bad));
await refusedNumbers((bad) => counter.addOnce('call', bad));
for (const elsewhere of ['', 'a/b/c', 7]) {
  await refused(() => counter.addOnce(elsewhere), RangeError);
  await refused(() => counters.counter(elsewhere), RangeError);
}
for (const wrong of [
  {counters: 'rooms/{room}/counters'}, {shards: ''}, {count: 7}, {shards: null}, {shard: 's'},
]) {
  await refused(() => new Counters(sdk.db, wrong), RangeError);
}
if (new Counters(sdk.db, {...names, numShards: undefined}).own().names.numShards !== 'num_shards') {
  throw new Error('expected the default of a name that is undefined');
}
for (const shards of [0, 1001, 1.5, '3']) {
  await refused(() => counter.create(shards), RangeError);
}
let acknowledged = 0;
for (const way of job.way.split(' ')) {
  for (let call = 0; call < job.increments; call++) {
    acknowledged += await isAcknowledged(ways[way](call));
  }
}
if (job.creates) {
  await refused(() => counter.create(job.shards));
}
console.log(`acknowledged ${acknowledged}`);
process.stdin.resume().on('end', () => {
  stop();
  process.exit(0);
});

async function isAcknowledged(increment) {
  try {
    await increment;
    return 1;
  } catch (failure) {
    if (ABORTED.includes(failure.code)) {
      return 0;
    }
    throw failure;
  }
}

async function refused(call, kind = Error) {
  const failure = await Promise.resolve().then(call).then(() => null, (thrown) => thrown);
  if (!(failure instanceof kind)) {
    throw new Error(`expected a failure of ${call}, found ${failure}`);
  }
}

async function refusedNumbers(add) {
  for (const bad of [NaN, Infinity, 2 ** 41, '1', null, 1n]) {
    const added = add(bad); // which throws nothing
    await refused(() => added, RangeError);
  }
}

function randomShard() {
  return `${counterPath}/${names.shards}/${Math.floor(Math.random() * job.shards)}`;
}

async function node() {
  const {FieldValue, Firestore} = await import('@google-cloud/firestore');
  const db = new Firestore({projectId: process.env.GOOGLE_CLOUD_PROJECT, databaseId: job.database});
  return {
    db,
    async shrink() {
      await db.doc(counterPath).update({[names.numShards]: 1});
      await Promise.all(leftOver.map((path) => db.doc(path).delete()));
    },
    merge: (path) => db.doc(path).set({[names.count]: FieldValue.increment(1)}, {merge: true}),
    transaction: (path) => db.runTransaction(async (transaction) => {
      const count = (await transaction.get(db.doc(path))).get(names.count) ?? 0;
      transaction.set(db.doc(path), {[names.count]: count + 1}, {merge: true});
    }),
  };
}

async function web() {
  const {initializeApp} = await import('firebase/app');
  const {
    connectFirestoreEmulator, deleteDoc, doc, getFirestore, increment, runTransaction, setDoc, updateDoc,
  } = await import('firebase/firestore');
  const db = getFirestore(initializeApp({projectId: process.env.GOOGLE_CLOUD_PROJECT}), job.database);
  const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
  connectFirestoreEmulator(db, host, Number(port));
  return {
    db,
    async shrink() {
      await updateDoc(doc(db, counterPath), {[names.numShards]: 1});
      await Promise.all(leftOver.map((path) => deleteDoc(doc(db, path))));
    },
    merge: (path) => setDoc(doc(db, path), {[names.count]: increment(1)}, {merge: true}),
    transaction: (path) => runTransaction(db, async (transaction) => {
      const count = (await transaction.get(doc(db, path))).get(names.count);
      transaction.update(doc(db, path), {[names.count]: count + 1});
    }),
  };
}
