package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Mark;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Sum.Remains;
import dev.tallyroll.protocol.Bounds.Start;
import dev.tallyroll.protocol.Poll.PollPolicy;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.RollupStore.Written;
import dev.tallyroll.protocol.SmallSteps.Step;
import dev.tallyroll.protocol.Sweep.SweepPolicy;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.simulation.CompareAndSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One state of a world of one counter: its shards and roll-up, the events in flight, and the
 * progress of each handler, roller, sweep and poller. Each call to Firestore takes effect at once,
 * in one unit of time. Between calls, the protocol's own code decides.
 */
final class SmallWorld {
  static final CounterId COUNTER =
      new Entry(
              "counters",
              Layout.DEFAULT,
              Map.of(),
              SumMode.AGGREGATE,
              /* hasEvents= */ true,
              new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ZERO, 15))
          .counter(CounterPath.of("likes"));

  final Bounds bounds;
  final Timing timing;
  int now;
  final SmallShards shards;
  int faults;
  int duplicates;
  int losses;
  int sweeps;
  Optional<Rollup> rollup = Optional.empty();

  /** The version of the counter's entry in the live list; empty without an entry. */
  Optional<Instant> entry = Optional.empty();

  final List<SmallHandler> handlers = new ArrayList<>();
  final List<SmallRoller> rollers = new ArrayList<>();

  /** Three are the minute of the schedule. */
  private static final Duration UNIT = RunSettings.SCHEDULE.dividedBy(3);

  /** A sweep's cycle; empty between two. */
  Optional<Cycle<SweepPolicy>> sweep = Optional.empty();

  /** The instances that poll. */
  final List<SmallPoll> polls = new ArrayList<>();

  private boolean ended;

  /** What fields of the counter's own document show; empty until they were written. */
  Optional<Sum> shown = Optional.empty();

  /** Whether the next write finds that the fields cannot be written now. */
  private boolean refusesFields;

  /** Writes that may still take effect, although their callers are gone. */
  final List<Ghost> ghosts = new ArrayList<>();

  @Nullable Trace trace;

  /** A write that may still take effect. */
  record Ghost(Change change) {}

  /** The steps to a state, the last one first. */
  record Trace(Step step, @Nullable Trace before) {}

  SmallWorld(Bounds bounds) {
    this.bounds = bounds;
    this.timing = bounds.timing();
    this.shards = new SmallShards(bounds);
    this.faults = bounds.faults();
    this.duplicates = bounds.duplicates();
    this.losses = bounds.losses();
    this.sweeps = bounds.sweeps();
    this.handlers.addAll(Collections.nCopies(bounds.handlers(), SmallHandler.NEW));
    this.rollers.addAll(Collections.nCopies(bounds.rollers(), SmallRoller.idle(this)));
    this.polls.addAll(Collections.nCopies(bounds.pollers(), SmallPoll.NEW));
    this.rollup = bounds.start() == Start.NONE ? Optional.empty() : Optional.of(first());
    this.entry = rollup.flatMap(Rollup::liveUntil).map(live -> at(0));
  }

  private SmallWorld(SmallWorld other) {
    this.bounds = other.bounds;
    this.timing = other.timing;
    this.now = other.now;
    this.shards = new SmallShards(other.shards);
    this.faults = other.faults;
    this.duplicates = other.duplicates;
    this.losses = other.losses;
    this.sweeps = other.sweeps;
    this.rollup = other.rollup;
    this.entry = other.entry;
    this.handlers.addAll(other.handlers);
    this.rollers.addAll(other.rollers);
    this.sweep = other.sweep;
    this.polls.addAll(other.polls);
    this.ended = other.ended;
    this.shown = other.shown;
    this.ghosts.addAll(other.ghosts);
    this.trace = other.trace;
  }

  private Rollup first() {
    Optional<Instant> lease =
        bounds.live() == 0 ? Optional.empty() : Optional.of(at(bounds.live()));
    Instant asOf = bounds.start() == Start.MARKED ? Instant.EPOCH : at(0);
    Rollup.Whose whose =
        switch (bounds.start()) {
          case SHARED -> Rollup.Whose.SHARED;
          case FOREIGN -> Rollup.Whose.FOREIGN;
          default -> Rollup.Whose.OURS;
        };
    Sum sum = shards.sum(asOf);
    return new Rollup(sum.total(), sum.shards(), asOf, lease, at(0), whose);
  }

  static Duration units(int units) {
    return UNIT.multipliedBy(units);
  }

  /** The instant of a time. It is after the epoch, which means no time in a roll-up. */
  static Instant at(int time) {
    return Instant.EPOCH.plus(units(1_000 + time));
  }

  /** A copy of this world after one more step. */
  SmallWorld after(Step step, Consumer<SmallWorld> action) {
    SmallWorld next = new SmallWorld(this);
    next.trace = new Trace(step, trace);
    try {
      action.accept(next);
    } catch (RuntimeException failure) {
      throw new Exploration.BrokenPromise("no step fails: " + failure, next);
    }
    return next;
  }

  /** Passes a unit of time for a call; returns the time of its effect. */
  Instant tick() {
    return at(++now);
  }

  boolean mayTick(int units) {
    return ended || (now + units <= bounds.lastTime() && shards.mayStayUntil(now + units));
  }

  /** Ends all faults, and lets the clock go on until all is done. */
  void end() {
    ended = true;
    faults = 0;
    duplicates = 0;
  }

  /** Whether only a sweep can make the total right: an event was lost, or none will come. */
  boolean needsSweep() {
    return losses < bounds.losses() || bounds.start() == Start.ZERO;
  }

  void commit() {
    now++;
    shards.commit(now);
  }

  /** Makes a commit visible, at a time at which no sum was read. */
  void showLate() {
    now++;
    shards.show(now);
  }

  Sum sum() {
    Sum sum = shards.sum(tick());
    return showsFields() && sum.shards() == 0 ? sum.withRemains(Remains.OWN_DOCUMENT) : sum;
  }

  /** Whether the counter's own document is there, and has fields that show figures. */
  boolean showsFields() {
    return bounds.fields() == 1;
  }

  /** Makes a step whose write finds that the fields cannot be written. */
  void refusingFields(Consumer<SmallWorld> step) {
    refusesFields = true;
    step.accept(this);
    refusesFields = false;
  }

  /** Writes the roll-up, and the fields if it can. */
  Optional<Written> write(Change planned) {
    Change change = refusesFields ? planned.retryFieldsLater().orElse(planned) : planned;
    Optional<Instant> version = commit(change);
    if (version.isPresent() && showsFields() && !refusesFields) {
      shown = change.sum().or(() -> shown);
    }
    return version.map(
        time -> change.equals(planned) ? new Written(time) : new Written(time).instead(change));
  }

  /** Writes by compare-and-set, and checks the promises of every write. */
  private Optional<Instant> commit(Change change) {
    Instant time = tick();
    if (!CompareAndSet.passes(change, rollup)) {
      return Optional.empty();
    }
    Optional<Rollup> before = rollup;
    before.ifPresent(old -> checkOwner(change, old));
    rollup = CompareAndSet.applied(change, before, time);
    boolean enters = CompareAndSet.isListed(change, false);
    entry = enters ? Optional.of(time) : entry.filter(old -> CompareAndSet.isListed(change, true));
    require(entry.isPresent() == isLive(), "the list and the leases agree");
    rollup.ifPresent(written -> checkWritten(written, before));
    return Optional.of(time);
  }

  /** Removes a leftover entry. An entry that was made anew has another version and stays. */
  void removeEntry(Instant version) {
    tick();
    require(!isLive() || !entry.equals(Optional.of(version)), "an entry with a lease stays");
    entry = entry.filter(held -> !held.equals(version));
  }

  private Reading reading() {
    Optional<Mark> others =
        rollup.filter(Rollup::isForeign).map(foreign -> new Mark("counters/likes", "of others"));
    return new Reading(rollup, others, tick());
  }

  /** Makes a cycle's next call. */
  <P extends Cycle.Policy<P>> Cycle<P> call(Cycle<P> cycle) {
    Cycle<P> after = answered(cycle);
    new SmallJudge(this, cycle, after).judge();
    return after;
  }

  private <P extends Cycle.Policy<P>> Cycle<P> answered(Cycle<P> cycle) {
    if (cycle instanceof Cycle.ToRead<P> due) {
      return due.read(reading());
    }
    if (cycle instanceof Cycle.ToSum<P> due) {
      return due.summed(sum());
    }
    if (cycle instanceof Cycle.ToWrite<P> due) {
      return due.written(write(due.change()));
    }
    throw new IllegalStateException("no call is due: " + cycle);
  }

  /** Makes the next call of a sweep. */
  void sweep() {
    SweepPolicy correcting = new SweepPolicy(timing, false);
    Cycle<SweepPolicy> after =
        call(sweep.orElseGet(() -> Cycle.begin(correcting, Optional.empty())));
    sweep = after instanceof Cycle.Open ? Optional.of(after) : Optional.empty();
  }

  /** Makes the next call of a poll. */
  void poll(int index) {
    Cycle<PollPolicy> after = call(polls.get(index).next(timing));
    polls.set(index, polls.get(index).after(after));
  }

  private void checkOwner(Change change, Rollup old) {
    boolean removes = change.effect() == Change.Effect.REMOVE;
    require(!old.isForeign(), "a document of others stays as it is");
    require(!removes || old.whose() == Rollup.Whose.OURS, "fields of others stay");
    require(!removes || old.wasWritten(), "a document that has never had a total stays");
    require(!removes || !showsFields(), "the total of a counter whose document is there stays");
  }

  private void checkWritten(Rollup written, Optional<Rollup> before) {
    boolean exact = !shards.sumAsOf(written.asOf()).differsFrom(written);
    require(exact, "the total is exact as of its time");
    require(
        written.shards() > 0 || before.filter(Rollup::wasWritten).isPresent(),
        "0 is written only over a total");
    require(
        before.map(old -> !written.asOf().isBefore(old.asOf())).orElse(true),
        "as_of does not go back");
  }

  /** Checks that the total is right, since no further step would correct it. */
  void check() {
    if (bounds.pollers() == 0 && !needsSweep() && shards.areHandled() && !isLive()) {
      checkRight("a total without a lease, all of whose events are acknowledged, is right");
      boolean owes = shown.isPresent() && rollup.filter(shown.get()::differsFrom).isPresent();
      require(!owes, "without a lease, the fields are those of the roll-up");
    }
  }

  boolean isLive() {
    return rollup.flatMap(Rollup::liveUntil).isPresent();
  }

  void checkRight(String promise) {
    Optional<Rollup> ours = rollup.filter(Rollup::wasWritten);
    require(bounds.start() == Start.FOREIGN || isRight(ours, shards.exact(at(now))), promise);
  }

  private boolean isRight(Optional<Rollup> written, Sum exact) {
    return exact.shards() == 0
        ? written.filter(total -> !keepsZero(total) || !total.isEmptied()).isEmpty()
        : written
            .filter(old -> old.total().equals(exact.total()) && old.shards() == exact.shards())
            .isPresent();
  }

  /** Whether the counter's document is there, or a server's field is in the roll-up. */
  private boolean keepsZero(Rollup total) {
    return showsFields() || total.whose() == Rollup.Whose.SHARED;
  }

  void require(boolean holds, String promise) {
    if (!holds) {
      throw new Exploration.BrokenPromise(promise, this);
    }
  }

  /** The number of steps to this world. */
  int steps() {
    int steps = 0;
    for (Trace at = trace; at != null; at = at.before()) {
      steps++;
    }
    return steps;
  }

  /** An object that is equal for states without a relevant difference. */
  Object state() {
    return List.of(
        now,
        faults,
        duplicates,
        losses,
        sweeps,
        shards.state(),
        rollup,
        entry,
        shown.map(sum -> sum.total() + "/" + sum.shards()),
        sweep,
        unordered(handlers),
        unordered(rollers),
        unordered(polls),
        unordered(ghosts));
  }

  /** Sorts parts of the same kind, because their order makes no difference. */
  private static <T> List<T> unordered(List<T> alike) {
    return alike.stream().sorted(Comparator.comparingInt(Object::hashCode)).toList();
  }

  @Override
  public String toString() {
    StringBuilder steps = new StringBuilder();
    for (Trace at = trace; at != null; at = at.before()) {
      steps.insert(0, "  " + at.step() + "\n");
    }
    return steps + "now " + now + ", exact " + shards.exact(at(now)) + ", stored " + rollup;
  }
}
