package dev.tallyroll.protocol;

import dev.tallyroll.internal.Recent;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What this instance knows of the counters that it saw last. After forgetting one, it reads again.
 *
 * <p>It knows up to when a counter's writes are covered, by the latest lease or total that was read
 * or written. This never becomes wrong, since only a sum that was read after a lease ends it. It
 * knows the last roll-up, whose version a compare-and-set may expect without a read. This may
 * become old; the write is then refused. And it knows when the latest writes committed.
 */
final class KnownCounters {
  private static final int CAPACITY = 10_000;

  /** How many bursts of writes are remembered, since late events come in any order. */
  private static final int REMEMBERED_BURSTS = 8;

  /**
   * The writes of one counter whose events are handled together.
   *
   * <p>Together they are covered only if the latest of them is. A delete event has no commit time;
   * a later read's time is a safe upper bound.
   *
   * @param latest when the latest of them committed; empty with a delete among them
   * @param makeLive whether they are to make the counter live: then only a lease covers them, since
   *     a total would be old again at once
   */
  record Commits(Optional<Instant> latest, boolean makeLive) {

    Commits join(Commits other) {
      return new Commits(
          latest.flatMap(held -> other.latest.map(time -> time.isAfter(held) ? time : held)),
          makeLive || other.makeLive);
    }

    /** The same writes, to make the counter live. */
    Commits makingLive() {
      return new Commits(latest, true);
    }

    /** The same writes after a read, which bounds the time of a delete. */
    Commits readAt(Instant readTime) {
      return new Commits(Optional.of(latest.orElse(readTime)), makeLive);
    }
  }

  /**
   * A write that counts for a BURST.
   *
   * @param time when it committed; of a delete, the time of its event
   * @param event the id of a delete's event; else empty, as writes of one commit count once
   */
  record Write(Instant time, String event) implements Comparable<Write> {
    private static final Comparator<Write> ORDER =
        Comparator.comparing(Write::time).thenComparing(Write::event);

    static Write at(Instant committed) {
      return new Write(committed, "");
    }

    static Optional<Write> of(ShardWrite write) {
      return write
          .committed()
          .map(Write::at)
          .or(() -> write.delete().map(event -> new Write(event.at(), event.event())));
    }

    /** Whether this time is after {@code from}, and not after {@code to}. */
    boolean isIn(Instant from, Instant to) {
      return time.isAfter(from) && !time.isAfter(to);
    }

    @Override
    public int compareTo(Write other) {
      return ORDER.compare(this, other);
    }
  }

  /**
   * The knowledge of one counter.
   *
   * @param covered writes that committed until then need nothing more
   * @param liveUntil the latest end of a lease that has made it live
   * @param writes its latest writes, in the order of their times, each once
   * @param last the roll-up as this instance has read or written it last
   * @param lastWriteWasAccepted whether {@code last} was still true when a write last expected it
   */
  record Knowledge(
      Instant covered,
      Instant liveUntil,
      List<Write> writes,
      Optional<Rollup> last,
      boolean lastWriteWasAccepted) {
    static final Knowledge NOTHING =
        new Knowledge(Times.LONG_AGO, Times.LONG_AGO, List.of(), Optional.empty(), true);

    /** Whether enough known writes committed within the LEASE that ends at this time. */
    boolean isBurst(Instant committed, Timing timing) {
      Instant from = committed.minus(timing.lease());
      return writes.stream().filter(write -> write.isIn(from, committed)).count() >= timing.burst();
    }

    /**
     * Whether nothing is left to do: the writes are in the stored total, or a lease promises a sum
     * that will hold them. Compares only time stamps of Firestore.
     */
    boolean covers(Commits commits) {
      return commits
          .latest()
          .map(
              time -> !covered.isBefore(time) && (!commits.makeLive() || !liveUntil.isBefore(time)))
          .orElse(false);
    }

    /** Adds a write, known by its event or by another instance's total. */
    Knowledge withWrite(Write write, Timing timing) {
      int found = Collections.binarySearch(writes, write);
      if (found >= 0) {
        return this; // a repeated event, or another of the same batch
      }
      List<Write> more = new ArrayList<>(writes);
      more.add(-found - 1, write);
      int most = REMEMBERED_BURSTS * timing.burst();
      List<Write> latest = more.subList(Math.max(0, more.size() - most), more.size());
      return new Knowledge(covered, liveUntil, List.copyOf(latest), last, lastWriteWasAccepted);
    }

    /**
     * The roll-up as it probably is; empty if it was live, since the roller has written it since,
     * or is of a large counter, since a read says whether that is summed now.
     */
    Optional<Rollup> probable(Timing timing) {
      return last.filter(rollup -> lastWriteWasAccepted && wasLiveUntil(rollup).isEmpty())
          .filter(rollup -> !timing.isLarge(rollup.shards()));
    }

    /**
     * The knowledge after a step of a cycle that this instance has made: the step may have read the
     * roll-up, or written it.
     */
    Knowledge learns(Cycle<?> before, Cycle<?> after, Timing timing) {
      if (before instanceof Cycle.ToRead) {
        Optional<Rollup> ours = after.stored().filter(rollup -> !rollup.isForeign());
        return ours.map(rollup -> read(rollup, timing)).orElse(this);
      }
      if (before instanceof Cycle.ToWrite) {
        return after instanceof Cycle.Changed<?> changed
            ? wrote(changed.result(), timing)
            : refused();
      }
      return this;
    }

    /**
     * Notes a roll-up that this instance has read. If no known write explains the new total,
     * records one at as_of.
     */
    Knowledge read(Rollup rollup, Timing timing) {
      boolean same = last.filter(old -> old.updateTime().equals(rollup.updateTime())).isPresent();
      Knowledge known =
          showsUnknownWrite(rollup) ? withWrite(Write.at(rollup.asOf()), timing) : this;
      return known.withRollup(Optional.of(rollup), same || lastWriteWasAccepted, timing.slack());
    }

    private boolean showsUnknownWrite(Rollup rollup) {
      boolean news = last.filter(old -> !rollup.sum().differsFrom(old)).isEmpty();
      Instant before = last.map(Rollup::asOf).orElse(Times.LONG_AGO);
      return news
          && rollup.wasWritten()
          && writes.stream().noneMatch(write -> write.isIn(before, rollup.asOf()));
    }

    /** Notes a roll-up that this instance has written; empty if it has deleted it. */
    Knowledge wrote(Optional<Rollup> rollup, Timing timing) {
      return withRollup(rollup, lastWriteWasAccepted, timing.slack());
    }

    /** Others write it too, so it is read first until nobody else does. */
    Knowledge refused() {
      return new Knowledge(covered, liveUntil, writes, last, false);
    }

    private Knowledge withRollup(Optional<Rollup> rollup, boolean trust, Duration slack) {
      // The total holds what committed before as_of minus the slack.
      Instant total =
          rollup.map(stored -> stored.asOf().minus(slack).minusNanos(1)).orElse(Times.LONG_AGO);
      Instant lease = rollup.flatMap(Rollup::liveUntil).orElse(Times.LONG_AGO);
      Instant live = rollup.flatMap(Knowledge::wasLiveUntil).orElse(Times.LONG_AGO);
      return new Knowledge(
          later(covered, later(total, lease)), later(liveUntil, live), writes, rollup, trust);
    }

    /** A new roll-up has a lease that ends at once, which does not make it live. */
    private static Optional<Instant> wasLiveUntil(Rollup rollup) {
      return rollup.liveUntil().filter(rollup.asOf()::isBefore);
    }

    private static Instant later(Instant one, Instant other) {
      return one.isAfter(other) ? one : other;
    }
  }

  private final Map<CounterId, Knowledge> counters = Recent.entries(CAPACITY);

  Knowledge of(CounterId counter) {
    return counters.getOrDefault(counter, Knowledge.NOTHING);
  }

  /** Notes a write whose event has come. */
  Commits seen(ShardWrite write) {
    Timing timing = write.counter().timing();
    Optional<Write> seen = Write.of(write);
    seen.ifPresent(one -> update(write.counter(), known -> known.withWrite(one, timing)));
    return new Commits(
        write.committed(),
        seen.filter(one -> of(write.counter()).isBurst(one.time(), timing)).isPresent());
  }

  void update(CounterId counter, UnaryOperator<Knowledge> change) {
    counters.put(counter, change.apply(of(counter)));
  }
}
