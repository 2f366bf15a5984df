package dev.tallyroll.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.Lanes;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.ThreadEventLoop;
import dev.tallyroll.protocol.Timing;
import io.cloudevents.CloudEvent;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OnShardWrittenTest {
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1));
  private static final CounterPath LIKES = CounterPath.of("likes");

  private final ThreadEventLoop loop = new ThreadEventLoop("test", InstantSource.system());
  private final RollupStore store = mock(RollupStore.class);
  private final List<Severity> logged = Collections.synchronizedList(new ArrayList<>());
  private final CloudEvent event =
      Events.event(Events.write("counters/likes/shards/0", 60).toByteArray());

  private OnShardWritten function(dev.tallyroll.protocol.WakeUps wakeUps) {
    ShardWrites writes =
        new ShardWrites(
            store,
            wakeUps,
            (severity, message, fields) -> logged.add(severity),
            TIMING,
            () -> new Lanes(16, 1).lanes() - 1);
    return new OnShardWritten(
        new ShardEvents(Layout.DEFAULT, "(default)"),
        writes,
        new EventHandling(
            loop, (severity, message, fields) -> logged.add(severity), Duration.ofSeconds(10)));
  }

  private OnShardWritten function() {
    return function(lane -> CompletableFuture.completedFuture(null));
  }

  @AfterEach
  void end() {
    loop.close();
  }

  @Test
  void eventThatCannotBeHandled_isLoggedAndDropped() {
    assertThatCode(() -> function().accept(Events.event(new byte[] {1, 2, 3})))
        .doesNotThrowAnyException();

    assertThat(logged).containsExactly(Severity.ERROR);
    verifyNoInteractions(store);
  }

  @Test
  void failure_isThrownToBeRetriedAndNotLogged() {
    when(store.read(LIKES))
        .thenReturn(CompletableFuture.failedFuture(new IllegalStateException("UNAVAILABLE")));

    assertThatThrownBy(() -> function().accept(event)).hasMessage("UNAVAILABLE");
    assertThat(logged).isEmpty();
  }

  @Test
  void wakeUpThatFails_isLoggedAndTheEventAcknowledged() {
    storeFirstIncrement();
    when(store.write(any(), any()))
        .thenReturn(CompletableFuture.completedFuture(Optional.of(Instant.ofEpochSecond(62))));

    assertThatCode(
            () ->
                function(lane -> CompletableFuture.failedFuture(new IllegalStateException("no")))
                    .accept(event))
        .doesNotThrowAnyException();

    verify(store).write(any(), any());
    assertThat(logged).containsExactly(Severity.WARNING);
  }

  @Test
  void refusalsWithoutEnd_areThrown() {
    storeFirstIncrement();
    when(store.write(any(), any())).thenReturn(CompletableFuture.completedFuture(Optional.empty()));

    assertThatThrownBy(() -> function().accept(event)).hasMessageContaining("gave up after 10");
  }

  /** One shard with one increment, and no roll-up yet. */
  private void storeFirstIncrement() {
    when(store.read(LIKES))
        .thenReturn(
            CompletableFuture.completedFuture(
                new Reading(Optional.empty(), Instant.ofEpochSecond(60))));
    when(store.sum(LIKES))
        .thenReturn(
            CompletableFuture.completedFuture(
                new Sum(new Total.Whole(1), 1, Instant.ofEpochSecond(61))));
  }
}
