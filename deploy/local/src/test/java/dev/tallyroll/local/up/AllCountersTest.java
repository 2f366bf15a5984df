package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.firestore.FirestoreOptions;
import dev.tallyroll.functions.Settings;
import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.local.up.Controls.View;
import dev.tallyroll.local.up.Totals.State;
import dev.tallyroll.local.up.Totals.Verdict;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AllCountersTest {
  /** In the order of their paces, counters do not change places at each second's rates. */
  @Test
  void pace_followsTheRateSlowly() {
    double steady = 0;
    for (int second = 0; second < 120; second++) {
      steady = AllCounters.pace(steady, 10, 1);
    }

    assertThat(steady).isBetween(9.0, 10.0);
    assertThat(AllCounters.pace(0, 100, 1)).isBetween(1.0, steady / 2);
    assertThat(AllCounters.pace(steady, 0, 1)).isGreaterThan(steady * 0.9);
  }

  @Test
  void busiest_areOrderedByTheirPaces() {
    var bursting = new State("a", 1, 1, 100, 3, 0, true, false, false, Verdict.YES);
    var steady = new State("b", 1, 1, 8, 10, 0, true, false, false, Verdict.YES);

    assertThat(View.FIRST.matching(List.of(bursting, steady))).containsExactly(steady, bursting);
  }

  /** A server of no service refuses each call with an error that no client repeats. */
  @Test
  void failedLook_isMadeAgainButNotForEver() throws Exception {
    var server = NettyServerBuilder.forPort(0).build().start();
    var firestore =
        FirestoreOptions.newBuilder()
            .setProjectId("demo-failing")
            .setEmulatorHost("127.0.0.1:" + server.getPort())
            .build()
            .getService();
    var all = new AllCounters(firestore, Settings.from(unset -> null));
    try {
      assertThat(all.look()).isEmpty();

      assertThatThrownBy(all::lookAtAll)
          .isInstanceOf(LocalCloudException.class)
          .hasMessageStartingWith("expected Firestore to list the counters, found ");
    } finally {
      firestore.shutdown();
      server.shutdownNow();
    }
  }
}
