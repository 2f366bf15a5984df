package dev.tallyroll.protocol;

import dev.tallyroll.internal.Rollup;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a poller remembers of the counter, and its next call. It repeats the steps of {@link
 * Poller}, and calls that class's decision.
 *
 * @param runsUntil the end of its calls: none while it is the one that has polled last
 * @param rereadUntil until then, others may write the roll-up, so that what it reads may get old
 * @param isSure whether the roll began after that
 * @param isKnown whether the next roll believes what is remembered
 * @param stored the roll-up as it was read or written last
 * @param due the write that is the next call
 */
record SmallPoller(
    Next next,
    int runsUntil,
    int rereadUntil,
    boolean isSure,
    boolean isKnown,
    Optional<Rollup> stored,
    @Nullable Change due) {

  /** The next call of a roll. */
  enum Next {
    NONE,
    READ,
    SUM,
    WRITE
  }

  /** A write that was given up takes effect at most so much later. */
  static final int LONGEST_CALL = 2;

  /** Within so much time, a run notices that another one has polled, and has ended its calls. */
  private static final int NOTICED = 2;

  private static final int ALWAYS = Integer.MAX_VALUE;

  static final SmallPoller NEW =
      new SmallPoller(Next.NONE, -1, -1, false, false, Optional.empty(), null);

  /** The one that has polled last, a while ago. */
  static final SmallPoller FIRST = NEW.takeOver(-1);

  boolean mayCall(int now) {
    return now < runsUntil;
  }

  /** Becomes the one that has polled last, if it is not, and begins a roll. */
  SmallPoller poll(int now) {
    SmallPoller last = runsUntil == ALWAYS ? this : takeOver(now + NOTICED + LONGEST_CALL);
    return next == Next.NONE || !mayCall(now) ? last.begin(now) : last;
  }

  private SmallPoller takeOver(int until) {
    return new SmallPoller(next, ALWAYS, Math.max(rereadUntil, until), false, false, stored, due);
  }

  /** Another one has polled. */
  SmallPoller overtaken(int now) {
    int until = Math.min(runsUntil, now + NOTICED);
    return new SmallPoller(next, until, rereadUntil, isSure, isKnown, stored, due);
  }

  SmallPoller begin(int now) {
    Next first = isKnown ? Next.SUM : Next.READ;
    return new SmallPoller(
        first, runsUntil, rereadUntil, now >= rereadUntil, isKnown, stored, null);
  }

  /** Makes the next call. */
  SmallPoller step(SmallWorld world) {
    return switch (next) {
      case NONE -> throw new IllegalStateException("no call is due");
      case READ -> {
        world.tick();
        yield with(Next.SUM, isSure, world.rollup, null);
      }
      case SUM ->
          Decisions.ofPoll(stored, world.sum(), world.timing)
              .map(change -> with(Next.WRITE, isKnown, stored, change))
              .orElseGet(() -> with(Next.NONE, isKnown, stored, null));
      case WRITE -> {
        Change change = Objects.requireNonNull(due);
        yield world
            .write(change)
            .map(time -> with(Next.NONE, isSure, change.applied(stored, time), null))
            .orElseGet(this::refused);
      }
    };
  }

  SmallPoller refused() {
    return with(Next.NONE, false, Optional.empty(), null);
  }

  /** A call has failed; if that was a write, it may still take effect. */
  SmallPoller failed(int now) {
    int until = Math.max(rereadUntil, now + LONGEST_CALL);
    return new SmallPoller(Next.NONE, runsUntil, until, false, false, Optional.empty(), null);
  }

  /** The poller without what makes no difference any more. */
  SmallPoller relevant(int now) {
    boolean calls = mayCall(now) && next != Next.NONE;
    return new SmallPoller(
        calls ? next : Next.NONE,
        mayCall(now) ? runsUntil : -1,
        now < rereadUntil ? rereadUntil : -1,
        calls && isSure,
        isKnown,
        calls || isKnown ? stored : Optional.empty(),
        calls ? due : null);
  }

  private SmallPoller with(
      Next call, boolean known, Optional<Rollup> rollup, @Nullable Change change) {
    return new SmallPoller(call, runsUntil, rereadUntil, isSure, known, rollup, change);
  }
}
