package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Call.commit;
import static dev.tallyroll.deploy.Call.decimal;
import static dev.tallyroll.deploy.Call.delete;
import static dev.tallyroll.deploy.Call.integer;
import static dev.tallyroll.deploy.Call.set;
import static dev.tallyroll.deploy.Call.text;

import dev.tallyroll.deploy.RulesCases.Case;
import dev.tallyroll.deploy.RulesCases.Place;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Requests of clients under the rules {@code own}: each user may own one document below a counter.
 * Its value may be from {@link #LEAST} to {@link #MOST}. One object builds one list.
 */
final class OwnCases {
  static final int LEAST = -1;
  static final int MOST = 5;

  private static final String VALUE = integer(3);

  private final Place place;
  private final String counter;
  private final String own;
  private final String others;

  /** Whether all documents count one, whatever they hold. */
  private final boolean any;

  private final List<Case> cases = new ArrayList<>();

  private OwnCases(Place place) {
    this.place = place;
    counter = place.parent() + place.counters() + "/@C";
    own = counter + "/" + place.shards() + "/@U";
    others = counter + "/" + place.shards() + "/@V";
    any = place.options().matches(".*\\.sum=( .*)?");
  }

  static List<Case> at(Place place) {
    OwnCases built = new OwnCases(place);
    built.documents();
    built.reads();
    built.values();
    built.functionsDocuments();
    if (place.is("keeps")) {
      built.fieldsOfTheFunctions();
    }
    return built.cases;
  }

  private void documents() {
    write("making one's own", true, List.of(), holding(own, VALUE));
    write("changing one's own", true, List.of(holding(own, integer(1))), holding(own, VALUE));
    write("deleting one's own", true, List.of(holding(own, VALUE)), delete(own));
    String more = "," + "\"text\":" + text("fine");
    write("with a field more", true, List.of(), set(own, field(VALUE) + more));
    write("one and the other", false, List.of(), holding(own, VALUE), holding(others, VALUE));

    List<String> theirs = List.of(holding(others, VALUE));
    write("making another's", false, List.of(), holding(others, VALUE));
    write("taking over another's", false, theirs, holding(others, integer(1)));
    write("deleting another's", false, theirs, delete(others));
    for (String id : List.of("2", "x@U", "@Ux", "x")) {
      String second = own.replace("@U", id);
      write("a second one, " + id, false, List.of(), holding(own, VALUE), holding(second, VALUE));
      write("only a second one, " + id, false, List.of(), holding(second, VALUE));
    }
    write(
        "one below one's own",
        false,
        List.of(),
        holding(own + "/" + place.shards() + "/@U", VALUE));
    String elsewhere = own.replace(place.counters() + "/", "elsewhere/");
    write("one below another document", false, List.of(), holding(elsewhere, VALUE));

    for (String uid : List.of(Case.SIGNED_OUT, "")) {
      String who = ", uid " + uid;
      add("making one" + who, false, uid, List.of(), commit(List.of(holding(own, VALUE))));
      List<String> given = List.of(holding(own, VALUE));
      add("changing one" + who, false, uid, given, commit(List.of(holding(own, integer(1)))));
      add("deleting one" + who, false, uid, given, commit(List.of(delete(own))));
    }
  }

  private void reads() {
    List<String> given = List.of(holding(own, VALUE), holding(others, VALUE));
    add("reading one's own", true, "@U", given, Call.get(own));
    add("reading one's own that is not there", true, "@U", List.of(), Call.get(own));
    add("reading another's", false, "@U", given, Call.get(others));
    add("reading another's that is not there", false, "@U", List.of(), Call.get(others));
    add("reading one, signed out", false, Case.SIGNED_OUT, given, Call.get(own));
    add("querying one's own", false, "@U", given, Call.named(counter, place.shards(), own));
    add("listing them", false, "@U", given, Call.get(counter + "/" + place.shards()));
    add("reading the counter's document", false, "@U", given, Call.get(counter));
  }

  private void values() {
    for (int value : new int[] {LEAST, 0, MOST}) {
      value("the integer " + value, true, field(integer(value)));
    }
    for (long value : new long[] {LEAST - 1, MOST + 1, 1_000_000, Long.MIN_VALUE, Long.MAX_VALUE}) {
      value("the integer " + value, any, field(integer(value)));
    }
    value("the double 3.0", true, field(decimal("3.0"))); // as Flutter and React Native send a 3
    for (String value : List.of("3.5", "6.0", "-2.0", "\"NaN\"", "\"Infinity\"", "1e308")) {
      value("the double " + value, any, field(decimal(value)));
    }
    value("a text", any, field(text("3")));
    value("null", any, field("{\"nullValue\":null}"));
    value("true", any, field("{\"booleanValue\":true}"));
    value("a map", any, field("{\"mapValue\":{}}"));
    value("an array", any, field("{\"arrayValue\":{\"values\":[%s]}}".formatted(VALUE)));
    value("no field", any, "");
    value("another field", any, "\"other\":" + VALUE);
    if (place.field().contains(".")) {
      String[] names = place.field().split("\\.", 2);
      value("the field above", any, "\"%s\":%s".formatted(names[0], VALUE));
      value("the field below", any, "\"%s\":%s".formatted(names[1], VALUE));
      value("a name with a dot", any, "\"%s\":%s".formatted(place.field(), VALUE));
    }
  }

  private void value(String name, boolean allowed, String fields) {
    write("making one with " + name, allowed, List.of(), set(own, fields));
    write("changing one to " + name, allowed, List.of(holding(own, integer(1))), set(own, fields));
    List<String> odd = List.of(set(own, fields));
    write("mending one with " + name, true, odd, holding(own, integer(1)));
  }

  private void functionsDocuments() {
    String rollup = place.parent() + place.rollups() + "/@C";
    for (String path :
        List.of(rollup, "rollup_runs/tallyroll/live/run-@C", counter + "/increment_names/n")) {
      String nine = set(path, "\"count\":" + integer(9));
      write("writing " + path, false, List.of(), nine);
      write("writing " + path + " beside one's own", false, List.of(), holding(own, VALUE), nine);
      write("deleting " + path, false, List.of(nine), delete(path));
    }
    if (!place.is("keeps")) {
      write("writing the counter", false, List.of(), set(counter, "\"title\":" + text("x")));
    }
  }

  /** The app's rule of a counter's document lets all pass but the functions' fields. */
  private void fieldsOfTheFunctions() {
    Map<String, String> values =
        Map.of("sum", integer(8), "number", integer(2), "mean", decimal("4.0"));
    String title = "\"title\":" + text("x");
    String all = title;
    for (var one : values.entrySet()) {
      all += ",\"%s\":%s".formatted(one.getKey(), one.getValue());
    }
    List<String> given = List.of(set(counter, all));
    write("a counter without them", true, List.of(), set(counter, title));
    write("a title", true, given, set(counter, all.replace("x", "y")));
    for (var one : values.entrySet()) {
      String name = one.getKey();
      String here = "\"%s\":".formatted(name);
      String none = all.replace("," + here + one.getValue(), "");
      String nothing = here + "{\"nullValue\":null}";
      write("changing " + name, false, given, set(counter, none + "," + here + integer(9)));
      write("null for " + name, false, given, set(counter, none + "," + nothing));
      write(
          "null where there is no " + name,
          false,
          List.of(set(counter, none)),
          set(counter, none + "," + nothing));
      write("deleting one with " + name, true, given, delete(counter));
      write("removing " + name, false, given, set(counter, none));
      write("adding " + name, false, List.of(set(counter, none)), set(counter, all));
      write(
          "adding 0 as " + name,
          false,
          List.of(set(counter, none)),
          set(counter, none + "," + here + integer(0)));
      write(
          "a counter with " + name,
          false,
          List.of(),
          set(counter, title + "," + here + one.getValue()));
      write(
          "a counter with null as " + name,
          false,
          List.of(),
          set(counter, here + "{\"nullValue\":null}"));
      write("a counter with 0 as " + name, true, List.of(), set(counter, here + integer(0)));
      write("a counter with 0.0 as " + name, true, List.of(), set(counter, here + decimal("0.0")));
    }
  }

  private void write(String name, boolean allowed, List<String> given, String... writes) {
    add(name, allowed, "@U", given, commit(Arrays.asList(writes)));
  }

  private void add(String name, boolean allowed, String uid, List<String> given, Call call) {
    cases.add(new Case("own: " + name, allowed, uid, given, call));
  }

  private String holding(String document, String value) {
    return set(document, field(value));
  }

  /** The counted field, which may be one in a map. */
  private String field(String value) {
    String[] names = place.field().split("\\.", 2);
    return names.length == 1
        ? "\"%s\":%s".formatted(names[0], value)
        : "\"%s\":{\"mapValue\":{\"fields\":{\"%s\":%s}}}".formatted(names[0], names[1], value);
  }
}
