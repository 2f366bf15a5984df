package dev.tallyroll.local;

import java.util.concurrent.atomic.LongAdder;

/**
 * What {@link Deliveries} did since the start. Immutable.
 *
 * @param submitted events that came in
 * @param duplicated copies that were injected
 * @param delayed copies that were held back
 * @param delivered copies that a function acknowledged
 * @param retriedEvents copies that failed at least once
 * @param retries failed attempts that were followed by another
 * @param givenUp copies that were never acknowledged
 * @param lostAnswers answers that were lost on purpose, each of which is a retry too
 * @param lostEvents events that were lost on purpose
 */
public record DeliveryCounts(
    long submitted,
    long duplicated,
    long delayed,
    long delivered,
    long retriedEvents,
    long retries,
    long givenUp,
    long lostAnswers,
    long lostEvents) {

  /** Counts up. Thread-safe. */
  static final class Counter {
    final LongAdder submitted = new LongAdder();
    final LongAdder duplicated = new LongAdder();
    final LongAdder delayed = new LongAdder();
    final LongAdder delivered = new LongAdder();
    final LongAdder retriedEvents = new LongAdder();
    final LongAdder retries = new LongAdder();
    final LongAdder givenUp = new LongAdder();
    final LongAdder lostAnswers = new LongAdder();
    final LongAdder lostEvents = new LongAdder();

    DeliveryCounts snapshot() {
      return new DeliveryCounts(
          submitted.sum(),
          duplicated.sum(),
          delayed.sum(),
          delivered.sum(),
          retriedEvents.sum(),
          retries.sum(),
          givenUp.sum(),
          lostAnswers.sum(),
          lostEvents.sum());
    }
  }
}
