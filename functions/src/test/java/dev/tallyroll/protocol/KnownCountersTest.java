package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.VOTES;
import static dev.tallyroll.protocol.Examples.WITH_SLACK;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.counter;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.noLease;
import static dev.tallyroll.protocol.Examples.rollup;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.KnownCounters.Commits;
import dev.tallyroll.protocol.KnownCounters.Knowledge;
import dev.tallyroll.protocol.KnownCounters.Write;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The writes that a total, a lease or a remembered lease covers, to the microsecond. */
class KnownCountersTest {
  private static final Commits DELETE = new Commits(Optional.empty(), false);

  private final KnownCounters counters = new KnownCounters();

  private static Rollup asOf(double second) {
    return rollup(1, second, noLease());
  }

  private static Rollup live(double second, double until) {
    return rollup(1, second, leaseUntil(until));
  }

  private static Commits commit(double second) {
    return new Commits(Optional.of(at(second)), false);
  }

  @Test
  void latestCover_isRemembered() {
    counters.update(LIKES, known -> known.read(live(0, 0), WITH_SLACK));
    counters.update(LIKES, known -> known.read(asOf(0), WITH_SLACK));

    assertThat(counters.of(LIKES).covers(commit(0))).isTrue();
    assertThat(counters.of(LIKES).covers(commit(1))).isFalse();
    assertThat(counters.of(LIKES).covers(DELETE)).isFalse();
    assertThat(counters.of(VOTES).covers(commit(0))).isFalse();
    counters.update(LIKES, known -> known.wrote(Optional.of(asOf(4)), WITH_SLACK));
    assertThat(counters.of(LIKES).covers(commit(1))).isTrue();
  }

  @Test
  void countersSeenLongAgo_areForgottenFirst() {
    counters.update(counter("first"), known -> known.read(asOf(0), WITH_SLACK));
    for (int i = 0; i < 10_000; i++) {
      counters.update(counter("c" + i), known -> known.read(asOf(0), WITH_SLACK));
    }

    assertThat(counters.of(counter("first")).covers(commit(-60))).isFalse();
    assertThat(counters.of(counter("c0")).covers(commit(-60))).isTrue();
  }

  @Test
  void rollupIsExpectedUnread_untilAnotherWritesIt() {
    Knowledge known = Knowledge.NOTHING.wrote(Optional.of(asOf(0)), WITH_SLACK);
    assertThat(known.probable(WITH_SLACK)).contains(asOf(0));

    Knowledge refused = known.refused();
    assertThat(refused.probable(WITH_SLACK)).isEmpty();
    Knowledge others = refused.read(asOf(1), WITH_SLACK);
    assertThat(others.probable(WITH_SLACK)).isEmpty();
    Knowledge own = others.wrote(Optional.of(asOf(2)), WITH_SLACK);
    assertThat(own.probable(WITH_SLACK)).isEmpty();
    assertThat(own.read(asOf(2), WITH_SLACK).probable(WITH_SLACK)).isPresent();
  }

  @Test
  void liveRollup_isReadFirst() {
    assertThat(Knowledge.NOTHING.wrote(Optional.of(live(0, 5)), WITH_SLACK).probable(WITH_SLACK))
        .isEmpty();
    assertThat(Knowledge.NOTHING.wrote(Optional.of(live(0, 0)), WITH_SLACK).probable(WITH_SLACK))
        .isPresent();
    assertThat(Knowledge.NOTHING.wrote(Optional.of(live(9, 5)), WITH_SLACK).probable(WITH_SLACK))
        .isPresent();
    assertThat(Knowledge.NOTHING.wrote(Optional.empty(), WITH_SLACK).probable(WITH_SLACK))
        .isEmpty();
  }

  private static Knowledge after(double... seconds) {
    Knowledge known = Knowledge.NOTHING;
    for (double second : seconds) {
      known = known.withWrite(Write.at(at(second)), WITH_SLACK);
    }
    return known;
  }

  /** Three writes within five seconds are a burst. */
  @Test
  void writesWithinALease_areABurstInWhateverOrderTheyCome() {
    assertThat(after(0, 2, 4).isBurst(at(4), WITH_SLACK)).isTrue();
    assertThat(after(4, 0, 2).isBurst(at(4), WITH_SLACK)).isTrue();
    assertThat(after(4, 0, 2).isBurst(at(2), WITH_SLACK)).as("what came later").isFalse();
    assertThat(after(0, 2, 5).isBurst(at(5), WITH_SLACK)).as("a LEASE before").isFalse();
    assertThat(after(0, 2).isBurst(at(2), WITH_SLACK)).isFalse();
    assertThat(after(0, 2, 2, 0).isBurst(at(2), WITH_SLACK)).as("delivered twice").isFalse();
  }

  /** A batch of writes has one time, and its deletes each an event. */
  @Test
  void deletes_countEachOnce() {
    Knowledge three =
        Knowledge.NOTHING
            .withWrite(new Write(at(1), "a"), WITH_SLACK)
            .withWrite(new Write(at(1), "b"), WITH_SLACK)
            .withWrite(new Write(at(1), "a"), WITH_SLACK);

    assertThat(three.isBurst(at(1), WITH_SLACK)).isFalse();
    assertThat(three.withWrite(new Write(at(1), "c"), WITH_SLACK).isBurst(at(1), WITH_SLACK))
        .isTrue();
  }

  @Test
  void totalOfAnother_isAWriteAndTheSameTotalIsNone() {
    Knowledge known = after(0, 1).wrote(Optional.of(rollup(2, 1, noLease())), WITH_SLACK);
    Knowledge settled =
        known.read(rollup(2, 2, noLease()), WITH_SLACK).withWrite(Write.at(at(0)), WITH_SLACK);
    Knowledge others = known.read(rollup(3, 2, noLease()), WITH_SLACK);
    Knowledge own =
        known.withWrite(Write.at(at(1.9)), WITH_SLACK).read(rollup(3, 2, noLease()), WITH_SLACK);

    assertThat(settled.isBurst(at(2), WITH_SLACK)).isFalse();
    assertThat(others.isBurst(at(2), WITH_SLACK)).isTrue();
    assertThat(own.writes()).as("it is the total of a known write").hasSize(3);
  }

  @Test
  void oldWrites_areForgotten() {
    Knowledge known = Knowledge.NOTHING;
    for (int second = 0; second < 100; second++) {
      known = known.withWrite(Write.at(at(second)), WITH_SLACK);
    }

    assertThat(known.writes())
        .hasSize(24)
        .contains(Write.at(at(99)))
        .doesNotContain(Write.at(at(75)));
  }
}
