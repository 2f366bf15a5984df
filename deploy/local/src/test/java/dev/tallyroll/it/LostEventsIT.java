package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.Faults;
import dev.tallyroll.local.FunctionServer.Drift;
import dev.tallyroll.local.Occurrence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * Every event is lost for a stretch of writes, as when a trigger is deployed anew: for longer than
 * a lease and its slack. More would only be more of the same, and {@code deploy/local/soak
 * --drop-minutes} has that.
 */
@On(Site.LONE)
final class LostEventsIT {
  private static final int OF_EACH = 30;
  private static final int SHARDS = 2;
  private static final Duration LOSS = Duration.ofSeconds(5);

  private final Lab lab;
  private final Map<Counter, Long> totals = new HashMap<>();
  private long written;

  LostEventsIT(Lab lab) {
    this.lab = lab;
  }

  @AfterEach
  void loseNoMore() {
    lab.cloud().deliveries().inject(DeliveryFaults.NONE);
  }

  @Test
  void oneSweep_makesEveryTotalRight(TestReporter reporter) throws Exception {
    var untouched = lab.counters(OF_EACH);
    var changed = lab.counters(OF_EACH);
    var deleted = lab.counters(OF_EACH);
    var created = lab.counters(OF_EACH);
    create(Stream.of(untouched, changed, deleted).flatMap(List::stream).toList());
    lab.settleAll();
    assertRight(untouched);

    loseEventsOf(changed, deleted, created);
    var drift = Faults.sweep(lab.cloud());

    var wrong = Stream.of(changed, deleted, created).flatMap(List::stream).toList();
    assertThat(drift)
        .extracting(Drift::counter)
        .containsExactlyInAnyOrderElementsOf(
            wrong.stream().map(counter -> counter.path().toString()).toList());
    lab.settleAll();
    assertRight(untouched);
    assertRight(changed);
    assertRight(created);
    for (var counter : deleted) {
      assertThat(counter.shown()).as("the roll-up of a deleted counter").isEmpty();
    }
    reporter.publishEntry("events lost, totals put right", written + ", " + drift.size());
  }

  private void create(List<Counter> counters) throws Exception {
    for (var counter : counters) {
      counter.create(SHARDS);
      counter.increment(0, 1);
      totals.put(counter, 1L);
      written += SHARDS + 1;
    }
    await("all events to be handled").until(() -> lab.cloud().quiet());
  }

  private void loseEventsOf(List<Counter> changed, List<Counter> deleted, List<Counter> created)
      throws Exception {
    written = 0;
    long before = lab.cloud().deliveries().count(Occurrence.EVENT_LOST);
    lab.cloud().deliveries().inject(DeliveryFaults.losingAllEvents());
    create(created);
    for (var counter : deleted) {
      counter.delete();
      written += SHARDS;
    }
    increment(changed);
    // The emulator sends its events one after the other, behind the writes.
    await("all events to be lost")
        .until(
            () -> lab.cloud().deliveries().count(Occurrence.EVENT_LOST) - before,
            lost -> lost >= written);
    lab.cloud().deliveries().inject(DeliveryFaults.NONE);
  }

  private void increment(List<Counter> counters) throws Exception {
    long end = System.nanoTime() + LOSS.toNanos();
    var order = new ArrayList<>(counters);
    for (int i = 0; i < order.size() || System.nanoTime() < end; i++) {
      var counter = order.get(i % order.size());
      counter.increment(i % SHARDS, 2);
      totals.merge(counter, 2L, Long::sum);
      written++;
    }
  }

  private void assertRight(List<Counter> counters) throws Exception {
    for (var counter : counters) {
      assertThat(counter.shown().map(Shown::count)).contains(totals.get(counter));
    }
  }
}
