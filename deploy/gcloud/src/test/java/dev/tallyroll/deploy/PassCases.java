package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Call.commit;
import static dev.tallyroll.deploy.Call.increment;
import static dev.tallyroll.deploy.Call.integer;
import static dev.tallyroll.deploy.Call.set;
import static dev.tallyroll.deploy.Place.stamped;

import java.util.ArrayList;
import java.util.List;

/** What clients try with passes, under the strict rules. One object builds one list. */
final class PassCases {

  private static final String LONG_AGO = "\"at\":{\"timestampValue\":\"2020-01-01T00:00:00Z\"}";
  private static final String FAR_AHEAD = "\"at\":{\"timestampValue\":\"2099-01-01T00:00:00Z\"}";

  private final Place place;
  private final List<RulesCase> cases = new ArrayList<>();

  private PassCases(Place place) {
    this.place = place;
  }

  static List<RulesCase> of(Place place, boolean again) {
    PassCases built = new PassCases(place);
    built.add("a second time, rested", again, List.of(built.old()), built.step(), built.pass());
    built.unpaid();
    built.forged();
    built.others();
    return built.cases;
  }

  private void unpaid() {
    denied("without a pass", step());
    add("with the pass of an earlier commit", false, List.of(old()), step());
    add("within a second", false, List.of(pass()), step(), pass());
    denied("with a pass for another shard", step(), stamped(place.pass(), place.shard("1")));
    String second = place.shard("1");
    List<String> given = List.of(set(second, "\"" + place.field() + "\":" + integer(5)));
    add("two shards in one commit", false, given, step(), stepOf(second), pass());
    String both = "\"shard\":{\"arrayValue\":{\"values\":[%s]}}".formatted(text(shard()));
    denied("a list of shards", step(), Call.stamp(place.pass(), both));
  }

  private void forged() {
    String named = "\"shard\":" + text(shard());
    denied("a back-dated pass", set(place.pass(), named + "," + LONG_AGO));
    denied("a post-dated pass", set(place.pass(), named + "," + FAR_AHEAD));
    denied(
        "an increment with a back-dated pass", step(), set(place.pass(), named + "," + LONG_AGO));
    denied("a pass without a time", set(place.pass(), named));
    denied("a pass that lists shards", Call.stamp(place.pass(), "\"shard\":{\"arrayValue\":{}}"));
    denied("a pass with more in it", Call.stamp(place.pass(), named + ",\"mine\":" + integer(1)));
    denied("a long pass", Call.stamp(place.pass(), "\"shard\":" + text("x".repeat(1501))));
    add(
        "back-dating a pass that is there",
        false,
        List.of(pass()),
        set(place.pass(), named + "," + LONG_AGO));
    for (String name : List.of(",\"mine\":" + integer(1), "")) {
      String shape = name.isEmpty() ? "\"shard\":" + text("x".repeat(1501)) : named + name;
      add(
          "overwriting a pass, " + shape.length(),
          false,
          List.of(old()),
          Call.stamp(place.pass(), shape));
    }
    add("deleting a pass", false, List.of(pass()), Call.delete(place.pass()));
    cases.add(
        new RulesCase("reading a pass", false, "@U", List.of(pass()), Call.get(place.pass())));
  }

  private void others() {
    String victim = place.pass().replace("@U", "@V");
    denied("somebody else's pass", step(), stamped(victim, shard()));
    denied("locking somebody out", stamped(victim, shard()));
    String old = set(victim, "\"shard\":" + text(shard()) + "," + LONG_AGO);
    add("locking somebody out again", false, List.of(old), stamped(victim, shard()));
  }

  private void denied(String name, String... writes) {
    add(name, false, List.of(), writes);
  }

  private void add(String name, boolean allowed, List<String> more, String... writes) {
    List<String> given = new ArrayList<>(place.seed());
    given.addAll(more);
    cases.add(new RulesCase(name, allowed, "@U", given, commit(List.of(writes))));
  }

  private String step() {
    return stepOf(shard());
  }

  private String stepOf(String shard) {
    return increment(shard, place.field(), integer(1));
  }

  private String pass() {
    return stamped(place.pass(), shard());
  }

  private String old() {
    return set(place.pass(), "\"shard\":" + text(shard()) + "," + LONG_AGO);
  }

  private String shard() {
    return place.shard("0");
  }

  private static String text(String value) {
    return "{\"stringValue\":\"" + value + "\"}";
  }
}
