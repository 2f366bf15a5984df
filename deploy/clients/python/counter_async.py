# Not run by this project's tests. The same with firestore.AsyncClient, which has no listeners: a
# program that needs one uses the other client for it.
import random

from google.cloud import firestore


async def create_counter(db, counter_id, num_shards):
    """The counter and its shards, all at zero, in one batch."""
    counter = db.collection("counters").document(counter_id)
    batch = db.batch()
    batch.set(counter, {"num_shards": num_shards})
    for number in range(num_shards):
        batch.set(counter.collection("shards").document(str(number)), {"count": 0})
    await batch.commit()


async def increment_counter(db, counter_id, num_shards):
    """Adds one to a random shard."""
    shards = db.collection("counters").document(counter_id).collection("shards")
    shard = shards.document(str(random.randrange(num_shards)))
    await shard.update({"count": firestore.Increment(1)})


async def total(db, counter_id):
    """The total, for one read."""
    rollup = await db.collection("rollups").document(counter_id).get()
    return rollup.get("count") if rollup.exists else 0
