package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.Cycle.Changed;
import dev.tallyroll.protocol.Cycle.GivenUp;
import dev.tallyroll.protocol.Cycle.Open;
import dev.tallyroll.protocol.Cycle.PassedOver;
import dev.tallyroll.protocol.Cycle.ToRead;
import dev.tallyroll.protocol.Cycle.ToSum;
import dev.tallyroll.protocol.Cycle.ToWrite;
import dev.tallyroll.protocol.Poll.PollPolicy;
import dev.tallyroll.protocol.ShardWrites.HandlerPolicy;
import dev.tallyroll.runs.RunSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Checks one step of a cycle. What it decides must keep the promises about leases, about pace and
 * about cost, since a total does not show when one of these is broken.
 *
 * @param before the cycle before the call
 * @param after the cycle that has taken the answer
 */
record SmallJudge(SmallWorld world, Cycle<?> before, Cycle<?> after) {
  void judge() {
    if (before instanceof ToRead<?> read) {
      judgeRead(read, SmallWorld.at(world.now));
    } else if (before instanceof ToSum) {
      after
          .sum()
          .filter(sum -> sum.isUsable() && Decisions.isNewer(sum, before.stored()))
          .ifPresent(sum -> new Summed(sum, before.stored()).judge());
    } else {
      judgeWrite();
    }
  }

  private void judgeRead(ToRead<?> read, Instant now) {
    Optional<Instant> lease = world.rollup.flatMap(Rollup::liveUntil);
    if (before.policy() instanceof HandlerPolicy) {
      require(
          lease.filter(now::isBefore).isEmpty() || after instanceof PassedOver,
          "a handler leaves a live counter to its roller");
      require(
          after instanceof ToWrite
              == (!(after instanceof PassedOver)
                  && world.rollup.filter(this::isSummedOfLate).isPresent()),
          "a handler promises the sum of a large counter, and sums any other");
      if (after instanceof ToWrite<?> promise) {
        require(
            promise.change().liveUntil().orElseThrow().isAfter(now.plus(RunSettings.SCHEDULE)),
            "a promise lasts until the next scheduled run");
      }
    } else if (before.policy() instanceof RollerPolicy roller && after instanceof ToSum) {
      require(
          world.rollup.filter(rollup -> world.timing.isLarge(rollup.shards())).isEmpty()
              || roller.run().filter(world.rollup.orElseThrow().asOf()::isBefore).isPresent(),
          "a scheduled run sums a large counter once, and no other run does");
    } else if (before.policy() instanceof RollerPolicy
        && after instanceof PassedOver<?> passed
        && !passed.isForeign()) {
      Instant asOf = world.rollup.map(Rollup::asOf).orElse(now);
      require(
          lease.filter(asOf::isBefore).isEmpty()
              || world.rollup.filter(rollup -> world.timing.isLarge(rollup.shards())).isPresent(),
          "a roller leaves no lease for later but that of a new roll-up");
    }
    boolean lost =
        read.refusedSumTime().stream()
            .anyMatch(
                sum -> world.rollup.filter(rollup -> rollup.updateTime().isAfter(sum)).isPresent());
    require(
        !(after instanceof Open<?> open) || open.lostRaces() == read.lostRaces() + (lost ? 1 : 0),
        "whoever has written since the sum was faster, and nobody else");
  }

  private boolean isSummedOfLate(Rollup rollup) {
    return world.timing.isLarge(rollup.shards())
        && SmallWorld.at(world.now).isBefore(rollup.asOf().plus(RunSettings.SCHEDULE));
  }

  private void judgeWrite() {
    if (!(after instanceof Changed)) {
      require(
          after instanceof ToRead
              || (after instanceof GivenUp<?> given
                  && (given.attempts() > 1 || before.policy() instanceof PollPolicy)),
          "whoever is refused reads again, at once but for polls");
    }
  }

  private void require(boolean holds, String promise) {
    world.require(holds, promise);
  }

  /** A usable sum that is newer than the roll-up that its cycle knows. */
  private final class Summed {
    final Sum sum;
    final Optional<Rollup> stored;
    final Optional<Change> change;

    Summed(Sum sum, Optional<Rollup> stored) {
      this.sum = sum;
      this.stored = stored;
      this.change =
          after instanceof ToWrite<?> write ? Optional.of(write.change()) : Optional.empty();
    }

    void judge() {
      change.ifPresent(this::judgeLease);
      if (before.policy() instanceof RollerPolicy following) {
        judgeRoller(following);
      } else if (before.policy() instanceof HandlerPolicy) {
        change.ifPresent(this::judgeHandler);
      } else {
        boolean isPoll = before.policy() instanceof PollPolicy;
        require(
            !isPoll || change.flatMap(Change::liveUntil).isEmpty(), "a poll makes nothing live");
        require(
            isPoll || change.isEmpty() || !isLive(),
            "while a counter is live, a sweep leaves it to its roller");
        require(
            change.isPresent() || !hasEnded(), "a poll and a sweep leave no lease that has ended");
        require(
            change.isPresent() || !differs() || (isPoll ? mayBeHeld() : isLive()),
            "a poll and a sweep leave no wrong total");
      }
    }

    private void judgeLease(Change decided) {
      require(
          lease().isEmpty() || decided.liveUntil().filter(lease().get()::isAfter).isEmpty(),
          "no lease becomes shorter");
      require(!decided.ends() || !isLive(), "a lease that has not run out stays");
    }

    private void judgeRoller(RollerPolicy roller) {
      if (change.isPresent()) {
        require(
            !(roller.busy() && differs() && sum.shards() > 0) || !change.get().ends(),
            "a counter that every sum shows changed stays live");
      } else if (!Decisions.isTooSoonToJudge(stored.orElseThrow(), sum, world.timing)) {
        require(!differs() || mayBeHeld(), "a live counter's total is written when it has changed");
        require(!hasEnded(), "the first sum after a lease's end ends it");
        require(
            world.timing.holds() || !((RollerPolicy) after.policy()).busy(),
            "a counter that stands still is not busy");
      }
    }

    private void judgeHandler(Change decided) {
      boolean live = decided.liveUntil().filter(sum.readTime()::isBefore).isPresent();
      require(decided.wakes() == live, "whoever makes a counter live, and nobody else, wakes");
      require(
          !live || world.shards.mayBeBurst(sum.readTime()) || ((Open<?>) before).lostRaces() > 1,
          "a counter becomes live by BURST writes, or when two others were faster");
      require(
          !live
              || lasts(
                  decided,
                  stored
                      .map(rollup -> world.timing.of(rollup.shards()))
                      .orElse(world.timing)
                      .lease()),
          "whoever makes a counter live gives it a LEASE");
    }

    private boolean lasts(Change decided, Duration length) {
      return decided.liveUntil().filter(sum.readTime().plus(length)::isAfter).isEmpty();
    }

    /** Whether the shown total is younger than `hold`, and has changed by less than `precision`. */
    private boolean mayBeHeld() {
      Rollup shown = stored.orElseThrow();
      double change = Math.abs(sum.total().doubleValue() - shown.total().doubleValue());
      return sum.readTime().isBefore(shown.asOf().plus(world.timing.hold()))
          && change < world.timing.precision() * Math.abs(shown.total().doubleValue());
    }

    private Optional<Instant> lease() {
      return stored.flatMap(Rollup::liveUntil);
    }

    private boolean isLive() {
      return lease().filter(sum.readTime()::isBefore).isPresent();
    }

    private boolean hasEnded() {
      return lease().filter(end -> world.timing.hasRunOut(end, sum.readTime())).isPresent();
    }

    private boolean differs() {
      return stored.map(sum::differsFrom).orElse(sum.shards() > 0);
    }
  }
}
