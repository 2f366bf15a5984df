// Votes of the recipe "One vote for each user", with @google-cloud/firestore or firebase-admin on a server.

/** Slips of one batch: with a shard for each, this makes 400 writes. */
const MOST_SLIPS = 200;

/** NOT_FOUND, FAILED_PRECONDITION and ABORTED: somebody was faster, at a slip or at a shard. */
const OVERTAKEN = [5, 9, 10];

/**
 * Takes back all votes for a poll, `db.doc('polls/p')`, that were there at the call, and some of the newer ones; returns how many.
 * Users may vote and take back meanwhile: each total is the number of its slips at every moment. It may be stopped and repeated.
 */
export async function clearVotes(poll) {
  let cleared = 0;
  let last;
  let most = MOST_SLIPS;
  for (;;) {
    const slips = poll.collection('slips').limit(most);
    const page = await (last ? slips.startAfter(last) : slips).get();
    if (page.empty) {
      return cleared;
    }
    try {
      await clear(poll, page.docs);
      cleared += page.size;
      last = page.docs.at(-1);
      most = MOST_SLIPS;
    } catch (failure) {
      if (!OVERTAKEN.includes(failure.code)) {
        throw failure;
      }
      most = Math.ceil(page.size / 2); // in the end one slip, which only its own user can change
    }
  }
}

/** Deletes slips as they were read, and takes their votes off the shards, in one batch: refused if a user took one back meanwhile. */
async function clear(poll, slips) {
  const batch = poll.firestore.batch();
  slips.forEach((slip) => batch.delete(slip.ref, {lastUpdateTime: slip.updateTime}));
  const {FieldValue} = poll.firestore.constructor; // the app's own copy of the SDK
  for (const [shard, votes] of await votesByShard(poll, slips)) {
    batch.update(poll.firestore.doc(shard), {count: FieldValue.increment(-votes)});
  }
  await batch.commit();
}

/** How many votes to take off which shard: [path, votes]. If a server has taken a shard away, its votes are in another one. */
async function votesByShard(poll, slips) {
  const {firestore} = poll;
  const named = slips.map((slip) => slip.get('shard')).filter((shard) => isShardOf(poll, shard));
  const choices = named.map((shard) => [shard.path, shard.parent.doc('0').path]);
  const shards = [...new Set(choices.flat())].map((path) => firestore.doc(path));
  const read = shards.length > 0 ? await firestore.getAll(...shards) : [];
  const there = new Set(read.filter(({exists}) => exists).map(({ref}) => ref.path));
  const votes = new Map();
  for (const choice of choices) {
    const shard = choice.find((path) => there.has(path)); // none if the counter was deleted, with its votes
    if (shard) {
      votes.set(shard, (votes.get(shard) ?? 0) + 1);
    }
  }
  return votes;
}

/**
 * The rules let a slip name any document, such as a shard of another poll, if the same commit counts there. No vote here belongs to
 * such a slip.
 */
function isShardOf(poll, shard) {
  return shard?.parent?.id === 'shards' && shard.parent.parent?.parent.path === `${poll.path}/counters`;
}
