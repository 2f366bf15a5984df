package dev.tallyroll.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.core.SettableApiFuture;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AwaitedTotalTest {
  private static final Instant NOON = Instant.parse("2026-05-01T12:00:00Z");
  private static final RolledUpTotal EARLY =
      RolledUpTotal.of(new Total.Whole(1), NOON.minusNanos(1_000), true);
  private static final RolledUpTotal IN_TIME = RolledUpTotal.of(new Total.Whole(2), NOON, true);

  private final AwaitedTotal awaited = upTo(Duration.ofHours(1));
  private final AtomicInteger looks = new AtomicInteger();

  private static AwaitedTotal upTo(Duration atMost) {
    return new AwaitedTotal(CounterPath.of("likes"), NOON, atMost);
  }

  /** Sets the answer to each look. The first look has number 1. */
  private void look(AwaitedTotal awaited, IntFunction<ApiFuture<RolledUpTotal>> seen) {
    awaited.readFrom(() -> seen.apply(looks.incrementAndGet()));
  }

  private static ApiFuture<RolledUpTotal> inTimeAt(int wanted, int look) {
    return ApiFutures.immediateFuture(look < wanted ? EARLY : IN_TIME);
  }

  private static RolledUpTotal get(AwaitedTotal awaited) throws Exception {
    return awaited.get(1, TimeUnit.MINUTES);
  }

  @Test
  void earlyTotal_isLookedAtAgain() throws Exception {
    look(awaited, look -> inTimeAt(4, look));

    assertThat(get(awaited)).isEqualTo(IN_TIME);
    assertThat(looks).hasValue(4);
  }

  @Test
  void look_isAnsweredBeforeTheNext() throws Exception {
    SettableApiFuture<RolledUpTotal> slow = SettableApiFuture.create();
    look(awaited, look -> look == 1 ? slow : inTimeAt(2, look));
    passTime();
    assertThat(looks).hasValue(1);

    slow.set(EARLY);

    assertThat(get(awaited)).isEqualTo(IN_TIME);
    assertThat(looks).hasValue(2);
  }

  @Test
  void failedLook_isTheLast() {
    look(
        awaited,
        look ->
            look == 1
                ? inTimeAt(2, look)
                : ApiFutures.immediateFailedFuture(new IOException("refused")));

    assertThatThrownBy(() -> get(awaited)).hasRootCauseMessage("refused");
    assertThat(looks).hasValue(2);
  }

  @Test
  void closedClient_endsTheWait() {
    look(
        awaited,
        look -> {
          if (look == 1) {
            return inTimeAt(2, look);
          }
          throw new IllegalStateException("closed");
        });

    assertThatThrownBy(() -> get(awaited)).hasRootCauseMessage("closed");
  }

  @Test
  void cancelled_isLookedAtNoMore() throws Exception {
    look(
        awaited,
        look -> {
          if (look == 2) {
            awaited.cancel(false);
          }
          return inTimeAt(3, look);
        });
    assertThatThrownBy(() -> get(awaited)).isInstanceOf(CancellationException.class);

    passTime();

    assertThat(looks).hasValue(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void firstLook_isWaitedForHoweverShortTheTime(int millis) throws Exception {
    SettableApiFuture<RolledUpTotal> slow = SettableApiFuture.create();
    AwaitedTotal current = upTo(Duration.ofMillis(millis));
    AwaitedTotal behind = upTo(Duration.ofMillis(millis));
    look(current, look -> slow);
    behind.readFrom(() -> ApiFutures.transform(slow, total -> EARLY, Runnable::run));
    passTime();
    assertThat(current.isDone()).isFalse();

    slow.set(IN_TIME);

    assertThat(get(current)).isEqualTo(IN_TIME);
    assertThatThrownBy(() -> get(behind)).hasCauseInstanceOf(CounterException.Behind.class);
  }

  @Test
  void unansweredLook_isNotWaitedForOnceTimeIsUp() throws Exception {
    AwaitedTotal brief = upTo(Duration.ofSeconds(1));
    SettableApiFuture<RolledUpTotal> silent = SettableApiFuture.create();
    look(brief, look -> look == 1 ? inTimeAt(2, look) : silent);

    assertThatThrownBy(() -> get(brief))
        .hasCauseInstanceOf(CounterException.Behind.class)
        .hasMessageEndingWith("within PT1S; found " + EARLY);
    int before = looks.get();
    silent.set(EARLY);
    passTime();

    assertThat(looks).hasValue(before);
  }

  /** Passes the time of three pauses of another wait. No wait of the test reaches its next look. */
  private static void passTime() throws Exception {
    AwaitedTotal witness = upTo(Duration.ofHours(1));
    AtomicInteger own = new AtomicInteger();
    witness.readFrom(() -> inTimeAt(4, own.incrementAndGet()));
    get(witness);
  }
}
