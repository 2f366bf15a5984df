package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Call.integer;
import static dev.tallyroll.deploy.Call.set;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Where a counter lies, and which rules hold there. Immutable.
 *
 * @param parent the path of the counter's parent with a slash, or empty
 * @param counters the name of its collection of counters, as shards and rollups are
 * @param field the field of a shard that is incremented
 * @param terms what the rules were asked to be: strict, once, down, list
 */
record Place(
    String parent,
    String counters,
    String shards,
    String rollups,
    String field,
    Set<String> terms) {

  static Place with(String... terms) {
    return new Place("", "counters", "shards", "rollups", "count", Set.of(terms));
  }

  Place in(String other) {
    return new Place(other, counters, shards, rollups, field, terms);
  }

  boolean is(String term) {
    return terms.contains(term);
  }

  String counter() {
    return parent + counters + "/@C";
  }

  String shard(String id) {
    return counter() + "/" + shards + "/" + id;
  }

  String rollup() {
    return parent + rollups + "/@C";
  }

  /** The path of the client's pass. */
  String pass() {
    return is("once") ? counter() + "/passes/@U" : "passes/@U";
  }

  /** What a pass for that shard holds beside its time. */
  String payment(String shard) {
    return "\"shard\":"
        + (is("once")
            ? Call.text(shard.substring(shard.lastIndexOf('/') + 1))
            : Call.reference(shard));
  }

  /** A counter with one shard that stands at five. */
  List<String> seed() {
    return List.of(
        set(counter(), "\"num_shards\":" + integer(1)), shardAt("0", integer(5)), total(counter()));
  }

  String shardAt(String id, String value) {
    return set(shard(id), "\"" + field + "\":" + value);
  }

  /** The roll-up, with the mark of that counter. */
  String total(String mark) {
    return set(rollup(), "\"count\":" + integer(5) + ",\"counter\":" + Call.text(mark));
  }

  /** The writes, and the pass that pays for them where one is asked for. */
  List<String> paid(String shard, String... writes) {
    List<String> all = new ArrayList<>(Arrays.asList(writes));
    if (is("strict")) {
      all.add(Call.stamp(pass(), payment(shard)));
    }
    return all;
  }
}
