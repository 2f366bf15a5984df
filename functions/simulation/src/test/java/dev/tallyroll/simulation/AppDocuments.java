package dev.tallyroll.simulation;

import com.google.firestore.v1.Document;
import com.google.firestore.v1.Value;
import dev.tallyroll.CounterPath;
import dev.tallyroll.simulation.SimulatedServer.Changed;
import dev.tallyroll.simulation.SimulatedServer.Commit;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The counters' own documents, which are the app's, with the field that shows the total. Checks all
 * that functions write there, and that they write it.
 */
final class AppDocuments {
  /** The names on the way to the field. */
  static final List<String> PATH = List.of("stats", "likes");

  /** Fields of an app's document, without a place where a total can be written. */
  static final List<Map<String, Object>> OBSTACLES =
      List.of(
          Map.of("stats", "a text"),
          Collections.singletonMap("stats", null),
          Map.of("stats", 7L),
          Map.of("stats", List.of("alice")),
          Map.of("stats", Map.of("likes", List.of("alice", "bob"))),
          Map.of("stats", Map.of("likes", Map.of("alice", true))));

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

  /** The paths of the documents that have had something else in the field's place. */
  private final Set<String> obstructed = new HashSet<>();

  AppDocuments(VirtualTime time, SimulatedServer server) {
    this.time = time;
    this.server = server;
  }

  /** Whether a path is that of a counter's own document. */
  static boolean isOwn(String path) {
    String collection = SimulatedServer.parent(path);
    return Set.of("counters", "polls", "polled_counters").contains(collection);
  }

  private static String path(CounterPath counter) {
    return ServerTotals.layoutOf(counter).counterDocument(counter);
  }

  boolean wasObstructed(@Nullable Object path) {
    return path instanceof String && obstructed.contains(path);
  }

  /** The number in the field. */
  Optional<Number> shown(CounterPath counter) {
    return server
        .document(path(counter))
        .map(document -> Protos.get(document.getFieldsMap(), PATH))
        .filter(value -> value.hasIntegerValue() || value.hasDoubleValue())
        .map(value -> (Number) Protos.object(value));
  }

  private static boolean isFree(Optional<Document> document) {
    if (document.isEmpty()) {
      return false;
    }
    Value stats = document.get().getFieldsMap().get(PATH.get(0));
    Value likes = Protos.get(document.get().getFieldsMap(), PATH);
    return (stats == null || stats.hasMapValue())
        && (likes == null || likes.hasIntegerValue() || likes.hasDoubleValue());
  }

  /** A transaction of the app locks the document for a while. */
  void hold(CounterPath counter, Duration forTime) {
    heldUntil.put(path(counter), time.now().plus(forTime));
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
    Value was = Protos.get(each.before().orElseThrow().getFieldsMap(), PATH);
    String rollup = "rollups/" + SimulatedServer.id(each.path());
    Value last =
        commit.changes().stream()
            .filter(change -> change.path().equals(rollup))
            .findAny()
            .flatMap(Changed::before)
            .map(document -> document.getFieldsMap().get("count"))
            .orElse(Protos.value(0L));
    if (was != null
        && !was.equals(last)
        && told.getOrDefault(each.path(), Instant.EPOCH).plus(TOLD).isBefore(time.now())) {
      throw wrong(each, "replaced a number without a word in");
    }
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
      } else if (commit.by().isPresent() && Call.isRollup(each.path())) {
        checkWritten(each, commit);
      }
    }
  }

  private void note(Changed each) {
    if (!isFree(each.after())) {
      free.remove(each.path());
      if (each.after().isPresent()) {
        obstructed.add(each.path());
      }
    } else if (!isFree(each.before())) {
      free.put(each.path(), time.now());
    }
  }

  /** Checks that functions have changed only the field, from a number or nothing to the total. */
  private void checkShown(Changed each, Commit commit) {
    Document before = each.before().orElseThrow(() -> wrong(each, "made"));
    Document after = each.after().orElseThrow(() -> wrong(each, "removed"));
    Value shown = Protos.get(after.getFieldsMap(), PATH);
    Map<String, Value> expected = new HashMap<>(before.getFieldsMap());
    Protos.put(expected, PATH, shown);
    String rollup = "rollups/" + SimulatedServer.id(each.path());
    Optional<Value> total =
        commit.changes().stream()
            .filter(change -> change.path().equals(rollup))
            .findAny()
            .map(Changed::after)
            .orElseGet(() -> server.document(rollup))
            .map(document -> document.getFieldsMap().get("count"));
    if (!isFree(each.before())
        || !expected.equals(after.getFieldsMap())
        || !Optional.ofNullable(shown).equals(total)) {
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
        && since.plus(NOTICED).isBefore(now)
        && tried.getOrDefault(own, Instant.EPOCH).plus(TRIED).isBefore(now)) {
      throw new AssertionError(own + ": a total was written without the field");
    }
  }

  private static String ownDocument(Changed rollup) {
    return path(CounterPath.of(SimulatedServer.id(rollup.path())));
  }

  /** Checks, after a sweep, that the document shows what the roll-up says. */
  void check(CounterPath counter, Optional<Number> total) {
    Optional<Document> document = server.document(path(counter));
    if (total.isPresent() && isFree(document) && !shown(counter).equals(total)) {
      throw new AssertionError(
          "%s: the document is %s, the roll-up %s".formatted(counter, document, total));
    }
  }
}
