<?php
// Not run by this project's tests. A counter on a PHP server, with the sample's field Cnt, so the
// functions need COUNT_FIELD=Cnt. With FIRESTORE_EMULATOR_HOST in the environment,
// new FirestoreClient(['projectId' => 'demo-tallyroll']) works on the local stack.

use Google\Cloud\Firestore\FieldValue;
use Google\Cloud\Firestore\FirestoreClient;

/** Makes the shards, all at zero. */
function create_counter(FirestoreClient $db, string $id, int $numShards): void
{
    $shards = $db->collection("counters/$id/shards");
    for ($number = 0; $number < $numShards; $number++) {
        $shards->document((string) $number)->set(['Cnt' => 0]);
    }
}

/** Adds one to a random shard. */
function increment_counter(FirestoreClient $db, string $id, int $numShards): void
{
    $number = random_int(0, $numShards - 1);
    $db->document("counters/$id/shards/$number")->update([
        ['path' => 'Cnt', 'value' => FieldValue::increment(1)],
    ]);
}

/** The total, for one read: this client has no listeners. */
function total(FirestoreClient $db, string $id): int|float
{
    $rollup = $db->document("rollups/$id")->snapshot();
    return $rollup->exists() ? $rollup->get('count') : 0;
}
