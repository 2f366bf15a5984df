package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Call.integer;
import static dev.tallyroll.deploy.Call.set;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Where a counter lies, and what an increment of it costs.
 *
 * @param counter the counter's path
 * @param shards the name of its collection of shards
 * @param rollup the path of its roll-up
 * @param pass the path of the client's pass; empty where none is asked for
 */
record Place(String counter, String shards, String field, String rollup, String pass) {

  static final Place PLAIN = new Place("counters/@C", "shards", "count", "rollups/@C", "");
  static final Place STRICT = PLAIN.with("passes/@U");
  static final Place ONCE = PLAIN.with("counters/@C/passes/@U");

  Place with(String path) {
    return new Place(counter, shards, field, rollup, path);
  }

  String shard(String id) {
    return counter + "/" + shards + "/" + id;
  }

  /** A counter with one shard that stands at five. */
  List<String> seed() {
    return List.of(
        set(counter, "\"num_shards\":" + integer(1)),
        set(shard("0"), "\"" + field + "\":" + integer(5)));
  }

  /** The writes, and the pass that pays for them. */
  List<String> paid(String shard, String... writes) {
    List<String> all = new ArrayList<>(Arrays.asList(writes));
    if (!pass.isEmpty()) {
      all.add(stamped(pass, shard));
    }
    return all;
  }

  static String stamped(String pass, String shard) {
    return Call.stamp(pass, "\"shard\":{\"stringValue\":\"" + shard + "\"}");
  }
}
