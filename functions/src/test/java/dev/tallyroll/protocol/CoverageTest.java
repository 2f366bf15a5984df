package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.KnownCounters.Known;
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
    assertThat(Coverage.covers(rollup, T.minusSeconds(9), SLACK)).isTrue();
  }

  @Test
  void lease_coversUpToItsEnd() {
    Rollup rollup = asOf(T.minusSeconds(60), Optional.of(new Lease(T, 0)));

    assertThat(Coverage.covers(rollup, T, SLACK)).isTrue();
    assertThat(Coverage.covers(rollup, T.plusNanos(1_000), SLACK)).isFalse();
  }

  @Test
  void latestCover_isRemembered() {
    KnownCounters known = new KnownCounters(SLACK);
    known.read(LIKES, asOf(T, Optional.of(new Lease(T, 0))));
    known.read(LIKES, asOf(T, Optional.empty()));

    assertThat(known.of(LIKES).covers(Optional.of(T))).isTrue();
    assertThat(known.of(LIKES).covers(Optional.of(T.plusSeconds(1)))).isFalse();
    assertThat(known.of(LIKES).covers(Optional.empty())).isFalse();
    assertThat(known.of(CounterPath.of("votes")).covers(Optional.of(T))).isFalse();
    known.wrote(LIKES, Optional.of(asOf(T.plusSeconds(4), Optional.empty())));
    assertThat(known.of(LIKES).covers(Optional.of(T.plusSeconds(1)))).isTrue();
  }

  @Test
  void countersSeenLongAgo_areForgottenFirst() {
    KnownCounters known = new KnownCounters(SLACK);
    known.read(CounterPath.of("first"), asOf(T, Optional.empty()));
    for (int i = 0; i < 10_000; i++) {
      known.read(CounterPath.of("c" + i), asOf(T, Optional.empty()));
    }

    Optional<Instant> old = Optional.of(T.minusSeconds(60));
    assertThat(known.of(CounterPath.of("first")).covers(old)).isFalse();
    assertThat(known.of(CounterPath.of("c0")).covers(old)).isTrue();
  }

  @Test
  void rollupIsExpectedUnread_untilAnotherWritesIt() {
    Known known = Known.NOTHING.wrote(Optional.of(asOf(T, Optional.empty())), SLACK);
    assertThat(known.probable()).contains(asOf(T, Optional.empty()));

    Known refused = known.refused();
    assertThat(refused.probable()).isEmpty();
    Known others = refused.read(asOf(T.plusSeconds(1), Optional.empty()), SLACK);
    assertThat(others.probable()).isEmpty();
    Known own = others.wrote(Optional.of(asOf(T.plusSeconds(2), Optional.empty())), SLACK);
    assertThat(own.probable()).isEmpty();
    assertThat(own.read(asOf(T.plusSeconds(2), Optional.empty()), SLACK).probable()).isPresent();
  }

  @Test
  void liveRollup_isReadFirst() {
    Rollup live = asOf(T, Optional.of(new Lease(T, 0)));

    assertThat(Known.NOTHING.wrote(Optional.of(live), SLACK).probable()).isEmpty();
    assertThat(Known.NOTHING.wrote(Optional.empty(), SLACK).probable()).isEmpty();
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
