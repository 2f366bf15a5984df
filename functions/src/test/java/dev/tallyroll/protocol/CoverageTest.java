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
  private static final Duration TICK = Duration.ofSeconds(1);
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
    KnownCounters known = new KnownCounters(new Timing(TICK, Duration.ofSeconds(5), SLACK));
    known.read(LIKES, asOf(T, Optional.of(new Lease(T, 0))));
    known.read(LIKES, asOf(T, Optional.empty()));

    assertThat(known.of(LIKES).covers(at(Optional.of(T)))).isTrue();
    assertThat(known.of(LIKES).covers(at(Optional.of(T.plusSeconds(1))))).isFalse();
    assertThat(known.of(LIKES).covers(at(Optional.empty()))).isFalse();
    assertThat(known.of(CounterPath.of("votes")).covers(at(Optional.of(T)))).isFalse();
    known.wrote(LIKES, Optional.of(asOf(T.plusSeconds(4), Optional.empty())));
    assertThat(known.of(LIKES).covers(at(Optional.of(T.plusSeconds(1))))).isTrue();
  }

  @Test
  void countersSeenLongAgo_areForgottenFirst() {
    KnownCounters known = new KnownCounters(new Timing(TICK, Duration.ofSeconds(5), SLACK));
    known.read(CounterPath.of("first"), asOf(T, Optional.empty()));
    for (int i = 0; i < 10_000; i++) {
      known.read(CounterPath.of("c" + i), asOf(T, Optional.empty()));
    }

    Optional<Instant> old = Optional.of(T.minusSeconds(60));
    assertThat(known.of(CounterPath.of("first")).covers(at(old))).isFalse();
    assertThat(known.of(CounterPath.of("c0")).covers(at(old))).isTrue();
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

  private static Commits at(Optional<Instant> committed) {
    return new Commits(committed, false);
  }

  @Test
  void joinedEvents_areCoveredIfTheLatestIs() {
    Commits commits = at(Optional.of(T)).join(at(Optional.of(T.minusSeconds(1))));
    assertThat(commits.latest()).contains(T);
    commits = commits.join(at(Optional.of(T.plusSeconds(1))));
    assertThat(commits.latest()).contains(T.plusSeconds(1));

    commits = commits.join(at(Optional.empty()));

    assertThat(commits.latest()).isEmpty();
    assertThat(commits.join(at(Optional.of(T.plusSeconds(9)))).latest()).isEmpty();
  }

  @Test
  void delete_isCoveredByALeaseThatEndsAfterTheRead() {
    Commits delete = at(Optional.empty());
    Optional<Rollup> rollup = Optional.of(asOf(T.minusSeconds(9), Optional.of(new Lease(T, 0))));

    assertThat(delete.areCoveredBy(new Reading(rollup, T), SLACK)).isTrue();
    assertThat(delete.areCoveredBy(new Reading(rollup, T.plusNanos(1_000)), SLACK)).isFalse();
    assertThat(delete.areCoveredBy(new Reading(Optional.empty(), T), SLACK)).isFalse();
  }

  @Test
  void twoCommitsWithinATick_areABurst() {
    Known known = Known.NOTHING.seen(T);

    assertThat(known.isBurst(T.plusMillis(999), TICK)).isTrue();
    assertThat(known.isBurst(T.minusMillis(999), TICK)).isTrue();
    assertThat(known.isBurst(T.plusSeconds(1), TICK)).isFalse();
    assertThat(known.isBurst(T, TICK)).as("the same event again").isFalse();
    assertThat(Known.NOTHING.isBurst(T, TICK)).isFalse();
  }

  @Test
  void burst_isCoveredByALeaseOnly() {
    Commits burst = new Commits(Optional.of(T.minusSeconds(30)), true);
    Rollup created = asOf(T, Optional.of(new Lease(T, 0)));
    Rollup live = asOf(T, Optional.of(new Lease(T.plusSeconds(5), 0)));

    assertThat(burst.areCoveredBy(new Reading(Optional.of(created), T), SLACK)).isFalse();
    assertThat(burst.areCoveredBy(new Reading(Optional.of(live), T), SLACK)).isTrue();
    assertThat(Known.NOTHING.read(created, SLACK).covers(burst)).isFalse();
    assertThat(Known.NOTHING.read(live, SLACK).covers(burst)).isTrue();
  }
}
