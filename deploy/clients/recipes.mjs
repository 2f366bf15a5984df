// Uses of counters, with the modular Web SDK. README.md has the rules that each of them needs.
import {
  collection, doc, documentId, endAt, getDoc, getDocs, increment, limit, orderBy, query, startAt, writeBatch,
} from 'firebase/firestore';

// One vote a poll for each user, with take-back.

/** Counts one for the choice; writes the user's slip, which names the shard. Fails if it exists. */
export async function vote(db, uid, poll, choice, shards) {
  const shard = doc(db, `polls/${poll}/counters/${choice}/shards/${Math.floor(Math.random() * shards)}`);
  const batch = writeBatch(db);
  batch.set(slip(db, poll, uid), {shard});
  batch.update(shard, {count: increment(1)});
  await batch.commit();
}

/** Deletes the user's slip, and takes one off its shard. Fails if there is no slip. */
export async function takeBack(db, uid, poll) {
  const mine = await getDoc(slip(db, poll, uid));
  if (!mine.exists()) {
    throw new Error(`${mine.ref.path}: expected a vote; found none`);
  }
  const batch = writeBatch(db);
  batch.delete(slip(db, poll, uid));
  batch.update(mine.get('shard'), {count: increment(-1)});
  await batch.commit();
}

function slip(db, poll, uid) {
  return doc(db, `polls/${poll}/slips/${uid}`);
}

// A leaderboard: a counter for each player of a game.

/** The highest scores: [{player, score}], for one read each. */
export async function leaders(db, game, most) {
  const found = await getDocs(query(collection(db, `games/${game}/rollups`), orderBy('count', 'desc'), limit(most)));
  return found.docs.map((rollup) => ({player: rollup.id, score: rollup.get('count')}));
}

// Counts per hour and day: a counter for each hour, with the hour in its id.

/** The id of an hour's counter, such as `clicks-2026-05-01T12` (UTC). Ids rise with time. */
export function hourOf(name, date) {
  return `${name}-${date.toISOString().slice(0, 13)}`;
}

/** The totals of the hours of a day, by their counters' ids. A read for each hour with a total. */
export async function hoursOf(db, site, name, day) {
  const found = await getDocs(query(
    collection(db, `sites/${site}/rollups`), orderBy(documentId()), startAt(`${name}-${day}T00`),
    endAt(`${name}-${day}T23`), limit(24)));
  return new Map(found.docs.map((rollup) => [rollup.id, rollup.get('count')]));
}
