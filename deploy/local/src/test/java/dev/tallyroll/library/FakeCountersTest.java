package dev.tallyroll.library;

import static dev.tallyroll.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Counter;
import dev.tallyroll.Counters;
import dev.tallyroll.fake.FakeCounters;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class FakeCountersTest extends CounterContract {
  private final Counters counters = new FakeCounters();

  @Override
  Counters counters() {
    return counters;
  }

  @Test
  void heldRollups_followWhenReleased() throws Exception {
    FakeCounters counters = new FakeCounters();
    Counter counter = counters.counter("likes");
    get(counter.create(1));
    counters.hold();
    Instant committed = get(counter.add(3));
    var awaited = counter.awaitTotal(committed, Duration.ofMinutes(1));
    assertThat(get(counter.total()).longValue()).isZero();
    assertThat(awaited.isDone()).isFalse();

    counters.release();

    assertThat(awaited.isDone()).isTrue();
    assertThat(get(awaited).longValue()).isEqualTo(3);
  }

  @Test
  void commits_areInOrderWhileTheClockStands() throws Exception {
    Instant noon = Instant.parse("2026-05-01T12:00:00Z");
    Counter counter = new FakeCounters(() -> noon).counter("likes");
    get(counter.create(1));

    assertThat(get(counter.add(1))).isAfter(noon).isBefore(get(counter.add(1)));
  }
}
