package dev.tallyroll.functions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.platform.EventHandling;
import dev.tallyroll.platform.Events;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.protocol.CounterStore;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.StructuredLog.Severity;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OnShardWrittenTest {
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1), 15);

  private static final Entry COUNTERS =
      new Entry(
          "counters", Layout.DEFAULT, Map.of(), SumMode.AGGREGATE, /* hasEvents= */ true, TIMING);

  private final ThreadEventLoop loop = new ThreadEventLoop("test", InstantSource.system());
  private final RollupStore rollups = mock(RollupStore.class);
  private final CounterStore store =
      new CounterStore(List.of(COUNTERS), mock(), rollups, mock(), mock());
  private final List<Severity> logged = Collections.synchronizedList(new ArrayList<>());
  private final StructuredLog log = (severity, message, fields) -> logged.add(severity);
  private final OnShardWritten function =
      new OnShardWritten(
          EventReaders.of(COUNTERS),
          new ShardWrites(store, liveId -> CompletableFuture.completedFuture(null), log, loop),
          new EventHandling(loop, log, Duration.ofSeconds(10), /* isRetried= */ true));

  @AfterEach
  void end() {
    loop.close();
  }

  @Test
  void eventThatCannotBeHandled_isLoggedAndDropped() {
    assertThatCode(() -> function.accept(Events.event(new byte[] {1, 2, 3})))
        .doesNotThrowAnyException();

    assertThat(logged).containsExactly(Severity.ERROR);
    verifyNoInteractions(rollups);
  }

  @Test
  void eventsThatCannotBeHandled_doNotFillTheLog() throws Exception {
    for (int i = 0; i < 100; i++) {
      function.accept(Events.event(new byte[] {1, 2, 3}));
    }

    assertThat(logged).hasSize(20).containsOnly(Severity.ERROR);
  }

  @Test
  void failure_isThrownToBeRetriedAndNotLogged() {
    when(rollups.read(COUNTERS.counter(CounterPath.of("likes"))))
        .thenReturn(CompletableFuture.failedFuture(new IllegalStateException("UNAVAILABLE")));

    assertThatThrownBy(
            () ->
                function.accept(
                    Events.event(Events.write("counters/likes/shards/0", 60).toByteArray())))
        .hasMessage("UNAVAILABLE");
    assertThat(logged).isEmpty();
  }
}
