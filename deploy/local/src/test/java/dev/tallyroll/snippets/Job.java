package dev.tallyroll.snippets;

import com.google.gson.Gson;
import dev.tallyroll.it.Counter;
import dev.tallyroll.it.TestCloud;
import java.util.HashMap;
import java.util.Map;

/**
 * The task of a program in JavaScript, as its driver reads it. Immutable.
 *
 * @param id of the counter
 * @param shards how many the counter has
 * @param creates whether it is to create the counter first
 * @param way of incrementing
 * @param increments how many of them
 * @param database to work on
 * @param names of collections and fields, by what the modules call them
 */
record Job(
    String id,
    int shards,
    boolean creates,
    String way,
    int increments,
    String database,
    Map<String, String> names) {
  static final String ADD = "add";
  static final String ADD_ONCE = "addOnce";

  static final String ADD_AFTER_SHRINKING = "addAfterShrinking";

  /** As Google's sample for Node counts. */
  static final String MERGE = "merge";

  /** As the oldest samples count. */
  static final String TRANSACTION = "transaction";

  private static final Gson GSON = new Gson();

  /** On a counter of the cloud's own layout that exists. */
  static Job on(TestCloud cloud, Counter counter, int shards) {
    var layout = cloud.layout();
    return new Job(
        counter.path().id(),
        shards,
        false,
        ADD,
        0,
        cloud.local().database(),
        Map.of(
            "counters", layout.countersCollection(),
            "shards", layout.shards(),
            "rollups", layout.rollups(),
            "count", layout.countField(),
            "numShards", "num_shards"));
  }

  Job creating(String shardsField) {
    var renamed = new HashMap<>(names);
    renamed.put("numShards", shardsField);
    return new Job(id, shards, true, way, increments, database, Map.copyOf(renamed));
  }

  Job incrementing(String by, int times) {
    return new Job(id, shards, creates, by, times, database, names);
  }

  String json() {
    return GSON.toJson(this);
  }
}
