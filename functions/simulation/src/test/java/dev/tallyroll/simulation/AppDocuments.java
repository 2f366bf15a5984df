package dev.tallyroll.simulation;

import com.google.firestore.v1.Document;
import com.google.firestore.v1.Value;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.simulation.SimulatedServer.Changed;
import dev.tallyroll.simulation.SimulatedServer.Commit;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The counters' own documents, which are the app's, with the fields that show figures. Checks all
 * that functions write there, and that they write it.
 */
final class AppDocuments {
  /** The fields. */
  static final Map<Figure, FieldName> FIELDS =
      Map.of(
          Figure.SUM, FieldName.of("stats", "likes"),
          Figure.COUNT, FieldName.of("number"),
          Figure.AVERAGE, FieldName.of("stats", "average"));

  /** Fields of an app's document, without a place where a figure can be written. */
  static final List<Map<String, Object>> OBSTACLES =
      List.of(
          Map.of("stats", "a text"),
          Collections.singletonMap("stats", null),
          Map.of("stats", 7L),
          Map.of("stats", List.of("alice")),
          Map.of("stats", Map.of("likes", List.of("alice", "bob"))),
          Map.of("stats", Map.of("likes", Map.of("alice", true))),
          Map.of("number", "a text", "stats", 7L),
          Map.of("number", "a text"));

  /**
   * A field that could not be written may be left alone for a minute, and a write that was sent
   * without it takes effect up to some seconds later.
   */
  private static final Duration NOTICED = Duration.ofSeconds(85);

  /** After an attempt for the field was refused, or took too long, the roll-up goes alone. */
  private static final Duration TRIED = Duration.ofSeconds(30);

  private final VirtualTime time;
  private final SimulatedServer server;

  /** Since when a field can be written, by the paths of the documents. */
  private final Map<String, Instant> free = new HashMap<>();

  /** An instance tells of a number that it replaces, but once a minute, and before its call. */
  private static final Duration TOLD = Duration.ofSeconds(75);

  private final Map<String, Instant> tried = new HashMap<>();

  /** When the log told last of a number that is replaced, by the paths of the documents. */
  private final Map<String, Instant> told = new HashMap<>();

  private final Map<String, Instant> heldUntil = new HashMap<>();

  /** How often a document was locked. */
  int holds;

  /** The paths of the documents that have had something else in a field's place. */
  private final Set<String> obstructed = new HashSet<>();

  AppDocuments(VirtualTime time, SimulatedServer server) {
    this.time = time;
    this.server = server;
  }

  /** Whether a path is that of a counter's own document. */
  static boolean isOwn(String path) {
    String collection = SimulatedServer.parent(path);
    return Set.of("counters", "polls", "polled_counters", "posts").contains(collection);
  }

  private static String path(CounterPath counter) {
    return ServerTotals.layoutOf(counter).counterDocument(counter);
  }

  boolean wasObstructed(@Nullable Object path) {
    return path instanceof String && obstructed.contains(path);
  }

  /** The number in a field. */
  Optional<Number> shown(CounterPath counter, Figure figure) {
    return server
        .document(path(counter))
        .map(document -> value(document, figure))
        .filter(AppDocuments::isNumber)
        .map(value -> (Number) Protos.object(value));
  }

  private static List<String> names(Figure figure) {
    return Objects.requireNonNull(FIELDS.get(figure)).names();
  }

  private static @Nullable Value value(Document document, Figure figure) {
    return Protos.get(document.getFieldsMap(), names(figure));
  }

  private static boolean isNumber(Value value) {
    return value.hasIntegerValue() || value.hasDoubleValue();
  }

  private static boolean isFree(Optional<Document> document) {
    return document.isPresent()
        && FIELDS.keySet().stream().anyMatch(figure -> isFree(document.get(), figure));
  }

  private static boolean isObstructed(Document document) {
    return !FIELDS.keySet().stream().allMatch(figure -> isFree(document, figure));
  }

  /** Whether a number can be written without replacing anything else. */
  private static boolean isFree(Document document, Figure figure) {
    List<String> names = names(figure);
    Value first = document.getFieldsMap().get(names.get(0));
    Value last = value(document, figure);
    return (names.size() == 1 || first == null || first.hasMapValue())
        && (last == null || isNumber(last));
  }

  /** A transaction of the app locks the document for a while. */
  void hold(CounterPath counter, Duration forTime) {
    hold(path(counter), forTime);
  }

  /** Holds a document, by its path. */
  void hold(String path, Duration forTime) {
    heldUntil.put(path, time.now().plus(forTime));
    holds++;
  }

  /** How long a write of the document waits. */
  Duration held(String path) {
    Instant until = heldUntil.getOrDefault(path, Instant.MIN);
    return until.isAfter(time.now()) ? Duration.between(time.now(), until) : Duration.ZERO;
  }

  /** Functions have asked for the field, or for a write of it. */
  void tried(String path) {
    tried.put(path, time.now());
  }

  /** The log has told of a number. */
  void told(Map<String, ?> fields) {
    String path = (String) fields.get("document");
    told.put(path, time.now());
    obstructed.add(path);
  }

  /** Checks that the log has kept a number of the app's, before the functions replace it. */
  private void checkTold(Changed each, Commit commit) {
    Optional<Sum> last = rollup(each, commit).flatMap(Changed::before).map(AppDocuments::sum);
    for (Figure figure : FIELDS.keySet()) {
      Value was = value(each.before().orElseThrow(), figure);
      Value now = value(each.after().orElseThrow(), figure);
      double before = last.map(sum -> figure.of(sum).doubleValue()).orElse(0.0);
      if (was != null
          && now != null
          && !was.equals(now)
          && number(was) != before
          && number(was) != number(now)
          && told.getOrDefault(each.path(), Instant.EPOCH).plus(TOLD).isBefore(time.now())) {
        throw wrong(each, "replaced a number without a word in");
      }
    }
  }

  private static double number(Value value) {
    return Protos.object(value) instanceof Number number ? number.doubleValue() : Double.NaN;
  }

  /** The roll-up that was written in the same commit. */
  private static Optional<Changed> rollup(Changed own, Commit commit) {
    String rollup = "rollups/" + SimulatedServer.id(own.path());
    return commit.changes().stream().filter(change -> change.path().equals(rollup)).findAny();
  }

  private static Sum sum(Document rollup) {
    Map<String, Value> fields = rollup.getFieldsMap();
    Value count = fields.getOrDefault("count", Protos.value(0L));
    return new Sum(
        Total.of(isNumber(count) && Protos.object(count) instanceof Number it ? it : Double.NaN),
        fields.getOrDefault("shards", Protos.value(0L)).getIntegerValue(),
        Instant.EPOCH);
  }

  /** Checks a commit, in a world in which the functions show totals. */
  void committed(Commit commit) {
    for (Changed each : commit.changes()) {
      if (isOwn(each.path())) {
        if (commit.by().isPresent()) {
          checkShown(each, commit);
          checkTold(each, commit);
        }
        note(each);
      } else if (commit.by().filter(AppDocuments::showsFields).isPresent()
          && Call.isRollup(each.path())) {
        checkWritten(each, commit);
      }
    }
  }

  /** Functions with other settings have no fields. */
  private static boolean showsFields(Functions functions) {
    return ServerTotals.LAYOUTS.contains(functions.only());
  }

  private void note(Changed each) {
    if (each.after().filter(AppDocuments::isObstructed).isPresent()) {
      obstructed.add(each.path());
    }
    if (!isFree(each.after())) {
      free.remove(each.path());
    } else if (!isFree(each.before())) {
      free.put(each.path(), time.now());
    }
  }

  /** Checks that functions have changed only the fields, from numbers or nothing to the figures. */
  private void checkShown(Changed each, Commit commit) {
    Document before = each.before().orElseThrow(() -> wrong(each, "made"));
    Document after = each.after().orElseThrow(() -> wrong(each, "removed"));
    Sum sum =
        rollup(each, commit)
            .map(Changed::after)
            .orElseGet(() -> server.document("rollups/" + SimulatedServer.id(each.path())))
            .map(AppDocuments::sum)
            .orElseThrow(() -> wrong(each, "changed without a roll-up"));
    Map<String, Value> expected = new HashMap<>(before.getFieldsMap());
    FIELDS.forEach(
        (figure, name) -> {
          if (isFree(before, figure)) {
            Protos.put(expected, name.names(), Protos.value(figure.of(sum).number()));
          }
        });
    if (!expected.equals(after.getFieldsMap())) {
      throw wrong(each, "changed");
    }
  }

  private static AssertionError wrong(Changed each, String how) {
    return new AssertionError("functions have " + how + " an app's document: " + each);
  }

  private void checkWritten(Changed each, Commit commit) {
    String own = ownDocument(each);
    Instant since = free.get(own);
    Optional<Instant> before = ServerTotals.time(each.before(), "as_of");
    boolean sums =
        ServerTotals.time(each.after(), "as_of")
            .filter(asOf -> !Optional.of(asOf).equals(before))
            .isPresent();
    Instant now = time.now();
    if (sums
        && since != null
        && !commit.written().contains(own)
        && !shows(own, sum(each.after().orElseThrow()))
        && since.plus(NOTICED).isBefore(now)
        && tried.getOrDefault(own, Instant.EPOCH).plus(TRIED).isBefore(now)) {
      throw new AssertionError(own + ": a total was written without the field");
    }
  }

  /** Whether the fields that can be written are right already, or the document has just gone. */
  private boolean shows(String own, Sum sum) {
    return server.document(own).stream()
        .allMatch(
            document ->
                FIELDS.keySet().stream()
                    .filter(figure -> isFree(document, figure))
                    .allMatch(
                        figure ->
                            Protos.value(figure.of(sum).number()).equals(value(document, figure))));
  }

  private static String ownDocument(Changed rollup) {
    return path(CounterPath.of(SimulatedServer.id(rollup.path())));
  }

  /** Checks, after a sweep, that the document shows what the roll-up says. */
  void check(CounterPath counter, Optional<Rollup> rollup) {
    Optional<Document> document = server.document(path(counter));
    if (rollup.isEmpty() || document.isEmpty()) {
      return;
    }
    for (Figure figure : FIELDS.keySet()) {
      if (isFree(document.get(), figure)
          && !shown(counter, figure).equals(Optional.of(figure.of(rollup.get().sum()).number()))) {
        throw new AssertionError(
            "%s: the document is %s, the roll-up %s".formatted(counter, document, rollup));
      }
    }
  }
}
