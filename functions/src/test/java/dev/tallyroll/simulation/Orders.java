package dev.tallyroll.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tallyroll.Layout;
import dev.tallyroll.Lease;
import dev.tallyroll.protocol.RollupStore.Live;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;

/** The orders in which Firestore's queries answer. */
final class Orders {
  /** Segment by segment, by the bytes of their UTF-8; the empty path comes first. */
  static final Comparator<String> PATHS =
      Comparator.comparing(
          path -> path.replace('/', '\0').getBytes(UTF_8), Arrays::compareUnsigned);

  /** Of one query, or several merged, that are ordered by the ends of leases. */
  static final Comparator<Live> BY_END =
      Comparator.<Live, Instant>comparing(live -> lease(live).until())
          .thenComparing(live -> Layout.DEFAULT.rollupDocument(live.counter()), PATHS);

  static final Comparator<Live> BY_LANE =
      Comparator.<Live>comparingInt(live -> lease(live).lane()).thenComparing(BY_END);

  private Orders() {}

  private static Lease lease(Live live) {
    return live.rollup().lease().orElseThrow();
  }
}
