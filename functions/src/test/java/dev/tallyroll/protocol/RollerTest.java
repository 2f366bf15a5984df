package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.T;
import static dev.tallyroll.protocol.Examples.WITHOUT_SLACK;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.done;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.sum;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import dev.tallyroll.Rollup;
import dev.tallyroll.protocol.RollupStore.Live;
import dev.tallyroll.protocol.RollupStore.LiveList;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A run that takes over from another, which still writes: the shards have come back to what the new
 * run has read, while the roll-up has not.
 */
class RollerTest {
  private static final Rollup READ = rollup(5, 0, leaseUntil(9));
  private static final Rollup WRITTEN_SINCE = rollup(6, 0.5, leaseUntil(9));

  private final RollupStore store = mock(RollupStore.class);
  private final EventLoop loop = mock(EventLoop.class);
  private final RunSettings settings =
      new RunSettings(
          WITHOUT_SLACK, new Lanes(1, 1), Duration.ofSeconds(70), Duration.ofSeconds(5));
  private final Roller roller = new Roller(store, Journal.none(), settings, 0, loop);

  @BeforeEach
  void takeOver() {
    when(loop.instant()).thenReturn(T);
    when(store.live()).thenReturn(done(new LiveList(List.of(new Live(LIKES, READ)), T)));
    when(store.sum(LIKES)).thenReturn(done(sum(5, 1)));
    when(store.read(LIKES)).thenReturn(done(new Reading(Optional.of(WRITTEN_SINCE), at(1))));
    when(store.write(any(), any())).thenReturn(done(Optional.of(at(1))));
  }

  @Test
  void successor_looksBeforeItBelievesThatNothingHasChanged() {
    roller.succeed();

    roller.fill().join();

    verify(store).write(eq(LIKES), argThat(RollerTest::expectsTheNewerVersion));
  }

  private static boolean expectsTheNewerVersion(Change change) {
    return change instanceof Change.Update update
        && update.expected().equals(WRITTEN_SINCE.updateTime());
  }

  @Test
  void successor_looksForALeaseWhateverItWrites() {
    roller.succeed();
    roller.fill().join();

    roller.tick(0);
    verify(store, times(2)).read(LIKES);

    when(loop.instant()).thenReturn(T.plus(WITHOUT_SLACK.lease()));
    roller.tick(0);
    verify(store, times(2)).read(LIKES);
  }

  @Test
  void runThatNobodyCameBefore_needNotLook() {
    roller.fill().join();

    verify(store, never()).read(LIKES);
  }
}
