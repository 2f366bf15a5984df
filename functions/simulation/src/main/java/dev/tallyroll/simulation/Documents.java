package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.TotalField.Field;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The counters' own documents, which are the app's, with the field that shows the total. */
final class Documents {
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
  private final Supplier<Instant> versions;

  /**
   * A document that is there.
   *
   * @param free since when the field can be written
   */
  private record Own(Instant free, Instant version, Map<String, Object> fields) {}

  private final Map<CounterPath, Own> documents = new HashMap<>();
  private final Map<CounterPath, Instant> tried = new HashMap<>();
  private final Map<CounterPath, Instant> heldUntil = new HashMap<>();

  /** The paths of the documents that have had something else in the field's place. */
  private final Set<String> obstructed = new HashSet<>();

  /**
   * @param versions gives update times, which rise
   */
  Documents(VirtualTime time, Supplier<Instant> versions) {
    this.time = time;
    this.versions = versions;
  }

  boolean has(CounterPath counter) {
    return documents.containsKey(counter);
  }

  /** Reads the field of a counter's own document. */
  Field field(CounterPath counter) {
    Own own = documents.get(counter);
    return own == null ? Field.MISSING : Field.of(own.version, own.fields, PATH);
  }

  boolean isAt(CounterPath counter, Instant version) {
    return field(counter).version().equals(Optional.of(version));
  }

  /** The app writes the whole document, without the field. */
  void replace(CounterPath counter) {
    put(counter, Map.of());
  }

  /** Somebody writes the whole document. */
  Instant put(CounterPath counter, Map<String, Object> fields) {
    Instant version = versions.get();
    Instant free = isFree(field(counter)) ? freeSince(counter) : time.now();
    documents.put(counter, new Own(free, version, fields));
    if (!isFree(field(counter))) {
      obstructed.add(Database.layoutOf(counter).counterDocument(counter));
    }
    return version;
  }

  private Instant freeSince(CounterPath counter) {
    return Optional.ofNullable(documents.get(counter)).map(Own::free).orElse(Instant.MAX);
  }

  boolean wasObstructed(@Nullable Object path) {
    return path instanceof String && obstructed.contains(path);
  }

  private static boolean isFree(Field field) {
    return field.version().isPresent() && field.obstacle().isEmpty();
  }

  void remove(CounterPath counter) {
    documents.remove(counter);
  }

  /** A transaction of the app locks the document for a while. */
  void hold(CounterPath counter, Duration forTime) {
    heldUntil.put(counter, time.now().plus(forTime));
  }

  /** How long a write of the document waits. */
  Duration held(CounterPath counter) {
    Instant until = heldUntil.getOrDefault(counter, Instant.MIN);
    return until.isAfter(time.now()) ? Duration.between(time.now(), until) : Duration.ZERO;
  }

  /** Functions have asked for the field, or for a write of it. */
  void tried(CounterPath counter) {
    tried.put(counter, time.now());
  }

  /**
   * A roll-up was written.
   *
   * @return the document's version after its field was written
   */
  Optional<Instant> written(CounterPath counter, Change change, boolean shown) {
    if (shown) {
      if (!isFree(field(counter))) {
        throw new AssertionError(counter + ": a total has replaced " + documents.get(counter));
      }
      Number total = change.sum().map(Sum::total).orElseThrow().number();
      return Optional.of(put(counter, Map.of("stats", Map.of("likes", total))));
    }
    Instant now = time.now();
    if (change.sum().isPresent()
        && isFree(field(counter))
        && freeSince(counter).plus(NOTICED).isBefore(now)
        && tried.getOrDefault(counter, Instant.EPOCH).plus(TRIED).isBefore(now)) {
      throw new AssertionError(counter + ": a total was written without the field");
    }
    return Optional.empty();
  }

  /** Checks, after a sweep, that the document shows what the roll-up says. */
  void check(CounterPath counter, Optional<Rollup> rollup) {
    Optional<Total> total = rollup.map(Rollup::total);
    if (total.isPresent() && isFree(field(counter)) && !field(counter).total().equals(total)) {
      throw new AssertionError(
          "%s: the document is %s, the roll-up %s"
              .formatted(counter, documents.get(counter), rollup.get()));
    }
  }
}
