package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.T;
import static dev.tallyroll.protocol.Examples.VOTES;
import static dev.tallyroll.protocol.Examples.WITH_SLACK;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.noLease;
import static dev.tallyroll.protocol.Examples.rollup;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import dev.tallyroll.protocol.KnownCounters.Known;
import dev.tallyroll.protocol.RollupStore.Reading;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which writes a total, a lease, or the memory of one covers, to the microsecond. */
class CoverageTest {
  private static final Duration SLACK = WITH_SLACK.slack();
  private static final Duration TICK = WITH_SLACK.tick();
  private static final Commits DELETE = new Commits(Optional.empty(), false);

  private final KnownCounters counters = new KnownCounters(WITH_SLACK);

  private static Rollup asOf(double second) {
    return rollup(1, second, noLease());
  }

  private static Rollup live(double second, double until) {
    return rollup(1, second, leaseUntil(until));
  }

  private static Commits commit(double second) {
    return new Commits(Optional.of(at(second)), false);
  }

  private static Instant justAfter(Instant time) {
    return time.plusNanos(1_000);
  }

  @Test
  void total_coversWhatIsOlderThanTheSlack() {
    assertThat(Coverage.covers(asOf(0), at(-2).minusNanos(1_000), SLACK)).isTrue();
    assertThat(Coverage.covers(asOf(0), at(-2), SLACK)).isFalse();
    assertThat(Coverage.covers(asOf(0), at(-9), SLACK)).isTrue();
  }

  @Test
  void lease_coversUpToItsEnd() {
    assertThat(Coverage.covers(live(-60, 0), T, SLACK)).isTrue();
    assertThat(Coverage.covers(live(-60, 0), justAfter(T), SLACK)).isFalse();
  }

  @Test
  void latestCover_isRemembered() {
    counters.read(LIKES, live(0, 0));
    counters.read(LIKES, asOf(0));

    assertThat(counters.of(LIKES).covers(commit(0))).isTrue();
    assertThat(counters.of(LIKES).covers(commit(1))).isFalse();
    assertThat(counters.of(LIKES).covers(DELETE)).isFalse();
    assertThat(counters.of(VOTES).covers(commit(0))).isFalse();
    counters.wrote(LIKES, Optional.of(asOf(4)));
    assertThat(counters.of(LIKES).covers(commit(1))).isTrue();
  }

  @Test
  void countersSeenLongAgo_areForgottenFirst() {
    counters.read(CounterPath.of("first"), asOf(0));
    for (int i = 0; i < 10_000; i++) {
      counters.read(CounterPath.of("c" + i), asOf(0));
    }

    assertThat(counters.of(CounterPath.of("first")).covers(commit(-60))).isFalse();
    assertThat(counters.of(CounterPath.of("c0")).covers(commit(-60))).isTrue();
  }

  @Test
  void rollupIsExpectedUnread_untilAnotherWritesIt() {
    Known known = Known.NOTHING.wrote(Optional.of(asOf(0)), SLACK);
    assertThat(known.probable()).contains(asOf(0));

    Known refused = known.refused();
    assertThat(refused.probable()).isEmpty();
    Known others = refused.read(asOf(1), SLACK);
    assertThat(others.probable()).isEmpty();
    Known own = others.wrote(Optional.of(asOf(2)), SLACK);
    assertThat(own.probable()).isEmpty();
    assertThat(own.read(asOf(2), SLACK).probable()).isPresent();
  }

  @Test
  void liveRollup_isReadFirst() {
    assertThat(Known.NOTHING.wrote(Optional.of(live(0, 0)), SLACK).probable()).isEmpty();
    assertThat(Known.NOTHING.wrote(Optional.empty(), SLACK).probable()).isEmpty();
  }

  @Test
  void joinedEvents_areCoveredIfTheLatestIs() {
    Commits commits = commit(0).join(commit(-1));
    assertThat(commits.latest()).contains(T);
    commits = commits.join(commit(1));
    assertThat(commits.latest()).contains(at(1));

    commits = commits.join(DELETE);

    assertThat(commits.latest()).isEmpty();
    assertThat(commits.join(commit(9)).latest()).isEmpty();
  }

  @Test
  void delete_isCoveredByALeaseThatEndsAfterTheRead() {
    Optional<Rollup> live = Optional.of(live(-9, 0));

    assertThat(DELETE.areCoveredBy(new Reading(live, T), SLACK)).isTrue();
    assertThat(DELETE.areCoveredBy(new Reading(live, justAfter(T)), SLACK)).isFalse();
    assertThat(DELETE.areCoveredBy(new Reading(Optional.empty(), T), SLACK)).isFalse();
  }

  @Test
  void twoCommitsWithinATick_areABurst() {
    Known known = Known.NOTHING.seen(T);

    assertThat(known.isBurst(at(0.999), TICK)).isTrue();
    assertThat(known.isBurst(at(-0.999), TICK)).isTrue();
    assertThat(known.isBurst(at(1), TICK)).isFalse();
    assertThat(known.isBurst(T, TICK)).as("the same event again").isFalse();
    assertThat(Known.NOTHING.isBurst(T, TICK)).isFalse();
  }

  @Test
  void burst_isCoveredByALeaseOnly() {
    Commits burst = new Commits(Optional.of(at(-30)), true);
    Rollup created = live(0, 0);
    Rollup live = live(0, 5);

    assertThat(burst.areCoveredBy(new Reading(Optional.of(created), T), SLACK)).isFalse();
    assertThat(burst.areCoveredBy(new Reading(Optional.of(live), T), SLACK)).isTrue();
    assertThat(Known.NOTHING.read(created, SLACK).covers(burst)).isFalse();
    assertThat(Known.NOTHING.read(live, SLACK).covers(burst)).isTrue();
  }
}
