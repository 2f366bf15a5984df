# Not run by this project's tests. A counter on a Python server; with FIRESTORE_EMULATOR_HOST in the
# environment, firestore.Client(project="demo-tallyroll") works on the local stack.
import random

from google.cloud import firestore


def create_counter(db, counter_id, num_shards):
    """The counter and its shards, all at zero, in one batch."""
    counter = db.collection("counters").document(counter_id)
    batch = db.batch()
    batch.set(counter, {"num_shards": num_shards})
    for number in range(num_shards):
        batch.set(counter.collection("shards").document(str(number)), {"count": 0})
    batch.commit()


def increment_counter(db, counter_id, num_shards):
    """Adds one to a random shard."""
    shards = db.collection("counters").document(counter_id).collection("shards")
    shards.document(str(random.randrange(num_shards))).update({"count": firestore.Increment(1)})


def listen_to_total(db, counter_id, show):
    """Shows the total now and whenever it changes, until unsubscribe() of what this returns."""

    def on_snapshot(rollups, changes, read_time):
        show(next((rollup.get("count") for rollup in rollups if rollup.exists), 0))

    return db.collection("rollups").document(counter_id).on_snapshot(on_snapshot)
