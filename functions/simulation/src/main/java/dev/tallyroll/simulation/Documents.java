package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Change;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The counters' own documents, which are the app's, with the field that shows the total. */
final class Documents {
  /**
   * A document that was missing may be believed to be so for a minute, and a write that was sent
   * without the field takes effect up to ten seconds later.
   */
  private static final Duration NOTICED = Duration.ofSeconds(75);

  private final VirtualTime time;

  /**
   * A document that is there.
   *
   * @param made since when it has not been missing
   */
  private record Own(Instant made, Optional<Total> field) {}

  private final Map<CounterPath, Own> documents = new HashMap<>();

  Documents(VirtualTime time) {
    this.time = time;
  }

  boolean has(CounterPath counter) {
    return documents.containsKey(counter);
  }

  Optional<Total> field(CounterPath counter) {
    return Optional.ofNullable(documents.get(counter)).flatMap(Own::field);
  }

  /** The app writes the whole document, without the field. */
  void replace(CounterPath counter) {
    set(counter, Optional.empty());
  }

  private void set(CounterPath counter, Optional<Total> field) {
    documents.merge(counter, new Own(time.now(), field), (old, now) -> new Own(old.made, field));
  }

  void remove(CounterPath counter) {
    documents.remove(counter);
  }

  boolean showsNothingElse(CounterPath counter, Total total) {
    Own own = documents.get(counter);
    return own == null || own.field.equals(Optional.of(total));
  }

  /** A roll-up was written. */
  void written(CounterPath counter, Change change, boolean shown) {
    if (shown) {
      set(counter, change.sum().map(Sum::total));
      return;
    }
    Own own = documents.get(counter);
    if (change.sum().isPresent() && own != null && own.made.plus(NOTICED).isBefore(time.now())) {
      throw new AssertionError(counter + ": a total was written without the field");
    }
  }

  /** Checks, after a sweep, that the document shows what the roll-up says. */
  void check(CounterPath counter, Optional<Rollup> rollup) {
    if (rollup.isPresent() && !showsNothingElse(counter, rollup.get().total())) {
      throw new AssertionError(
          "%s: the document is %s, the roll-up %s"
              .formatted(counter, documents.get(counter), rollup.get()));
    }
  }
}
