package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.WITHOUT_SLACK;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.noLease;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.sum;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.Cycle.ToRead;
import dev.tallyroll.protocol.Cycle.ToSum;
import dev.tallyroll.protocol.Cycle.ToWrite;
import dev.tallyroll.protocol.KnownCounters.Commits;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.ShardWrites.HandlerPolicy;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The steps of a handler that no simulated server brings about. All others are tested there, by
 * HandlersTest.
 */
class ShardWritesTest {
  /** Firestore's own times say that there is none. */
  @Test
  void sumThatIsNotNewer_isReadAgain() {
    Rollup stored = rollup(1, 1, noLease());
    HandlerPolicy policy =
        new HandlerPolicy(new Commits(Optional.of(at(2)), /* makeLive= */ false), WITHOUT_SLACK);
    Cycle<HandlerPolicy> begun = Cycle.begin(policy, Optional.empty());
    Cycle<HandlerPolicy> read =
        ((ToRead<HandlerPolicy>) begun).read(new Reading(Optional.of(stored), at(1)));
    ToSum<HandlerPolicy> toSum = (ToSum<HandlerPolicy>) read;

    assertThat(toSum.summed(sum(2, 1)))
        .isInstanceOfSatisfying(ToRead.class, again -> assertThat(again.attempts()).isEqualTo(1));
    assertThat(toSum.summed(sum(2, 3))).isInstanceOf(ToWrite.class);
  }
}
