package dev.tallyroll.functions;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.Home;
import dev.tallyroll.fake.FakeCounters;
import dev.tallyroll.firestore.CounterOptions;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.it.TestTotals;
import dev.tallyroll.platform.GoogleClients;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * If a library accepts a name or a path, the functions sum that counter. A library refuses every
 * other one with an error that says what it expected and found. One table for the Java library, its
 * fake, the npm package, and the functions' file of totals and events.
 */
final class NamesIT {
  private static final Path PACKAGE = Home.ROOT.resolve("deploy/clients/npm/fake.js");
  private static final Path PROGRAM =
      Home.ROOT.resolve("deploy/tests/src/test/resources/clients/names.mjs");

  /** Names that Firestore takes. */
  private static final List<String> GOOD =
      List.of(
          "likes",
          "a b",
          " ",
          "\t",
          "line\nbreak",
          "nul\0",
          "a.b",
          "...",
          "_x_",
          "__x",
          "x__",
          "%2F",
          "a%2Fb",
          "100%",
          "\"quoted\"",
          "größe €",
          "\u00e9",
          "e\u0301",
          "\u212a",
          "\ud83d\ude00",
          "\ufffd",
          "x".repeat(1_500),
          "\u00e9".repeat(750),
          "\ud83d\ude00".repeat(375));

  /** Names that Firestore refuses. */
  private static final List<String> BAD =
      List.of(
          "",
          ".",
          "..",
          "____",
          "__x__",
          "__x\ny__",
          "\ud800",
          "a\udc00b",
          "\ude00\ud83d",
          "x".repeat(1_501),
          "\u00e9".repeat(751),
          "\ud83d\ude00".repeat(376));

  /** Names of documents only: in those of collections, they would be parts of a pattern. */
  private static final List<String> SPECIAL = List.of("{x}", "{", "a}", "*", "a*b", "=", "a=b");

  /** Names of documents of databases that were Datastore's; collections have no such names. */
  private static final List<String> NUMERIC = List.of("__id7__", "__id-7__");

  /** Names that a file of totals has, too, which takes only those that a trigger does. */
  private static final Set<String> IN_A_FILE = Set.of("counters", "shards", "rollups", "count");

  private static final List<String> OWN =
      List.of("counters", "shards", "rollups", "rollup_runs", "live", "increment_names");

  /**
   * A counter, and the name of an increment of it, if there is one.
   *
   * @param names those that are not the default ones, as in the package
   */
  private record Row(
      Map<String, String> names, String parent, String id, @Nullable String name, boolean isTaken) {
    static Row of(String parent, String id, boolean isTaken) {
      return new Row(Map.of(), parent, id, "once", isTaken);
    }

    Row with(String key, String value) {
      return new Row(Map.of(key, value), parent, id, name, isTaken);
    }

    Row named(@Nullable String increment) {
      return new Row(names, parent, id, increment, isTaken);
    }

    /** The layout of functions whose file of totals has the same names. */
    Layout layout() {
      Layout usual = Layout.DEFAULT;
      Layout named =
          new Layout(
              of(),
              names.getOrDefault("rollups", usual.rollups()),
              names.getOrDefault("count", usual.countField()));
      return TestTotals.of(named).entry().layout();
    }

    private String of() {
      return "{parent=**}/%s/{counter}/%s"
          .formatted(
              names.getOrDefault("counters", Layout.DEFAULT.countersCollection()),
              names.getOrDefault("shards", Layout.DEFAULT.shards()));
    }

    CounterOptions options() {
      CounterOptions.Builder options = CounterOptions.builder();
      names.forEach(
          (key, name) -> {
            switch (key) {
              case "counters", "shards" -> options.of(of());
              case "rollups" -> options.rollupsCollection(name);
              case "count" -> options.countField(name);
              case "numShards" -> options.shardsField(name);
              case "increments" -> options.namesCollection(name);
              default -> throw new AssertionError(key);
            }
          });
      return options.build();
    }

    @Override
    public String toString() {
      String text = "%s %s/%s %s".formatted(names, parent, id, name);
      return text.length() > 200 ? text.substring(0, 200) + "..." : text;
    }
  }

  private static List<Row> ids() {
    List<Row> rows = new ArrayList<>();
    Stream.of(GOOD, SPECIAL, OWN, NUMERIC)
        .flatMap(List::stream)
        .forEach(id -> rows.add(Row.of("", id, /* isTaken= */ true)));
    NUMERIC.forEach(
        id -> {
          rows.add(Row.of("", "likes", true).named(id));
          rows.add(Row.of("rooms/" + id, "likes", true));
          rows.add(Row.of(id + "/r1", "likes", false));
        });
    BAD.forEach(id -> rows.add(Row.of("", id, /* isTaken= */ false)));
    List.of("a/b", "/", "a/", "/a", "a/shards/0").forEach(id -> rows.add(Row.of("", id, false)));
    GOOD.forEach(name -> rows.add(Row.of("", "likes", true).named(name)));
    BAD.forEach(name -> rows.add(Row.of("", "likes", false).named(name)));
    rows.add(Row.of("", "likes", false).named("a/b"));
    return rows;
  }

  private static List<Row> parents() {
    List<Row> rows = new ArrayList<>();
    Stream.of(GOOD, SPECIAL)
        .flatMap(List::stream)
        .forEach(
            id -> {
              rows.add(Row.of("rooms/" + id, "likes", true));
              rows.add(Row.of(id + "/r1", "likes", true));
            });
    BAD.forEach(id -> rows.add(Row.of("rooms/" + id, "likes", false)));
    List.of("rooms", "rooms/r1/x", "rooms//", "/rooms/r1", "rooms/r1/", "/")
        .forEach(parent -> rows.add(Row.of(parent, "likes", false)));
    for (String own : OWN) {
      rows.add(Row.of(own + "/x", "likes", !own.equals("rollup_runs")));
      rows.add(Row.of("rooms/r1/" + own + "/x", "likes", true));
    }
    rows.add(Row.of(Layout.liveList(Layout.DEPLOYMENT) + "/x", "likes", false));
    rows.add(Row.of("rollup_runs_x/counters", "likes", true));
    return rows;
  }

  /** Paths of the most levels, bytes and characters, and of one more. */
  private static List<Row> longPaths() {
    List<Row> rows = new ArrayList<>();
    for (int more = 0; more < 2; more++) {
      boolean fits = more == 0;
      rows.add(Row.of("a/b" + "/a/b".repeat(97 + more), "x", fits));
      String plain = ("p/" + "x".repeat(1_200) + "/").repeat(4) + "p/";
      String rest = "/counters/c/shards/9999";
      String shard = plain + "y".repeat(6_144 + more - plain.length() - rest.length());
      rows.add(Row.of(shard, "c", fits).named(null)); // a name is longer than a shard
      // 7,000 characters: 42 for the frame, 3 for each exclamation mark, 1 for each letter.
      String marks = "p/%s/p/%s".formatted("!".repeat(1_500), "!".repeat(819));
      rows.add(Row.of(marks + "a".repeat(1 + more), "c", fits));
      String once = "/counters/%s/increment_names/".formatted("x".repeat(1_500));
      String before =
          "p/%s/p/%s".formatted("x".repeat(1_500), "x".repeat(1_500)) + "/p/xx".repeat(40);
      int left = 6_144 + more - before.length() - once.length();
      rows.add(Row.of(before, "x".repeat(1_500), fits).named("y".repeat(left)));
    }
    return rows;
  }

  private static List<Row> names() {
    List<Row> rows = new ArrayList<>();
    Row taken = Row.of("", "likes", /* isTaken= */ true);
    Row refused = Row.of("", "likes", /* isTaken= */ false);
    for (String key :
        List.of("counters", "shards", "rollups", "count", "numShards", "increments")) {
      BAD.forEach(name -> rows.add(refused.with(key, name)));
      rows.add(taken.with(key, IN_A_FILE.contains(key) ? "my_names" : "größe €"));
    }
    SPECIAL.forEach(name -> rows.add(refused.with("counters", name)));
    rows.add(refused.with("counters", "live"));
    for (String key : List.of("counters", "shards", "rollups")) {
      for (String own :
          List.of("counters", "shards", "rollups", "rollup_runs", "increment_names")) {
        if (!own.equals(key)) {
          rows.add(refused.with(key, own));
        }
      }
    }
    for (String own : List.of("counters", "shards", "rollups", "rollup_runs")) {
      rows.add(refused.with("increments", own));
    }
    return rows;
  }

  /** The answers of all, as pairs of paths, or what was said. */
  private record Answer(Optional<String> document, String rollup, String refused) {
    static Answer of(Supplier<Answer> takes) {
      try {
        return takes.get();
      } catch (IllegalArgumentException refused) {
        return new Answer(Optional.empty(), "", String.valueOf(refused.getMessage()));
      }
    }

    static Answer of(JsonObject said) {
      return said.has("refused")
          ? new Answer(Optional.empty(), "", said.get("refused").getAsString())
          : new Answer(
              Optional.of(said.get("document").getAsString()),
              said.get("rollup").getAsString(),
              "");
    }
  }

  @Test
  void namesThatAreTaken_areSummed() throws Exception {
    List<Row> rows =
        Stream.of(ids(), parents(), longPaths(), names()).flatMap(List::stream).toList();
    List<Answer> npm = npm(rows);
    List<String> wrong = new ArrayList<>();
    Firestore firestore = firestore();
    for (int i = 0; i < rows.size(); i++) {
      Row row = rows.get(i);
      check(row, "npm", npm.get(i), wrong);
      check(row, "java", Answer.of(() -> java(firestore, row)), wrong);
      if (row.names().isEmpty()) {
        check(row, "fake", Answer.of(() -> fake(row)), wrong);
      }
    }
    firestore.close();
    assertThat(wrong).isEmpty();
  }

  private static void check(Row row, String who, Answer answer, List<String> wrong) {
    if (answer.document().isPresent() != row.isTaken()) {
      wrong.add("%s: %s %s".formatted(row, who, answer));
    } else if (!row.isTaken()) {
      if (!answer.refused().matches("(?s).+: expected .+[,;] found .+")) {
        wrong.add("%s: %s says %s".formatted(row, who, answer.refused()));
      }
    } else {
      Layout layout = row.layout();
      CounterPath counter = new CounterPath(row.parent(), row.id());
      String shard = answer.document().get() + "/" + layout.shards() + "/0";
      if (!layout.counterOfShard(shard).equals(Optional.of(counter))
          || !layout.rollupDocument(counter).equals(answer.rollup())) {
        wrong.add("%s: %s is at %s, and not summed".formatted(row, who, answer));
      }
    }
  }

  /** Nobody answers there. */
  private static Firestore firestore() {
    return GoogleClients.firestore(
        "(default)",
        /* connections= */ 1,
        Map.of("TALLYROLL_FIRESTORE", "localhost:1", "GOOGLE_CLOUD_PROJECT", "names")::get);
  }

  private static Answer java(Firestore firestore, Row row) {
    Counters counters = FirestoreCounters.of(firestore, row.options()).below(row.parent());
    var counter = counters.counter(row.id());
    if (row.name() != null) {
      counter.addOnce(row.name(), 1).cancel(true);
    }
    Layout layout = row.layout();
    return new Answer(
        Optional.of(layout.counterDocument(counter.path())),
        layout.rollupDocument(counter.path()),
        "");
  }

  private static Answer fake(Row row) {
    var counter = new FakeCounters().below(row.parent()).counter(row.id());
    if (row.name() != null) {
      var unused = counter.addOnce(row.name(), 1);
    }
    return new Answer(
        Optional.of(Layout.DEFAULT.counterDocument(counter.path())),
        Layout.DEFAULT.rollupDocument(counter.path()),
        "");
  }

  @TempDir private Path folder;

  private List<Answer> npm(List<Row> rows) throws IOException {
    Home.needs("node");
    Path file = folder.resolve("rows.json");
    Files.writeString(file, escaped(new Gson().toJson(rows)));
    String said = Home.run(folder, Map.of(), "node", "" + PROGRAM, "" + PACKAGE, "" + file);
    JsonArray answers = JsonParser.parseString(said).getAsJsonArray();
    return answers.asList().stream().map(answer -> Answer.of(answer.getAsJsonObject())).toList();
  }

  /** Half of a pair of surrogates has no UTF-8. */
  private static String escaped(String json) {
    return json.chars()
        .mapToObj(c -> c < 0x80 ? "" + (char) c : "\\u%04x".formatted(c))
        .collect(Collectors.joining());
  }
}
