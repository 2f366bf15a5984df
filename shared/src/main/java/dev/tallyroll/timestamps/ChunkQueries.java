package dev.tallyroll.timestamps;

import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import java.util.List;

/** The fewest queries that together find what the caller's query finds, each ordered. Immutable. */
record ChunkQueries(BaseQuery base, Fields fields, ShardValues values) {

  List<Query> ordered(Direction direction) {
    return values.chunks(base.valuesPerQuery()).stream()
        .map(chunk -> ordered(chunk, direction))
        .toList();
  }

  private Query ordered(List<Object> chunk, Direction direction) {
    return base.query()
        .whereIn(fields.shard(), chunk)
        .whereGreaterThanOrEqualTo(fields.timestamp(), fields.kind().least())
        .orderBy(fields.timestamp(), direction)
        .orderBy(FieldPath.documentId(), direction);
  }
}
