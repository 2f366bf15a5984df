package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.firestore.FirestoreOptions;
import dev.tallyroll.local.LocalCloudException;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PageTotalsTest {
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
    var all = new PageTotals(firestore, Served.by(Map.of()), List.of(), InstantSource.system());
    try {
      assertThat(all.states()).isEmpty();

      assertThatThrownBy(all::readAll)
          .isInstanceOf(LocalCloudException.class)
          .hasMessageStartingWith("expected Firestore to list the totals, found ");
    } finally {
      firestore.shutdown();
      server.shutdownNow();
    }
  }
}
