package dev.tallyroll.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.core.SettableApiFuture;
import dev.tallyroll.BufferObserver;
import dev.tallyroll.BufferOptions;
import dev.tallyroll.BufferedCounter;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30) // a future that never completes fails its test
@SuppressWarnings("FutureReturnValueIgnored") // Many tests look at the commits only.
class BufferTest {
  private static final Instant NOON = Instant.parse("2026-05-01T12:00:00Z");

  private record Task(Duration at, Runnable work) {}

  private record Commit(CounterPath counter, long sum, SettableApiFuture<Instant> answer) {
    @Override
    public String toString() {
      return counter + " " + sum;
    }
  }

  private final List<Task> tasks = new ArrayList<>();
  private final List<Commit> commits = new ArrayList<>();
  private final List<String> heard = new ArrayList<>();
  private final BufferOptions.Builder options =
      BufferOptions.builder().maxPending(5).maxCounters(3).closeTimeout(Duration.ZERO);
  private Duration now = Duration.ZERO;

  private Buffer buffer() {
    return new Buffer(options.build(), Layout.DEFAULT, "", this::commit, this::schedule);
  }

  private ApiFuture<Instant> commit(CounterPath counter, long sum) {
    Commit commit = new Commit(counter, sum, SettableApiFuture.create());
    commits.add(commit);
    return commit.answer;
  }

  private Runnable schedule(Duration delay, Runnable work) {
    Task task = new Task(now.plus(delay), work);
    tasks.add(task);
    return () -> tasks.remove(task);
  }

  private void pass(int millis) {
    now = now.plusMillis(millis);
    List<Task> due = tasks.stream().filter(task -> task.at.compareTo(now) <= 0).toList();
    due.forEach(task -> task.work.run());
  }

  private List<String> commits() {
    return commits.stream().map(Commit::toString).toList();
  }

  private void answer(int commit) {
    commits.get(commit).answer.set(NOON.plusSeconds(commit));
  }

  private void fail(int commit) {
    commits.get(commit).answer.setException(new IllegalArgumentException("UNAVAILABLE"));
  }

  @Test
  void addsOfACounter_areOneCommitAfterTheDelayOfTheFirst() throws Exception {
    Buffer buffer = buffer();
    BufferedCounter likes = buffer.counter("likes");

    ApiFuture<Instant> first = likes.add(1);
    pass(500);
    ApiFuture<Instant> second = buffer.counter("likes").add(-4);
    buffer.counter("views").add(7);
    pass(499);
    assertThat(commits()).isEmpty();
    pass(1);
    assertThat(commits()).containsExactly("likes -3");

    ApiFuture<Instant> third = likes.add(1);
    answer(0);
    assertThat(first.get()).isEqualTo(second.get()).isEqualTo(NOON);
    assertThat(third.isDone()).isFalse();
    pass(1000);
    assertThat(commits()).containsExactly("likes -3", "views 7", "likes 1");
  }

  @Test
  void fullWindow_isCommittedAtOnce() {
    Buffer buffer = buffer();

    for (int i = 0; i < 12; i++) {
      buffer.counter("likes").add(Counter.MOST_DELTA);
    }

    String full = "likes " + 5 * Counter.MOST_DELTA;
    assertThat(commits()).containsExactly(full, full);
    assertThat(tasks).as("timers of what was committed are gone").hasSize(1);
    pass(1000);
    assertThat(commits()).hasSize(3);
    assertThat(tasks).isEmpty();
  }

  @Test
  void sumOfZero_writesNothingAndSucceeds() throws Exception {
    BufferedCounter likes = buffer().counter("likes");
    ApiFuture<Instant> one = likes.add(1);
    likes.add(-1);

    pass(1000);

    assertThat(commits()).isEmpty();
    assertThat(one.get()).isEqualTo(Instant.EPOCH);
  }

  @Test
  void failedCommit_failsAllItsAddsAndSaysThatTheyMayHaveCounted() throws Exception {
    BufferedCounter likes = buffer().counter("likes");
    ApiFuture<Instant> one = likes.add(1);
    ApiFuture<Instant> other = likes.add(2);
    pass(1000);
    ApiFuture<Instant> later = likes.add(3);

    fail(0);

    for (ApiFuture<Instant> failed : List.of(one, other)) {
      assertThatThrownBy(failed::get)
          .hasCauseInstanceOf(CounterException.Unsure.class)
          .hasRootCauseMessage("UNAVAILABLE")
          .hasMessageContaining("counter likes: expected a commit of 2 adds; found ")
          .hasMessageContaining("They may or may not have counted");
    }
    pass(1000);
    answer(1);
    assertThat(later.get()).isEqualTo(NOON.plusSeconds(1));
  }

  @Test
  void commitThatWroteNothing_saysSo() {
    ApiFuture<Instant> add = buffer().counter("likes").add(1);
    pass(1000);

    commits.get(0).answer.setException(new CounterException.NotFound(commits.get(0).counter));

    assertThatThrownBy(add::get).hasCauseInstanceOf(CounterException.NotFound.class);
  }

  @Test
  void commitThatThrows_failsTheFuture() {
    Buffer buffer =
        new Buffer(
            options.build(),
            Layout.DEFAULT,
            "",
            (counter, sum) -> {
              throw new IllegalArgumentException("closed");
            },
            this::schedule);
    ApiFuture<Instant> add = buffer.counter("likes").add(1);

    pass(1000);

    assertThatThrownBy(add::get).hasRootCauseMessage("closed");
    buffer.close();
  }

  @Test
  void cancellation_takesNothingFromOthers() throws Exception {
    Buffer buffer = buffer();
    ApiFuture<Instant> one = buffer.counter("likes").add(1);
    ApiFuture<Instant> other = buffer.counter("likes").add(1);

    assertThat(one.cancel(true)).isFalse();
    ApiFutures.transform(one, time -> time, Runnable::run).cancel(true);
    buffer.flush().cancel(true);

    answer(0);
    assertThat(other.get()).isEqualTo(NOON);
    assertThat(commits()).containsExactly("likes 2");
  }

  @Test
  void badDelta_isRefusedAtOnce() {
    BufferedCounter likes = buffer().counter("likes");

    assertThatIllegalArgumentException().isThrownBy(() -> likes.add(Counter.MOST_DELTA + 1));

    assertThat(tasks).isEmpty();
  }

  /** Commits under way count, too, for they need memory. */
  @Test
  void tooManySums_failTheAddAndNotTheCaller() {
    Buffer buffer = buffer();
    buffer.counter("a").add(1);
    pass(1000);
    buffer.counter("a").add(1);
    buffer.counter("b").add(1);

    ApiFuture<Instant> refused = buffer.counter("c").add(1);

    assertThat(buffer.counter("b").add(1).isDone()).isFalse();
    assertThatThrownBy(refused::get)
        .hasCauseInstanceOf(CounterException.Refused.class)
        .hasMessageContaining("counter c: expected fewer than 3 sums")
        .hasMessageContaining("found 3");
    fail(0);
    assertThat(buffer.counter("c").add(1).isDone()).isFalse();
    pass(1000);
    assertThat(commits()).containsExactly("a 1", "a 1", "b 2", "c 1");
  }

  @Test
  void flush_isOverWhenAllEarlierAddsHaveEndedWellOrNot() throws Exception {
    Buffer buffer = buffer();
    assertThat(buffer.flush().isDone()).isTrue();
    buffer.counter("a").add(1);
    pass(1000);
    buffer.counter("b").add(1);

    ApiFuture<Void> flushed = buffer.flush();

    assertThat(commits()).containsExactly("a 1", "b 1");
    assertThat(tasks).isEmpty();
    buffer.counter("b").add(5);
    answer(1);
    assertThat(flushed.isDone()).isFalse();
    fail(0);
    assertThat(flushed.get()).isNull();
    assertThat(commits()).hasSize(2);
  }

  @Test
  void close_flushesAndRefusesFurtherAdds() throws Exception {
    Buffer buffer = buffer();
    ApiFuture<Instant> added = buffer.counter("a").add(0);

    buffer.close();

    assertThat(added.get()).isEqualTo(Instant.EPOCH);
    assertThatThrownBy(buffer.counter("a").add(1)::get)
        .hasCauseInstanceOf(CounterException.Refused.class)
        .hasMessageContaining("counter a: expected an open buffer; found a closed one");
    buffer.close();
  }

  @Test
  void close_saysWhatIsLeft() throws Exception {
    Buffer buffer = buffer();
    buffer.counter("a").add(1);
    ApiFuture<Instant> late = buffer.counter("a").add(1);
    buffer.counter("rooms").add(1);

    assertThatIllegalStateException()
        .isThrownBy(buffer::close)
        .withMessage(
            "buffered counters: expected all adds to end within PT0S; found 3 under way, which may"
                + " yet count: 2 of a, 1 of rooms");

    answer(0);
    answer(1);
    assertThat(late.get()).isEqualTo(NOON);
    buffer.close();
  }

  @Test
  void interruptedClose_endsAndStaysInterrupted() {
    options.closeTimeout(BufferOptions.LONGEST_CLOSE);
    Buffer buffer = buffer();
    buffer.counter("a").add(1);
    Thread.currentThread().interrupt();

    assertThatIllegalStateException().isThrownBy(buffer::close);

    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void observer_hearsOfCommits() {
    options.observer(
        new BufferObserver() {
          @Override
          public void pending(long adds) {
            heard.add("pending " + adds);
          }

          @Override
          public void flushed(int adds, Duration took) {
            assertThat(took).isBetween(Duration.ZERO, Duration.ofMinutes(1));
            heard.add("flushed " + adds);
          }

          @Override
          public void failed(int adds, Throwable failure) {
            heard.add("failed " + adds + " " + failure.getClass().getSimpleName());
          }
        });
    Buffer buffer = buffer();
    buffer.counter("a").add(1);
    buffer.counter("a").add(1);
    pass(1000);
    buffer.counter("b").add(1);
    answer(0);
    pass(1000);
    fail(1);

    assertThat(heard)
        .containsExactly(
            "pending 2", "pending 1", "flushed 2", "pending 1", "pending 0", "failed 1 Unsure");
  }

  @Test
  void observerThatThrows_changesNothing() throws Exception {
    options.observer(
        new BufferObserver() {
          @Override
          public void pending(long adds) {
            throw new IllegalArgumentException("pending, on purpose");
          }

          @Override
          public void flushed(int adds, Duration took) {
            throw new IllegalArgumentException("flushed, on purpose");
          }
        });
    ApiFuture<Instant> add = buffer().counter("a").add(1);

    pass(1000);
    answer(0);

    assertThat(add.get()).isEqualTo(NOON);
  }
}
