package dev.tallyroll.local.soak;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** What is known of one counter: what its client did, and what its readers saw. Thread-safe. */
final class History {
  private final List<Change> changes = new ArrayList<>();
  private final List<Seen> heard = new ArrayList<>();
  private final List<Seen> polled = new ArrayList<>();
  private int deletions;

  /**
   * An increment as its client knows it. Immutable.
   *
   * @param delta what it adds
   * @param begun when it was first sent: it is in no total before that
   * @param known by when it surely was committed; {@link Instant#MAX} if that was never learnt
   */
  record Change(long delta, Instant begun, Instant known) {}

  /**
   * A roll-up as a reader got it. Immutable.
   *
   * @param count its total
   * @param asOf what it is exact for
   * @param at when the reader got it
   */
  record Seen(long count, Instant asOf, Instant at) {}

  synchronized void changed(Change change) {
    changes.add(change);
  }

  /** A listener got it. */
  synchronized void heard(long count, Instant asOf) {
    heard.add(new Seen(count, asOf, Instant.now()));
  }

  /** Somebody asked for it. */
  synchronized void polled(long count, Instant asOf) {
    polled.add(new Seen(count, asOf, Instant.now()));
  }

  /** It was deleted, and created again or not: what it held is gone. */
  synchronized void deleted() {
    deletions++;
    changes.clear();
  }

  synchronized List<Change> changes() {
    return List.copyOf(changes);
  }

  synchronized List<Seen> heard() {
    return List.copyOf(heard);
  }

  synchronized List<Seen> polled() {
    return List.copyOf(polled);
  }

  synchronized int deletions() {
    return deletions;
  }
}
