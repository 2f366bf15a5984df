package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Call.commit;
import static dev.tallyroll.deploy.Call.delete;
import static dev.tallyroll.deploy.Call.increment;
import static dev.tallyroll.deploy.Call.incrementTwice;
import static dev.tallyroll.deploy.Call.integer;
import static dev.tallyroll.deploy.Call.mergeIncrement;
import static dev.tallyroll.deploy.Call.set;
import static dev.tallyroll.deploy.Call.update;

import java.util.ArrayList;
import java.util.List;

/**
 * What clients try with shards, under either rule set: where a pass is asked for, each try brings a
 * valid one, so that nothing but the shard's own rule can deny it. One object builds one list.
 */
final class ShardCases {

  private static final long LARGEST_SAFE = 9_007_199_254_740_991L;

  private final Place place;
  private final List<RulesCase> cases = new ArrayList<>();

  private ShardCases(Place place) {
    this.place = place;
  }

  static List<RulesCase> of(Place place) {
    ShardCases built = new ShardCases(place);
    built.honest();
    built.values();
    built.steps();
    built.shapes();
    built.starts();
    built.creates();
    return built.cases;
  }

  private void honest() {
    allowed("increment", increment(shard(), field(), integer(1)));
    allowed("increment by a merging set", mergeIncrement(shard(), field(), integer(1)));
    allowed("the oldest edition's transaction", update(shard(), field(), integer(6)));
  }

  private void values() {
    denied("a million", update(shard(), field(), integer(1_000_000)));
    denied("a negative number", update(shard(), field(), integer(-5)));
    for (String number : List.of("\"NaN\"", "\"Infinity\"", "\"-Infinity\"", "1e308", "6.0")) {
      denied("the double " + number, update(shard(), field(), "{\"doubleValue\":" + number + "}"));
    }
    denied("a string", update(shard(), field(), "{\"stringValue\":\"6\"}"));
    denied("null", update(shard(), field(), "{\"nullValue\":null}"));
    denied("a map", update(shard(), field(), "{\"mapValue\":{}}"));
    denied("an array", update(shard(), field(), "{\"arrayValue\":{}}"));
  }

  private void steps() {
    denied("nothing more", update(shard(), field(), integer(5)));
    denied("two more", update(shard(), field(), integer(7)));
    denied("two more by increment", increment(shard(), field(), integer(2)));
    denied("one and a half", increment(shard(), field(), "{\"doubleValue\":1.5}"));
    denied("one as a double", increment(shard(), field(), "{\"doubleValue\":1.0}"));
    denied("two less", update(shard(), field(), integer(3)));
    denied("two increments in one write", incrementTwice(shard(), field()));
    String once = increment(shard(), field(), integer(1));
    denied("two increments in one commit", once, once);
  }

  private void shapes() {
    String six = "\"" + field() + "\":" + integer(6);
    denied("a field more", set(shard(), six + ",\"mine\":" + integer(1)));
    denied("the field under another name", set(shard(), "\"mine\":" + integer(6)));
    denied("no field", set(shard(), ""));
    denied("another field only", update(shard(), "mine", integer(1)));
    denied("deleting a shard", delete(shard()));
  }

  private void starts() {
    String once = increment(shard(), field(), integer(1));
    from("the largest safe integer", integer(LARGEST_SAFE), once);
    from("the largest integer", integer(Long.MAX_VALUE), once);
    from(
        "the largest integer, spelt out",
        integer(Long.MAX_VALUE),
        update(shard(), field(), integer(Long.MIN_VALUE)));
    from("a double", "{\"doubleValue\":5.0}", update(shard(), field(), integer(6)));
    from("a double, kept one", "{\"doubleValue\":5.0}", once);
    from("a string", "{\"stringValue\":\"5\"}", once);
    String half = "{\"doubleValue\":5.5}";
    from("five and a half", half, update(shard(), field(), "{\"doubleValue\":6.5}"));
    add(
        "from a shard without the field",
        false,
        "@U",
        List.of(set(shard(), "")),
        commit(place.paid(shard(), once)));
  }

  private void creates() {
    List<String> ids =
        List.of("7", "00", "-1", "20", "x".repeat(1500), "\u00fc\u20ac\ud83d\ude00", "%2F");
    for (String id : ids) {
      String created = place.shard(id);
      String label = "creating shard " + (id.length() > 9 ? "of 1500 bytes" : id);
      String one = "\"" + field() + "\":" + integer(1);
      add(label, false, "@U", seed(), commit(place.paid(created, set(created, one))));
    }
    String other = place.shard("8");
    String merged = mergeIncrement(other, field(), integer(1));
    add("creating by increment", false, "@U", seed(), commit(place.paid(other, merged)));
    add(
        "a counter that is not there",
        false,
        "@U",
        List.of(),
        commit(place.paid(shard(), merged.replace("/8", "/0"))));
  }

  private void allowed(String name, String... writes) {
    add(name, true, "@U", seed(), commit(place.paid(shard(), writes)));
  }

  private void denied(String name, String... writes) {
    add(name, false, "@U", seed(), commit(place.paid(shard(), writes)));
  }

  private void from(String name, String value, String write) {
    List<String> given = List.of(set(shard(), "\"" + field() + "\":" + value));
    add("from " + name, false, "@U", given, commit(place.paid(shard(), write)));
  }

  private void add(String name, boolean allowed, String uid, List<String> given, Call call) {
    cases.add(new RulesCase(name, allowed, uid, given, call));
  }

  private List<String> seed() {
    return place.seed();
  }

  private String shard() {
    return place.shard("0");
  }

  private String field() {
    return place.field();
  }
}
