// Numbers to start from, with @google-cloud/firestore or firebase-admin on a server. README.md says when to take which.

/** The increments' field: the entry's "sum". */
const COUNT = 'count';

/** The database's own classes: an app may have a second copy of the SDK, whose values Firestore refuses. */
const sdk = (place) => place.firestore.constructor;

/** What rules and functions take from clients, too. */
function checkNumber(number) {
  const fits = Number.isInteger(number) ? Number.isSafeInteger(number) : Number.isFinite(number);
  if (!fits) {
    throw new RangeError(`expected a finite number, a whole one below 2^53; found ${number}`);
  }
}

/** Gives a counter this number to start from, in a shard of its own; a repetition replaces it. 1 write. */
export async function startFrom(counter, number) {
  checkNumber(number);
  await counter.collection('shards').doc('base').set({[COUNT]: number});
}

/**
 * Calls `start(post)` for each document of a collection, page by page, in the order of their ids. It may be stopped, and begun after
 * an id that `done` was told.
 */
export async function startAll(collection, start, done, after = '') {
  for (let last = after; ;) {
    const ordered = collection.orderBy(sdk(collection).FieldPath.documentId());
    const page = await (last ? ordered.startAfter(last) : ordered).limit(100).get();
    if (page.empty) {
      return;
    }
    await Promise.all(page.docs.map(start));
    last = page.docs.at(-1).id;
    done(last);
  }
}

/**
 * With FOLD: adds a number to a counted field of a document, once; a repetition with another number adds the difference, as the
 * document keeps in `started` what was added. 1 read and 1 write.
 */
export async function startFieldFrom(document, field, number) {
  checkNumber(number);
  const {FieldPath, FieldValue} = sdk(document);
  await document.firestore.runTransaction(async (transaction) => {
    const key = new FieldPath('started', field);
    const before = (await transaction.get(document)).get(key) ?? 0;
    transaction.update(document, new FieldPath(...field.split('.')), FieldValue.increment(number - before), key, number);
  });
}
