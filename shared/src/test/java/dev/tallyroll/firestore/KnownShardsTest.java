package dev.tallyroll.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.core.SettableApiFuture;
import dev.tallyroll.CounterPath;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class KnownShardsTest {
  private static final CounterPath LIKES = CounterPath.of("likes");

  private Instant now = Instant.ofEpochSecond(1_000);
  private final Queue<ApiFuture<Integer>> answers = new ArrayDeque<>();
  private final KnownShards known = new KnownShards(() -> now);

  private void answer(int shards) {
    answers.add(ApiFutures.immediateFuture(shards));
  }

  private ApiFuture<Integer> shards() {
    return known.of(LIKES, answers::remove);
  }

  private void assertKnown(int shards) throws Exception {
    assertThat(shards().get()).isEqualTo(shards);
  }

  @Test
  void number_isReadOnceAMinute() throws Exception {
    answer(3);
    answer(4);

    assertKnown(3);
    now = now.plus(KnownShards.KEPT).minusNanos(1);
    assertKnown(3);
    now = now.plusNanos(1);
    assertKnown(4);
  }

  @Test
  void clockSetBack_readsAgain() throws Exception {
    answer(3);
    answer(4);
    shards().get();

    now = now.minus(Duration.ofDays(1));

    assertKnown(4);
  }

  @Test
  void callsThatComeTogether_shareOneRead() throws Exception {
    SettableApiFuture<Integer> answer = SettableApiFuture.create();
    answers.add(answer);

    ApiFuture<Integer> first = shards();
    ApiFuture<Integer> second = shards();
    answer.set(7);

    assertThat(first.get()).isEqualTo(7);
    assertThat(second.get()).isEqualTo(7);
  }

  @Test
  void failures_areNotRemembered() throws Exception {
    answers.add(ApiFutures.immediateFailedFuture(new IllegalStateException("lost")));
    answer(4);

    assertThatThrownBy(() -> shards().get()).hasRootCauseMessage("lost");
    assertKnown(4);
  }

  @Test
  void whatIsForgotten_isReadAgain() throws Exception {
    answer(4);
    known.remember(LIKES, 3);
    assertKnown(3);

    known.forget(LIKES);

    assertKnown(4);
  }

  @Test
  void ofManyCounters_theOneUsedLongestAgoIsForgotten() throws Exception {
    known.remember(LIKES, 3);
    for (int i = 1; i < KnownShards.MOST; i++) {
      known.remember(CounterPath.of("c" + i), i);
    }
    assertKnown(3);

    known.remember(CounterPath.of("new"), 7);

    assertKnown(3);
    assertThat(known.of(CounterPath.of("c2"), answers::remove).get()).isEqualTo(2);
    answer(5);
    assertThat(known.of(CounterPath.of("c1"), answers::remove).get()).isEqualTo(5);
  }
}
