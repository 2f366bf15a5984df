package dev.tallyroll.snippets;

import com.google.gson.Gson;
import dev.tallyroll.it.TestCloud;
import dev.tallyroll.it.TestCounter;
import java.util.HashMap;
import java.util.Map;

/**
 * The task of a program in JavaScript, in the form that its driver reads. Immutable.
 *
 * @param id of the counter
 * @param shards the number of the counter's shards
 * @param creates whether the program creates the counter first
 * @param way of incrementing; or several, with blanks between, one after another
 * @param increments the number of increments in each way
 * @param database the database to use
 * @param names names of collections and fields, by their names in the modules
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
  static final String ADD_BUFFERED = "addBuffered";

  static final String ADD_AFTER_SHRINKING = "addAfterShrinking";

  /** The way of Google's sample for Node. */
  static final String MERGE = "merge";

  /** The way of the oldest samples. */
  static final String TRANSACTION = "transaction";

  private static final Gson GSON = new Gson();

  /** A job on an existing counter in the cloud's own layout. */
  static Job on(TestCloud cloud, TestCounter counter, int shards) {
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
