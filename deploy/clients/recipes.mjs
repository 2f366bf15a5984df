// Uses of counters, with the modular Web SDK. README.md has the rules that each of them needs.
import {
  collection, doc, documentId, endAt, getDoc, getDocsFromServer, increment, limit, orderBy, query, refEqual, runTransaction,
  serverTimestamp, startAt, updateDoc, writeBatch,
} from 'firebase/firestore';

// One vote a poll for each user, with take-back.

/** Counts one for the choice; writes the user's slip, which names the shard. Fails if the user has voted for another choice. */
export async function vote(db, uid, poll, choice, shards) {
  const on = (number) => {
    const shard = doc(db, `polls/${poll}/counters/${choice}/shards/${number}`);
    return writeBatch(db).set(slip(db, poll, uid), {shard}).update(shard, {count: increment(1)}).commit();
  };
  try {
    await on(Math.floor(Math.random() * shards));
  } catch (refused) {
    // The vote may have counted: its reply was lost, and the SDK sent it again. Or a server has taken shards away, but never shard 0.
    const mine = await getDoc(slip(db, poll, uid));
    if (!mine.exists()) {
      await on(0);
    } else if (mine.get('shard').parent.parent.id !== choice) {
      throw refused;
    }
  }
}

/** Deletes the user's slip, and takes one off its shard. Fails if there is no slip. */
export async function takeBack(db, uid, poll) {
  const mine = await getDoc(slip(db, poll, uid));
  if (!mine.exists()) {
    throw new Error(`${mine.ref.path}: expected a vote; found none`);
  }
  const from = (shard) => writeBatch(db).delete(mine.ref).update(shard, {count: increment(-1)}).commit();
  try {
    await from(mine.get('shard'));
  } catch (refused) {
    // As above, it may be done. Or a server has taken the shard away, and its votes are in another one.
    if ((await getDoc(mine.ref)).exists()) {
      const shard = doc(mine.get('shard').parent, '0');
      await updateDoc(mine.ref, {shard});
      await from(shard);
    }
  }
}

function slip(db, poll, uid) {
  return doc(db, `polls/${poll}/slips/${uid}`);
}

// Clicks made offline, under the strict rules.

const REST = 1_100; // milliseconds: the rules ask for a second
const MOST_REFUSALS = 5;
const MOST_TRIES = 1_000; // half an hour without a network, at least

/**
 * Makes a function that counts a click, once, whatever replies are lost. Its calls wait for each other and for the network, and rest
 * for a second in between; what waits is lost with the page.
 */
export function clicks(db, uid, counter, shards) {
  let turn = Promise.resolve();
  return () => {
    const click = turn.then(() => count(db, uid, doc(db, `counters/${counter}/shards/${Math.floor(Math.random() * shards)}`)));
    turn = click.catch(() => {}).then(() => pause(REST));
    return click;
  };
}

async function count(db, uid, shard) {
  const pass = doc(db, 'passes', uid);
  let before;
  let refusals = 0;
  for (let tries = 1; ; tries++) {
    try {
      await runTransaction(db, async (transaction) => {
        const found = await transaction.get(pass);
        const at = found.exists() ? found.get('at').toMillis() : 0;
        before ??= at;
        // A try before this one may have counted: then the pass is newer, and names the shard.
        if (at === before || !refEqual(found.get('shard'), shard)) {
          transaction.update(shard, {count: increment(1)}).set(pass, {at: serverTimestamp(), shard});
        }
      });
      return;
    } catch (failure) {
      // Another page of the user's may have counted within the second.
      refusals += failure.code === 'permission-denied' ? 1 : 0;
      if (refusals === MOST_REFUSALS || tries === MOST_TRIES) {
        throw failure;
      }
      await pause(REST);
    }
  }
}

function pause(milliseconds) {
  return new Promise((later) => { setTimeout(later, milliseconds); });
}

// A leaderboard: a counter for each player of a game.

/** The highest scores: [{player, score}], for one read each. Fails offline: what a cache has is no leaderboard. */
export async function leaders(db, game, most) {
  const found = await getDocsFromServer(query(collection(db, `games/${game}/rollups`), orderBy('count', 'desc'), limit(most)));
  return found.docs.map((rollup) => ({player: rollup.id, score: rollup.get('count')}));
}

// Counts per hour and day: a counter for each hour, with the hour in its id.

/** The id of an hour's counter, such as `clicks-2026-05-01T12` (UTC). Ids rise with time. */
export function hourOf(name, date) {
  return `${name}-${date.toISOString().slice(0, 13)}`;
}

/** The totals of the hours of a day, by their counters' ids. A read for each hour with a total. Fails offline. */
export async function hoursOf(db, site, name, day) {
  const found = await getDocsFromServer(query(
    collection(db, `sites/${site}/rollups`), orderBy(documentId()), startAt(`${name}-${day}T00`),
    endAt(`${name}-${day}T23`), limit(24)));
  return new Map(found.docs.map((rollup) => [rollup.id, rollup.get('count')]));
}
