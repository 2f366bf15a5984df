package dev.tallyroll.library;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.cloud.NoCredentials;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.BufferOptions;
import dev.tallyroll.BufferedCounters;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import dev.tallyroll.CounterReader;
import dev.tallyroll.Counters;
import dev.tallyroll.Increment;
import dev.tallyroll.Total;
import dev.tallyroll.fake.FakeCounters;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
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
  void totalOfDocuments_isWhatTheTestSets() throws Exception {
    FakeCounters counters = new FakeCounters();
    CounterPath ratings = new CounterPath("rooms/r1", "p1");
    CounterReader reader = counters.below("rooms/r1").reader("p1");
    List<Double> averages = new ArrayList<>();
    reader.listen(total -> averages.add(total.average()), never -> {});

    counters.setTotal(ratings, new Total.Whole(9), 2);
    assertThat(get(reader.total()).longValue()).isEqualTo(9);
    assertThat(get(reader.total()).number()).isEqualTo(2);
    counters.setTotal(ratings, new Total.Whole(0), 0);

    assertThat(averages).containsExactly(0.0, 4.5, 0.0);
    assertThat(get(reader.total()).exists()).isTrue();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> counters.setTotal(ratings, new Total.Whole(0), -1))
        .withMessageStartingWith("number: expected 0 to ");
  }

  /** Nothing tells it of the commit, so it counts when it is added. */
  @Test
  void increment_countsOnceHoweverOftenItIsAdded() throws Exception {
    Counter counter = counters.counter("likes");
    assertThatThrownBy(() -> get(counter.prepare(1)))
        .hasCauseInstanceOf(CounterException.NotFound.class);
    get(counter.create(1));
    Increment one = get(counter.prepare(1));
    Increment half = get(counter.prepareFraction(0.5));
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(0));
    Firestore offline = offline();
    WriteBatch batch = offline.batch();
    offline.shutdown();

    one.addTo(batch);
    one.addTo(batch);
    get(one.again()).addTo(batch);
    assertThat(get(counter.total()).longValue()).isEqualTo(1);
    half.addTo(batch);
    assertThat(get(counter.total()).total()).isEqualTo(new Total.Fraction(1.5));
    assertThat(batch.getMutationsSize()).isZero();

    get(counter.delete());
    get(counter.create(1));
    assertThat(get(counter.exactTotal())).isEqualTo(new Total.Whole(0));
  }

  private static Firestore offline() {
    return FirestoreOptions.newBuilder()
        .setProjectId("none")
        .setCredentials(NoCredentials.getInstance())
        .build()
        .getService();
  }

  @Test
  void commits_areInOrderWhileTheClockStands() throws Exception {
    Instant noon = Instant.parse("2026-05-01T12:00:00Z");
    Counter counter = new FakeCounters(() -> noon).counter("likes");
    get(counter.create(1));

    assertThat(get(counter.add(1))).isAfter(noon).isBefore(get(counter.add(1)));
  }

  @Test
  void bufferedAdds_waitForTheTestsClock() throws Exception {
    AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-05-01T12:00:00Z"));
    FakeCounters counters = new FakeCounters(now::get);
    Counter counter = counters.counter("likes");
    get(counter.create(1));
    BufferedCounters buffered = counters.buffered(BufferOptions.DEFAULT);
    ApiFuture<Instant> added = buffered.counter("likes").add(1);
    now.updateAndGet(time -> time.plusMillis(999));

    counters.commitDue();
    assertThat(added.isDone()).isFalse();
    now.updateAndGet(time -> time.plusMillis(1));
    counters.commitDue();

    assertThat(added.isDone()).isTrue();
    assertThat(get(added)).isAfterOrEqualTo(now.get());
    assertThat(get(counter.total()).longValue()).isEqualTo(1);
    assertThat(get(buffered.flush())).isNull();
  }
}
