package dev.tallyroll.library;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import dev.tallyroll.BufferedCounter;
import dev.tallyroll.BufferedCounters;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterReader;
import dev.tallyroll.Counters;
import dev.tallyroll.Home;
import dev.tallyroll.Increment;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.library.Side.Answer;
import dev.tallyroll.library.Side.Ask;
import dev.tallyroll.library.Side.Place;
import dev.tallyroll.local.LocalCloud;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One table of scenarios for the Java library and the npm package: by each alone, by each against
 * the other, and, where no document is named, by their fakes.
 */
@On(Site.SHARED)
final class ScenariosIT {
  private static final Path TABLE =
      Home.ROOT.resolve("deploy/tests/src/test/resources/clients/scenarios.txt");

  private static final Path TYPES = Home.ROOT.resolve("deploy/clients/npm");

  /**
   * Calls with different names: Java's name, or the only one, and then JavaScript's. JavaScript has
   * one type of numbers, and names a total by an entry of the file and a document.
   */
  private static final Map<String, String> NAMES =
      Map.of(
          "addFraction", "add",
          "addFractionOnce", "addOnce",
          "prepareFraction", "prepare",
          "of", "reader",
          "rollup", "total");

  /** How often a call is made whose commits the emulator aborts. */
  private static final int ATTEMPTS = 3;

  /** Every line has these two; and a step of the table, buffered, makes the last two. */
  private static final Set<String> IN_EVERY_LINE = Set.of("counter", "below", "flush", "close");

  /** A step: words, and what is expected of them. */
  private static final Pattern STEP =
      Pattern.compile("(?<words>.*?)(?: -> (?<result>.*)| ! (?<error>\\w+)| as (?<name>\\w))?");

  private static final Pattern TOTAL =
      Pattern.compile(" (total|await\\w*|top|list|totals|listen|reader)\\b");

  private static final Pattern TIMES = Pattern.compile(" x(\\d+)$");
  private static final Pattern DIES = Pattern.compile(" (dies|holds) at \\*");

  /** More calls to Firestore than any call makes that dies. */
  private static final int MOST_CALLS = 20;

  private final LocalCloud cloud;

  ScenariosIT(LocalCloud cloud) {
    this.cloud = cloud;
  }

  private record Scenario(String title, List<String> steps) {
    static List<Scenario> all() throws IOException {
      return Files.readAllLines(TABLE).stream()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(Scenario::of)
          .toList();
    }

    private static Scenario of(String line) {
      String[] parts = line.split(" *: ", 2);
      return new Scenario(parts[0], List.of(parts[1].split(" ; ")));
    }

    /** Whether memory can play it, too: calls alone, one after the other. */
    boolean isOfCallsAlone() {
      return steps.stream().allMatch(step -> step.matches("[AB].*") && !step.contains(" & "))
          && steps.stream().noneMatch(step -> DIES.matcher(step).find());
    }

    /** Others have no events, of which this table would make thousands. */
    boolean hasTotals() {
      return steps.stream().anyMatch(step -> TOTAL.matcher(step).find());
    }

    boolean dies() {
      return steps.stream().anyMatch(step -> DIES.matcher(step).find());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"java java", "node node", "java node", "node java"})
  void librariesDoAlike(String pair) throws Exception {
    String[] names = pair.split(" ", -1);
    try (TestClient raw = new TestClient(cloud);
        Side one = side(names[0]);
        Side other = side(names[1])) {
      for (Scenario scenario : Scenario.all()) {
        if (scenario.dies()) {
          int sent = 0;
          while (play(scenario, Optional.of(raw), one, other, sent)) {
            assertThat(++sent).as(scenario.title).isLessThan(MOST_CALLS);
          }
          assertThat(sent).as("calls of: " + scenario.title).isPositive();
        } else {
          play(scenario, Optional.of(raw), one, other, Long.MAX_VALUE);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"java", "node"})
  void fakesDoAsOnFirestore(String name) throws Exception {
    try (Side fake = name.equals("java") ? JavaSide.inMemory() : NodeSide.inMemory()) {
      List<Scenario> played = Scenario.all().stream().filter(Scenario::isOfCallsAlone).toList();
      assertThat(played).hasSizeGreaterThan(10);
      for (Scenario scenario : played) {
        play(scenario, Optional.empty(), fake, fake, Long.MAX_VALUE);
      }
    }
  }

  /** A call that only one of them has is in no line. */
  @Test
  void table_namesEveryCallThatEitherHas() throws Exception {
    Set<String> ofJava =
        Stream.of(
                Counter.class,
                CounterReader.class,
                Counters.class,
                Increment.class,
                BufferedCounter.class,
                BufferedCounters.class)
            .flatMap(type -> Arrays.stream(type.getDeclaredMethods()))
            .filter(method -> !Modifier.isStatic(method.getModifiers()))
            .map(Method::getName)
            .filter(name -> !name.equals("path")) // which JavaScript has no use for
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> ofNode = new TreeSet<>();
    for (String types : List.of("counters.d.ts", "server.d.ts", "totals.d.ts")) {
      Pattern.compile("^  (\\w+)(?:<.*>)?\\(", Pattern.MULTILINE)
          .matcher(Files.readString(TYPES.resolve(types)))
          .results()
          .map(call -> call.group(1))
          .filter(call -> !call.equals("toDate"))
          .forEach(ofNode::add);
    }

    assertThat(common(ofJava)).isEqualTo(common(ofNode));
    String table = Files.readString(TABLE);
    Set<String> called = common(ofJava);
    called.removeAll(IN_EVERY_LINE);
    assertThat(called)
        .allSatisfy(call -> assertThat(table).containsPattern("[AB](@\\w)? " + call + "\\b"));
  }

  private static Set<String> common(Set<String> calls) {
    return calls.stream()
        .map(call -> NAMES.getOrDefault(call, call))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private Side side(String name) throws IOException {
    return name.equals("java") ? JavaSide.on(cloud) : NodeSide.on(cloud);
  }

  /**
   * Plays it on counters of its own.
   *
   * @param sent how many calls to Firestore are sent of a call that stops
   * @return whether a call has stopped before its end
   */
  private boolean play(Scenario scenario, Optional<TestClient> raw, Side one, Side other, long sent)
      throws Exception {
    Play play =
        new Play(raw, "scenarios/" + UUID.randomUUID(), scenario.hasTotals(), one, other, sent);
    for (String step : scenario.steps) {
      try {
        play.step(step);
      } catch (Exception | AssertionError failure) {
        throw new AssertionError(
            "%s, at '%s', after %s, by %s and %s%s"
                .formatted(
                    scenario.title,
                    step,
                    play.said,
                    one,
                    other,
                    scenario.dies() ? ", which stopped after " + sent : ""),
            failure);
      }
    }
    return play.stopped;
  }

  /** One scenario's counters, and what was said. */
  private static final class Play {
    private final Optional<TestClient> raw;
    private final String below;
    private final boolean hasTotals;
    private final Map<String, Side> sides;
    private final long sent;
    private final Map<String, Long> named = new HashMap<>();
    private final List<String> said = new ArrayList<>();
    private boolean stopped;
    private CompletableFuture<Answer> held = new CompletableFuture<>();

    Play(
        Optional<TestClient> raw,
        String below,
        boolean hasTotals,
        Side one,
        Side other,
        long sent) {
      this.raw = raw;
      this.below = below;
      this.hasTotals = hasTotals;
      this.sides = Map.of("A", one, "B", other);
      this.sent = sent;
    }

    void step(String step) throws Exception {
      List<CompletableFuture<?>> calls = new ArrayList<>();
      for (String part : step.split(" & ", -1)) {
        if (part.contains(" goes on")) {
          goOn(part);
        } else if (part.matches("[AB].*")) {
          calls.addAll(call(part));
        } else {
          look(part.split(" "));
        }
      }
      for (var call : calls) {
        call.get();
      }
    }

    private List<CompletableFuture<?>> call(String part) throws Exception {
      var times = TIMES.matcher(part);
      int repeated = times.find() ? Integer.parseInt(times.group(1)) : 1;
      var parsed = STEP.matcher(times.replaceFirst(""));
      assertThat(parsed.matches()).isTrue();
      List<CompletableFuture<?>> calls = new ArrayList<>();
      for (int i = 0; i < repeated; i++) {
        String words = parsed.group("words").replace("{i}", "" + i);
        var stops = DIES.matcher(words);
        String stop = stops.find() ? stops.group(1) : "";
        String[] all = DIES.matcher(words).replaceFirst("").split(" ");
        boolean tried = all[1].equals("tried");
        int at = tried ? 2 : 1;
        Side side = Objects.requireNonNull(sides.get(all[0].substring(0, 1)));
        Place place = new Place(below, all[0].contains("@") ? all[0].substring(2) : "x", hasTotals);
        List<String> args = List.of(all).subList(at + 1, all.length);
        if (all[at].equals("awaited")) {
          await(part)
              .until(
                  () -> side.call(new Ask("total", List.of(), place)).get().result(),
                  args.get(0)::equals);
          continue;
        }
        Ask ask = new Ask(all[at], args, place);
        if (stop.equals("dies")) {
          Answer answer = side.call(ask.sending(sent, /* held= */ false)).get();
          stopped = answer.error().isPresent();
          side.restart();
          continue;
        }
        if (stop.equals("holds")) {
          held = side.call(ask.sending(sent, /* held= */ true));
          await(part).until(() -> held.isDone() || side.isHolding());
          stopped = side.isHolding();
          continue;
        }
        calls.add(
            call(side, ask, ATTEMPTS)
                .thenAccept(
                    answer -> {
                      if (!tried) {
                        check(
                            part,
                            parsed.group("result"),
                            parsed.group("error"),
                            parsed.group("name"),
                            answer);
                      }
                    }));
      }
      return calls;
    }

    /**
     * Calls again if the emulator has aborted a commit, of which nothing was applied: on a busy
     * machine, one may wait too long for the locks of others.
     */
    private static CompletableFuture<Answer> call(Side side, Ask ask, int attempts) {
      return side.call(ask)
          .thenCompose(
              answer ->
                  attempts > 1 && answer.message().contains("ABORTED: Transaction lock timeout")
                      ? call(side, ask, attempts - 1)
                      : CompletableFuture.completedFuture(answer));
    }

    private void goOn(String part) throws Exception {
      Side side = Objects.requireNonNull(sides.get(part.substring(0, 1)));
      side.goOn();
      Answer answer = held.get();
      side.restart();
      var parsed = STEP.matcher(part);
      assertThat(parsed.matches()).isTrue();
      if (!part.contains("goes on, tried")) {
        check(part, parsed.group("result"), parsed.group("error"), parsed.group("name"), answer);
      }
    }

    private synchronized void check(
        String part, String result, String error, String name, Answer answer) {
      said.add(part + ": " + answer);
      if (error != null) {
        assertThat(answer.error()).as("%s: %s", part, answer).contains(error);
        return;
      }
      assertThat(answer.error()).as("%s: %s", part, answer).isEmpty();
      if (name != null) {
        named.put(name, Long.valueOf(answer.result()));
      }
      if (result != null) {
        assertThat(answer.result()).as(part).isIn(List.of(expected(result).split("\\|")));
      }
    }

    /** Such as {@code 60 - r - s}. */
    private String expected(String result) {
      String[] terms = result.split(" - ", -1);
      if (terms.length == 1) {
        return result;
      }
      long rest = Long.parseLong(terms[0]);
      for (int i = 1; i < terms.length; i++) {
        rest -= Objects.requireNonNull(named.get(terms[i]));
      }
      return Long.toString(rest);
    }

    /** Looks at documents, or changes them by hand. */
    private void look(String[] words) throws Exception {
      TestClient client = raw.orElseThrow();
      DocumentReference document =
          client
              .firestore()
              .document(below + "/" + (hasTotals ? "counters" : TestClient.COUNTERS) + "/x");
      var shards = document.collection("shards");
      switch (words[0]) {
        case "document" -> get(document.delete());
        case "shard" -> {
          DocumentReference shard = shards.document(words[1]);
          get(
              words[2].equals("deleted")
                  ? shard.delete()
                  : shard.set(Map.of("count", value(words[3]))));
        }
        case "number", "numShards" -> {
          String field = words[0].equals("number") ? "num_shards" : words[0];
          if (words[1].equals("=")) {
            get(document.update(field, value(words[2])));
          } else {
            DocumentSnapshot found = get(document.get());
            assertThat(found.get(field)).isEqualTo(value(words[1]));
          }
        }
        case "sound" -> {
          Long number = get(document.get()).getLong("num_shards");
          var ids = get(shards.get()).getDocuments().stream().map(QueryDocumentSnapshot::getId);
          if (number == null) {
            assertThat(ids).isEmpty();
          } else {
            assertThat(ids)
                .containsAll(LongStream.range(0, number).mapToObj(Long::toString).toList());
          }
        }
        case "shards" -> assertThat(get(shards.get()).size()).isEqualTo(Integer.parseInt(words[1]));
        case "integers" ->
            assertThat(get(shards.get()).getDocuments())
                .extracting((QueryDocumentSnapshot shard) -> shard.get("count"))
                .isEqualTo(Arrays.stream(words).skip(1).map(Long::valueOf).toList());
        default -> throw new IllegalArgumentException("expected a step; found " + words[0]);
      }
    }

    private static Object value(String word) {
      if (word.matches("-?\\d+")) {
        return Long.valueOf(word);
      }
      if (word.equals("true")) {
        return true;
      }
      return word.matches("-?[\\d.]+|NaN|-?Infinity") ? (Object) Double.valueOf(word) : word;
    }
  }
}
