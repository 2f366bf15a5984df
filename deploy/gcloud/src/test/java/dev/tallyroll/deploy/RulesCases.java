package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Call.commit;
import static dev.tallyroll.deploy.Call.decimal;
import static dev.tallyroll.deploy.Call.delete;
import static dev.tallyroll.deploy.Call.increment;
import static dev.tallyroll.deploy.Call.incrementTwice;
import static dev.tallyroll.deploy.Call.integer;
import static dev.tallyroll.deploy.Call.mergeIncrement;
import static dev.tallyroll.deploy.Call.reference;
import static dev.tallyroll.deploy.Call.set;
import static dev.tallyroll.deploy.Call.stamp;
import static dev.tallyroll.deploy.Call.text;
import static dev.tallyroll.deploy.Call.update;
import static java.util.stream.Collectors.joining;

import com.google.common.base.Splitter;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.operator.ClientRules;
import dev.tallyroll.operator.RulesOptions;
import dev.tallyroll.settings.OperatorSettings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * All that clients try at one place. Where a pass is asked for, each try brings a valid one, so
 * that nothing but the rule that is meant can deny it. One object builds one list.
 */
final class RulesCases {

  /**
   * A counter at some place, and the rules that are printed for it. Immutable.
   *
   * @param options settings, keys of the entry, and options of the rules: strict, once, down, list
   *     and ** among them say what may be done
   * @param byHand what is then changed in the rules by hand: mayCount is filled in with the example
   *     of the rules; or {@code keeps}: the app's rule of counters' documents is pasted
   * @param parent the path of the counter's parent with a slash, or empty
   * @param counters the name of its collection of counters, as shards and rollups are
   * @param field the field of a shard that is incremented
   */
  record Place(
      String options,
      String byHand,
      String parent,
      String counters,
      String shards,
      String rollups,
      String field) {

    private static final Pattern EXAMPLE =
        Pattern.compile("// +(return [^;]*;)$", Pattern.MULTILINE);

    private static final Pattern NUM_SHARDS = Pattern.compile("--num-shards=(\\w+)");

    static Place with(String options) {
      return new Place(options, "", "", "counters", "shards", "rollups", "count");
    }

    Place in(String other) {
      return new Place(options, byHand, other, counters, shards, rollups, field);
    }

    Place changed(String other) {
      return new Place(options, other, parent, counters, shards, rollups, field);
    }

    boolean is(String term) {
      String option = term.equals("anywhere") ? "\\*\\*}/counters/.*" : term;
      return byHand.equals(term) || options.matches(".*[=,']" + option + "([ ,'].*)?");
    }

    /** The field of a counter's own document with its number of shards. */
    String numShards() {
      Matcher own = NUM_SHARDS.matcher(options);
      return own.find() ? own.group(1) : "num_shards";
    }

    /** May clients count here at all? */
    boolean isOpen() {
      return !is("anywhere") || (is("mayCount") && parent.equals("rooms/r1/"));
    }

    /** The text of the rules. */
    String rules() {
      String staged = printed();
      if (is("keeps")) {
        String match = "match /%s/{counter} { allow write: if keepsTotal_counters(); }\n";
        return beside(match.formatted(counters), staged);
      }
      return is("mayCount") ? staged.replace("return false;", example(staged)) : staged;
    }

    /** The rules that {@code deploy/gcloud/rules} prints. */
    String printed() {
      Map<String, String> settings = new HashMap<>(Map.of("PROJECT", "p", "REGION", "us-central1"));
      Map<String, String> asked = new HashMap<>();
      List<String> words = Splitter.on(' ').omitEmptyStrings().splitToList(options);
      Totals.text(words).ifPresent(text -> settings.put("TOTALS", text));
      Totals.others(words)
          .forEach(
              word -> {
                String[] pair = word.split("=", 2);
                (word.startsWith("--") ? asked : settings).put(pair[0], pair[1].replace('+', ' '));
              });
      return ClientRules.of(OperatorSettings.of(settings), RulesOptions.parse(asked));
    }

    private static String example(String rules) {
      Matcher found = EXAMPLE.matcher(rules);
      if (!found.find()) {
        throw new IllegalStateException("expected an example of mayCount, found none: " + rules);
      }
      return found.group(1);
    }

    @Override
    public String toString() {
      return parent + " " + options + " " + byHand;
    }
  }

  /**
   * One thing that a client tries. In every text, @P stands for the project, @C for a counter's
   * id, @U for the client's uid and @V for another user's: each run that finds no documents puts
   * fresh ids in their place, so that no case sees what another one left behind. Immutable.
   *
   * @param allowed the answer that the rules have to give
   * @param uid who tries
   * @param given writes of an administrator beforehand
   */
  record Case(String name, boolean allowed, String uid, List<String> given, Call call) {

    static final String SIGNED_OUT = "signed out";

    /** No rule binds them. */
    static final String OWNER = "owner";

    @Override
    public String toString() {
      return (allowed ? "allowed: " : "denied: ") + name;
    }
  }

  /** A counter in the live list. */
  private static final String LIVE = "rollup_runs/tallyroll/live/@C";

  /** The name of a document that, wherever it lies, another rule than ours opens. */
  private static final String OPEN = "2026";

  private static final long LARGEST_SAFE = 9_007_199_254_740_991L;
  private static final String LONG_AGO = "\"at\":{\"timestampValue\":\"2020-01-01T00:00:00Z\"}";
  private static final String FAR_AHEAD = "\"at\":{\"timestampValue\":\"2099-01-01T00:00:00Z\"}";

  private final Place place;
  private final String shard;
  private final String field;
  private final String one;

  /** What a counter's own document holds. */
  private final String head;

  private final List<Case> cases = new ArrayList<>();

  private RulesCases(Place place) {
    this.place = place;
    shard = shard("0");
    field = place.field;
    one = increment(shard, field, integer(1));
    head = "\"" + place.numShards() + "\":" + integer(1);
  }

  static List<Case> at(Place place) {
    RulesCases built = new RulesCases(place);
    if (place.is("own")) {
      built.totals();
      built.lists();
      built.cases.addAll(OwnCases.at(place));
      return built.cases;
    }
    // The cases that notice most mutants come first: a mutant is played until one notices it.
    built.reads();
    built.totals();
    built.lists();
    built.edges();
    built.found();
    if (place.is("anywhere")) {
      built.elsewhere();
    }
    if (place.is("strict")) {
      built.payments();
      built.forgeries();
      built.readsOfPasses();
      built.strayPasses();
      built.othersPasses();
      built.passesForOthersDocuments();
      built.passesOfOthersRules();
    }
    built.steps();
    built.shapes();
    built.values();
    built.creates();
    built.writes();
    return built.cases;
  }

  /** Puts the rules beside a rule of an app, which says nothing about most of our documents. */
  static String besideAnApp(String rules) {
    return beside(
        "match /{path=**}/%s { allow write: if request.auth != null; }\n".formatted(OPEN), rules);
  }

  static String beside(String matches, String rules) {
    return new StringBuilder(rules).insert(rules.lastIndexOf("  }\n}"), matches).toString();
  }

  /** The rules inside the outermost braces, so that a test can join several. */
  static String matches(String rules) {
    String start = "documents {\n";
    return rules.substring(rules.indexOf(start) + start.length(), rules.lastIndexOf("  }\n}"));
  }

  /** A second increment at once, with a pass that is a moment old. */
  static Case atOnce(Place place) {
    RulesCases built = new RulesCases(place);
    List<String> given = built.given(built.stampOf(built.shard));
    List<String> again = built.paid(built.shard, built.one);
    return new Case("a second time, at once", false, "@U", given, commit(again));
  }

  private void values() {
    for (long number : new long[] {3, 5, 7, -5, 1_000_000}) {
      step("the integer " + number, false, update(shard, field, integer(number)));
    }
    for (String number : List.of("\"NaN\"", "\"Infinity\"", "\"-Infinity\"", "1e308", "6.0")) {
      step("the double " + number, false, update(shard, field, decimal(number)));
    }
    step("a string", false, update(shard, field, text("6")));
    step("null", false, update(shard, field, "{\"nullValue\":null}"));
    step("a map", false, update(shard, field, "{\"mapValue\":{}}"));
    step("an array", false, update(shard, field, "{\"arrayValue\":{}}"));
  }

  private void steps() {
    step("increment", true, one);
    step("increment by a merging set", true, mergeIncrement(shard, field, integer(1)));
    step("the oldest edition's transaction", true, update(shard, field, integer(6)));
    step("one less", place.is("down"), update(shard, field, integer(4)));
    step("one less by increment", place.is("down"), increment(shard, field, integer(-1)));
    step("nothing more by increment", false, increment(shard, field, integer(0)));
    step("two more by increment", false, increment(shard, field, integer(2)));
    step("one and a half", false, increment(shard, field, decimal("1.5")));
    step("one as a double", false, increment(shard, field, decimal("1.0")));
    step("two increments in one write", false, incrementTwice(shard, field));
    step("two increments in one commit", false, one, one);
  }

  /** Each step that stays among the integers that every client can hold, and none that leaves. */
  private void edges() {
    String less = increment(shard, field, integer(-1));
    // Two have read five; the rules see one of them write what is there by now.
    String late = update(shard, field, integer(6));
    from("six, the oldest edition's transaction, late", false, integer(6), late);
    from("just below the top", true, integer(LARGEST_SAFE - 1), one);
    from("the top", false, integer(LARGEST_SAFE), one);
    from("the top, less", place.is("down"), integer(LARGEST_SAFE), less);
    from("the bottom, more", true, integer(-LARGEST_SAFE), one);
    from("the bottom", false, integer(-LARGEST_SAFE), less);
    from("just above the bottom, less", place.is("down"), integer(1 - LARGEST_SAFE), less);
    from("the largest integer", false, integer(Long.MAX_VALUE), one);
    from("the largest integer, less", false, integer(Long.MAX_VALUE), less);
    from("the smallest integer", false, integer(Long.MIN_VALUE), one);
    String round = update(shard, field, integer(Long.MIN_VALUE));
    from("the largest integer, round to the smallest", false, integer(Long.MAX_VALUE), round);
  }

  /**
   * Another SDK, or a server, has written something else than an integer. Clients count on it as
   * the functions do, or the shard would refuse them for ever; and an integer stays one.
   */
  private void found() {
    String less = increment(shard, field, integer(-1));
    for (String number : List.of("5.0", "5.5", "1.3", "-0.3", "9007199254740990.0")) {
      from("the double " + number, true, decimal(number), one);
      from("the double " + number + ", less", place.is("down"), decimal(number), less);
      from("the double " + number + ", two", false, decimal(number), two());
    }
    from("a double, to an integer", true, decimal("5.0"), update(shard, field, integer(6)));
    from("a double, by one", true, decimal("5.0"), update(shard, field, decimal("6.0")));
    from("a double, by a half", false, decimal("5.0"), update(shard, field, decimal("5.5")));
    // Adding 1 changes nothing there, or leaves the integers that every client can hold.
    for (String number :
        List.of(
            "\"NaN\"", "\"Infinity\"", "\"-Infinity\"", "9007199254740991.0", "1e17", "-1e308")) {
      from("the double " + number, false, decimal(number), one);
    }
    // The functions pass them over, and an increment replaces them.
    for (String nothing :
        List.of(text("5"), "{\"nullValue\":null}", "{\"mapValue\":{}}", "{\"arrayValue\":{}}")) {
      from(nothing, true, nothing, one);
      from(nothing + ", less", place.is("down"), nothing, less);
      from(nothing + ", two", false, nothing, two());
      from(nothing + ", to another text", false, nothing, update(shard, field, text("51")));
      from(nothing + ", to a double", false, nothing, increment(shard, field, decimal("1.0")));
    }
    add("from no field", true, List.of(set(shard, "")), paid(shard, one));
    add("from no field, two", false, List.of(set(shard, "")), paid(shard, two()));
  }

  private String two() {
    return increment(shard, field, integer(2));
  }

  private void shapes() {
    String six = "\"" + field + "\":" + integer(6);
    step("a field more", false, set(shard, six + ",\"mine\":" + integer(1)));
    step("the field under another name", false, set(shard, "\"mine\":" + integer(6)));
    step("no field", false, set(shard, ""));
    step("another field only", false, update(shard, "mine", integer(1)));
    step("deleting a shard", false, delete(shard));
  }

  private void creates() {
    String long1500 = "x".repeat(1500);
    for (String id : List.of("7", "00", "-1", "20", long1500, "\u00fc\u20ac\ud83d\ude00", "%2F")) {
      String made = shard(id);
      String name = "creating shard " + id.substring(0, Math.min(9, id.length()));
      add(name, false, seed(), paid(made, shardAt(id, integer(1))));
      String merged = mergeIncrement(made, field, integer(1));
      add(name + " by increment", false, seed(), paid(made, merged));
    }
    List<String> merged = paid(shard, mergeIncrement(shard, field, integer(1)));
    add("a counter that is not there", false, List.of(), merged);
    List<String> odd = seed().stream().map(RulesCases::odd).toList();
    List<String> paid = paid(shard, one).stream().map(RulesCases::odd).toList();
    add("increment of a counter with an odd name", true, odd, paid);
  }

  private static String odd(String write) {
    return write.replace("@C", "@C 100% {a}+b?#$(c)'.*\u00fc\u20ac\ud83d\ude00");
  }

  private void reads() {
    read("getting a counter", true, Call.get(counter()));
    read("getting a shard", true, Call.get(shard));
    for (String name : List.of("num_shards", "numShards")) {
      given("getting a counter with " + name, true, counter(), "\"" + name + "\":" + integer(1));
    }
    given(
        "getting a counter that a server has reset",
        true,
        counter(),
        head + ",\"reset_id\":{\"stringValue\":\"reset-1\"}");
    // As where totals are of the app's own documents.
    String more = ",\"draft\":" + text("secret");
    given("getting a counter with a field more", place.is("more"), counter(), head + more);
    given(
        "getting a shard with a field more",
        false,
        shard,
        "\"" + field + "\":" + integer(5) + more);
    unsigned("getting a counter", false, Call.get(counter()));
    List<String> titled = List.of(set(counter(), head + more));
    Call get = Call.get(counter());
    cases.add(new Case("getting such a counter, signed out", false, Case.SIGNED_OUT, titled, get));
    unsigned("getting a shard", false, Call.get(shard));
    unsigned("an increment", false, commit(paid(shard, one)));
    read("reading a run", false, Call.get("rollup_runs/tallyroll/live/run-0"));
    read("reading a live counter", false, Call.get(LIVE));
    read("listing live counters", false, Call.get("rollup_runs/tallyroll/live"));
    read("all live counters everywhere", false, Call.group("live"));
    read("reading a name", false, Call.get(counter() + "/increment_names/n"));
  }

  private void given(String name, boolean allowed, String document, String fields) {
    List<String> given = List.of(set(document, fields));
    cases.add(new Case(name, allowed && place.isOpen(), "@U", given, Call.get(document)));
  }

  private void totals() {
    Call get = Call.get(rollup());
    read("getting a total", true, get);
    unsigned("getting a total", true, get);
    total("getting a total that is not there yet", true, List.of());
    String revenue = "\"revenue\":" + integer(5);
    total("getting somebody's document", false, List.of(set(rollup(), revenue)));
    String ours =
        RollupFields.OURS.stream()
            .filter(name -> !name.equals(RollupFields.COUNTER))
            .map(name -> "\"" + name + "\":" + integer(5))
            .collect(joining(","));
    String full = ours + ",\"counter\":" + text(counter());
    total("getting one with all the functions' fields", true, List.of(set(rollup(), full)));
    List<String> more = List.of(set(rollup(), full + "," + revenue));
    total("getting one with a field more", place.is("more"), more);
    String number = revenue + ",\"counter\":" + integer(5);
    total("getting one with a number for a mark", false, List.of(set(rollup(), number)));
    for (String mark : List.of("", "@C", "x/@C", counter() + "x", counter() + "/x/y")) {
      total("getting one with the mark " + mark, false, List.of(marked(mark)));
    }
    if (!place.is("anywhere")) {
      String elsewhere = marked("elsewhere/e/" + counter());
      total("getting one with another parent's mark", false, List.of(elsewhere));
    }
  }

  private void total(String name, boolean allowed, List<String> given) {
    boolean expected = allowed && place.isOpen();
    cases.add(new Case(name, expected, Case.SIGNED_OUT, given, Call.get(rollup())));
  }

  /** Where nobody said that clients may count: beside, below and above the place that was said. */
  private void elsewhere() {
    for (String parent : List.of("users/alice/", "rooms/r1/days/d/", "")) {
      RulesCases there = new RulesCases(place.in(parent));
      there.read("getting a counter in " + parent, true, Call.get(there.counter()));
      there.read("getting a shard in " + parent, true, Call.get(there.shard));
      there.read("getting a total in " + parent, true, Call.get(there.rollup()));
      there.total("getting a total that is not there yet in " + parent, true, List.of());
      there.step("increment in " + parent, true, there.one);
      cases.addAll(there.cases);
    }
  }

  private void lists() {
    boolean list = place.is("list");
    read("a leaderboard", list, leaders(place.rollups, "\"limit\":10,"));
    read("the longest leaderboard", list, leaders(place.rollups, "\"limit\":100,"));
    read("a longer leaderboard", false, leaders(place.rollups, "\"limit\":101,"));
    for (int limit : List.of(1, 100, 101)) {
      for (int offset : List.of(0, 1, 1_000_000)) {
        String window = "\"limit\":%d,\"offset\":%d,".formatted(limit, offset);
        boolean allowed = list && limit <= 100 && offset == 0;
        unsigned("a leaderboard with " + window, allowed, leaders(place.rollups, window));
      }
    }
    read("a page of totals", list, Call.get(place.parent + place.rollups + "?pageSize=9"));
    read("all totals", false, leaders(place.rollups, ""));
    read("all totals from the first", false, leaders(place.rollups, "\"offset\":0,"));
    read("totals everywhere", false, Call.group(place.rollups));
    read("listing shards", false, Call.get(counter() + "/" + place.shards));
    read("listing counters", false, Call.get(place.parent + place.counters));
    read("all shards of all counters", false, Call.group(place.shards));
    read("a sum", false, Call.sum(place.shards, field));
    read("a leaderboard of counters", false, leaders(place.counters, "\"limit\":10,"));
  }

  private Call leaders(String collection, String limit) {
    return Call.highest(place.parent, collection, limit);
  }

  private void writes() {
    String nine = "\"count\":" + integer(9);
    for (String path :
        List.of(
            rollup(),
            rollup() + "new",
            "rollup_runs/tallyroll/live/run-@C",
            LIVE,
            counter(),
            counter() + "x",
            counter() + "/increment_names/n",
            "anything/@C")) {
      step("writing " + path, false, set(path, nine));
      step("writing " + path + " beside an increment", false, one, set(path, nine));
      step("deleting " + path, false, delete(path));
    }
    step("marking a total anew", false, one, marked("counters/mine"));
  }

  private void payments() {
    alone("without a pass", one);
    add("with the pass of an earlier commit", false, given(pass(LONG_AGO)), List.of(one));
    add("a second time, rested", !place.is("once"), given(pass(LONG_AGO)), paid(shard, one));
    add("a second time, too early", false, given(pass(FAR_AHEAD)), paid(shard, one));
    String second = shard("1");
    String other = increment(second, field, integer(1));
    List<String> two = given(shardAt("1", integer(5)));
    add("two shards in one commit", false, two, paid(shard, one, other));
    add("a pass for another shard", false, two, paid(second, one));
    add("a pass for another shard, for a shard", false, two, List.of(other, stampOf(shard)));
    add("a pass for a shard that is not there", false, seed(), paid(second, one));
    String list = "{\"arrayValue\":{\"values\":[%s,%s]}}";
    String both = list.formatted(reference(shard), reference(second));
    add("a list of shards", false, two, List.of(one, other, stamp(pass(), named(both))));
    alone("the shard's path as a text", one, stamp(pass(), named(text(shard))));
    Case nobody = new Case("an empty uid", false, "", seed(), commit(List.of(one)));
    cases.add(nobody);
  }

  private void forgeries() {
    String payment = payment(shard);
    for (String at : List.of(LONG_AGO, FAR_AHEAD)) {
      alone("a pass with a time of its own, " + at, pass(at));
      alone("an increment with such a pass, " + at, one, pass(at));
      add("changing a pass's time, " + at, false, given(pass(LONG_AGO)), List.of(pass(at)));
      add("increment and such, " + at, false, given(pass(LONG_AGO)), List.of(one, pass(at)));
    }
    alone("a pass without a time", one, set(pass(), payment));
    alone("a pass without a shard", one, stamp(pass(), ""));
    String more = payment + ",\"mine\":" + integer(1);
    alone("a pass with more in it", one, stamp(pass(), more));
    List<String> again = List.of(one, stamp(pass(), more));
    add("a second pass with more in it", false, given(pass(LONG_AGO)), again);
    add("deleting a pass", false, given(pass(LONG_AGO)), List.of(delete(pass())));
    List<String> renewed = List.of(one, delete(pass()), stampOf(shard));
    add("deleting a pass and making it again", false, given(pass(FAR_AHEAD)), renewed);
  }

  /** Users see whether a click has counted whose reply was lost, and nothing of other users. */
  private void readsOfPasses() {
    readPass("reading one's pass", true, "@U", Call.get(pass()));
    read("reading one's pass that is not there", true, Call.get(pass()));
    readPass("reading somebody else's pass", false, "@V", Call.get(pass()));
    readPass("reading a pass, signed out", false, Case.SIGNED_OUT, Call.get(pass()));
    String passes = pass().replaceAll("/?passes/@U$", "");
    readPass("querying one's pass", false, "@U", Call.named(passes, "passes", pass()));
    readPass("listing passes", false, "@U", Call.get(pass().replace("/@U", "")));
    readPass("all passes everywhere", false, "@U", Call.group("passes"));
  }

  private void readPass(String name, boolean allowed, String uid, Call call) {
    cases.add(new Case(name, allowed && place.isOpen(), uid, given(pass(LONG_AGO)), call));
  }

  /** Nobody can store data in passes, not even for counters that do not exist. */
  private void strayPasses() {
    alone("a pass for nothing", stampOf(shard));
    String length1500 = text("x".repeat(1500));
    alone("a long pass", stamp(pass(), named(length1500)));
    alone("a long pass beside an increment", one, stamp(pass(), named(length1500)));
    alone(
        "a pass for an increment by nothing", increment(shard, field, integer(0)), stampOf(shard));
    List<String> made = List.of(stamp(pass(), payment(shard)));
    add("a pass for a counter that is not there", false, List.of(), made);
    for (String value : List.of(length1500, text("0"), reference(shard))) {
      Stream<String> fifty = IntStream.range(0, 50).mapToObj(i -> strayPass("@Cx" + i, value));
      add("50 passes, " + value.length(), false, seed(), fifty.toList());
      List<String> beside = paid(shard, one, strayPass("@Cx", value));
      add("a stray pass beside an increment, " + value.length(), false, seed(), beside);
    }
  }

  private String strayPass(String counter, String shard) {
    return stamp(place.parent + place.counters + "/" + counter + "/passes/@U", named(shard));
  }

  private void othersPasses() {
    String victims = pass().replace("@U", "@V");
    String stamped = stamp(victims, payment(shard));
    alone("somebody else's pass", one, stamped);
    alone("locking somebody out", stamped);
    step("locking somebody out beside an increment", false, one, stamped);
    String old = set(victims, payment(shard) + "," + LONG_AGO);
    add("locking somebody out again", false, given(old), List.of(stamped));
    add(
        "locking somebody out again beside an increment",
        false,
        given(old),
        paid(shard, one, stamped));
  }

  /** The pass's own rule, where the shard's does not look at it. */
  private void passesForOthersDocuments() {
    String document = place.is("once") ? shard(OPEN) : "users/@U/notes/" + OPEN;
    String payment = payment(document);
    List<String> given = given(set(document, "\"" + field + "\":" + integer(1)));
    String changed = set(document, "\"" + field + "\":" + integer(2));
    String ours = "a pass for an app's document";
    add(ours, true, given, List.of(changed, stamp(pass(), payment)));
    add(ours + " that stays", false, given, List.of(stamp(pass(), payment)));
    String more = payment + ",\"mine\":" + integer(1);
    add(ours + ", with more in it", false, given, List.of(changed, stamp(pass(), more)));
    for (String at : List.of(LONG_AGO, FAR_AHEAD, "\"at\":" + text("x".repeat(900_000)))) {
      String name = ours + ", of its own time " + at.substring(0, 30);
      add(name, false, given, List.of(changed, set(pass(), payment + "," + at)));
    }
    for (String other : List.of("{\"integerValue\":" + OPEN + "}", otherType(document))) {
      List<String> named = List.of(changed, stamp(pass(), named(other)));
      add(ours + ", named by " + other, false, given, named);
    }
  }

  /** A shard's name, as passes of the other rule sets have it. */
  private String otherType(String document) {
    return place.is("once")
        ? reference(document)
        : text("/databases/(default)/documents/" + document);
  }

  /** The shard's rule, where the pass's own has not looked at the pass. */
  private void passesOfOthersRules() {
    String pass = pass().replace("@U", OPEN);
    String payment = payment(shard);
    payWith("a pass that another rule lets in", true, stamp(pass, payment));
    String more = payment + ",\"mine\":";
    payWith("such a pass, with more in it", false, stamp(pass, more + integer(1)));
    payWith("such a pass, with 900 KB", false, stamp(pass, more + text("x".repeat(900_000))));
    payWith("such a pass, of its own time", false, set(pass, payment + "," + LONG_AGO));
    payWith("such a pass, without a shard", false, stamp(pass, ""));
  }

  private void payWith(String name, boolean allowed, String pass) {
    cases.add(new Case(name, allowed, OPEN, seed(), commit(List.of(one, pass))));
  }

  private void step(String name, boolean allowed, String... writes) {
    add(name, allowed, seed(), paid(shard, writes));
  }

  private void from(String name, boolean allowed, String value, String write) {
    add("from " + name, allowed, List.of(shardAt("0", value)), paid(shard, write));
  }

  /** Without the pass that is due. */
  private void alone(String name, String... writes) {
    add(name, false, seed(), List.of(writes));
  }

  private void add(String name, boolean allowed, List<String> given, List<String> writes) {
    cases.add(new Case(name, allowed && place.isOpen(), "@U", given, commit(writes)));
  }

  private void read(String name, boolean allowed, Call call) {
    cases.add(new Case(name, allowed && place.isOpen(), "@U", seed(), call));
  }

  private void unsigned(String name, boolean allowed, Call call) {
    boolean expected = allowed && place.isOpen();
    cases.add(new Case(name + ", signed out", expected, Case.SIGNED_OUT, seed(), call));
  }

  private List<String> given(String more) {
    List<String> given = new ArrayList<>(seed());
    given.add(more);
    return given;
  }

  private String stampOf(String of) {
    return stamp(pass(), payment(of));
  }

  private String pass(String at) {
    return set(pass(), payment(shard) + "," + at);
  }

  private static String named(String shard) {
    return "\"shard\":" + shard;
  }

  private String counter() {
    return place.parent + place.counters + "/@C";
  }

  private String shard(String id) {
    return counter() + "/" + place.shards + "/" + id;
  }

  private String rollup() {
    return place.parent + place.rollups + "/@C";
  }

  /** The path of the client's pass. */
  private String pass() {
    return place.is("once") ? counter() + "/passes/@U" : "passes/@U";
  }

  /** The fields of a pass for that shard, beside its time. */
  private String payment(String shard) {
    return "\"shard\":"
        + (place.is("once") ? text(shard.substring(shard.lastIndexOf('/') + 1)) : reference(shard));
  }

  /** A counter with one shard that stands at five. */
  private List<String> seed() {
    return List.of(set(counter(), head), shardAt("0", integer(5)), marked(counter()));
  }

  private String shardAt(String id, String value) {
    return set(shard(id), "\"" + field + "\":" + value);
  }

  /** The roll-up, with that mark. */
  private String marked(String mark) {
    return set(rollup(), "\"count\":" + integer(5) + ",\"counter\":" + text(mark));
  }

  /** The writes, and the pass that pays for them where one is asked for. */
  private List<String> paid(String shard, String... writes) {
    List<String> all = new ArrayList<>(Arrays.asList(writes));
    if (place.is("strict")) {
      all.add(stamp(pass(), payment(shard)));
    }
    return all;
  }
}
