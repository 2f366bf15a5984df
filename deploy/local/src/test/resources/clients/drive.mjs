// Drives the snippet that it was copied beside: listens, creates or not, increments, says what was
// acknowledged, and goes on listening until its input ends, which it does with the test.
import * as counter from './counter.mjs';

/** A commit that the emulator gives up has changed nothing: gRPC's number, and the Web SDK's name. */
const ABORTED = [10, 'aborted'];

const job = JSON.parse(process.argv[2]);
const db = counter.connect({
  projectId: process.env.GOOGLE_CLOUD_PROJECT,
  databaseId: job.database,
  emulator: process.env.FIRESTORE_EMULATOR_HOST,
});

const stop = counter.listenToTotal(db, job.id, (total) => console.log(`total ${total}`), job.names);
if (job.creates) {
  await counter.createCounter(db, job.id, job.shards, job.names);
  console.log('created 1');
}
let acknowledged = 0;
for (let call = 0; call < job.increments; call++) {
  acknowledged += await isAcknowledged(counter[job.way](db, job.id, job.shards, job.names));
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
