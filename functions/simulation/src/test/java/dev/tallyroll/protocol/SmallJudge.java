package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.protocol.ShardWrites.Handling;
import java.time.Instant;
import java.util.Optional;

/**
 * The promises that what is decided of a sum keeps or breaks at once.
 *
 * @param policy of whoever decides
 * @param stored the roll-up that it knows
 * @param sum usable, and newer than that
 */
record SmallJudge(SmallWorld world, Cycle.Policy<?> policy, Optional<Rollup> stored, Sum sum) {

  void judge(Cycle<?> after) {
    boolean writes = after.next() == Cycle.Next.WRITE;
    if (writes) {
      judge(after.change().orElseThrow());
    }
    if (policy instanceof Following) {
      if (!writes && !Decisions.isTooSoonToJudge(stored.orElseThrow(), sum, world.timing)) {
        world.require(!differs(), "a live counter's total is written when it has changed");
        world.require(!hasEnded(), "the first sum after a lease's end ends it");
      }
    } else if (!(policy instanceof Handling)) {
      world.require(!writes || !isLive(), "while a counter is live, its roller does the rest");
      world.require(
          writes || !hasEnded() && (lease().isPresent() || !differs()),
          "a poll and a sweep leave no wrong total, and no lease that has ended");
    }
  }

  private void judge(Change change) {
    world.require(
        !(policy instanceof Poll.Polling && world.timing.pollOnly())
            || change.liveUntil().isEmpty(),
        "with POLL=minute, a poll makes nothing live");
    Optional<Instant> until = change.liveUntil();
    world.require(
        lease().isEmpty() || until.isEmpty() || !until.get().isBefore(lease().get()),
        "no lease becomes shorter");
    world.require(!change.ends() || !isLive(), "a lease that has not run out stays");
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
