package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which writes a total, a lease, or the memory of one covers, to the microsecond. */
class CoverageTest {
  private static final Instant T = Instant.parse("2026-05-01T12:00:00Z");
  private static final Duration SLACK = Duration.ofSeconds(2);
  private static final CounterPath LIKES = CounterPath.of("likes");

  private static Rollup asOf(Instant time, Optional<Lease> lease) {
    return new Rollup(new Total.Whole(1), 1, time, lease, time);
  }

  @Test
  void total_coversWhatIsOlderThanTheSlack() {
    Rollup rollup = asOf(T, Optional.empty());

    assertThat(Coverage.covers(rollup, T.minus(SLACK).minusNanos(1_000), SLACK)).isTrue();
    assertThat(Coverage.covers(rollup, T.minus(SLACK), SLACK)).isFalse();
    assertThat(Coverage.byTotal(rollup, T.minusSeconds(9), SLACK)).isTrue();
  }

  @Test
  void lease_coversUpToItsEnd() {
    Rollup rollup = asOf(T.minusSeconds(60), Optional.of(new Lease(T, 0)));

    assertThat(Coverage.covers(rollup, T, SLACK)).isTrue();
    assertThat(Coverage.covers(rollup, T.plusNanos(1_000), SLACK)).isFalse();
  }

  @Test
  void longestLease_isRemembered() {
    KnownLeases known = new KnownLeases();
    known.remember(LIKES, Optional.of(new Lease(T, 0)));
    known.remember(LIKES, Optional.of(new Lease(T.minusSeconds(5), 0)));
    known.remember(LIKES, Optional.empty());

    assertThat(known.covers(LIKES, Optional.of(T))).isTrue();
    assertThat(known.covers(LIKES, Optional.of(T.plusSeconds(1)))).isFalse();
    assertThat(known.covers(LIKES, Optional.empty())).isFalse();
    assertThat(known.covers(CounterPath.of("votes"), Optional.of(T))).isFalse();
    known.remember(LIKES, Optional.of(new Lease(T.plusSeconds(1), 0)));
    assertThat(known.covers(LIKES, Optional.of(T.plusSeconds(1)))).isTrue();
  }

  @Test
  void leasesSeenLongAgo_areForgottenFirst() {
    KnownLeases known = new KnownLeases();
    known.remember(LIKES, Optional.of(new Lease(T, 0)));
    for (int i = 0; i < 9_999; i++) {
      known.remember(CounterPath.of("c" + i), Optional.of(new Lease(T, 0)));
    }
    assertThat(known.covers(CounterPath.of("c0"), Optional.of(T))).isTrue();
    assertThat(known.covers(LIKES, Optional.of(T))).isTrue();

    known.remember(CounterPath.of("one more"), Optional.of(new Lease(T, 0)));

    assertThat(known.covers(CounterPath.of("c1"), Optional.of(T))).isFalse();
    assertThat(known.covers(LIKES, Optional.of(T))).isTrue();
  }

  @Test
  void joinedEvents_areCoveredIfTheLatestIs() {
    Flight flight = new Flight(LIKES, Optional.of(T));
    flight.join(Optional.of(T.minusSeconds(1)));
    assertThat(flight.latest()).contains(T);
    flight.join(Optional.of(T.plusSeconds(1)));
    assertThat(flight.latest()).contains(T.plusSeconds(1));

    flight.join(Optional.empty());

    assertThat(flight.latest()).isEmpty();
    flight.join(Optional.of(T.plusSeconds(9)));
    assertThat(flight.latest()).isEmpty();
  }

  @Test
  void delete_isCoveredByALeaseThatEndsAfterTheRead() {
    Flight flight = new Flight(LIKES, Optional.empty());
    Optional<Rollup> rollup = Optional.of(asOf(T.minusSeconds(9), Optional.of(new Lease(T, 0))));

    assertThat(flight.isCoveredBy(new Reading(rollup, T), SLACK)).isTrue();
    assertThat(flight.isCoveredBy(new Reading(rollup, T.plusNanos(1_000)), SLACK)).isFalse();
    assertThat(flight.isCoveredBy(new Reading(Optional.empty(), T), SLACK)).isFalse();
  }
}
