package dev.tallyroll.runs;

import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.LiveStore.Listed;
import dev.tallyroll.runs.LiveStore.LiveList;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The live counters, or documents, of one worker. A run keeps them in memory: it reads the worker's
 * range of the live list once, and at each look only the new entries.
 *
 * <p>The run works on each member at the member's ticks. It passes over a member while the member's
 * last work is not done, and, after a failure, until a given time.
 *
 * @param <K> what an entry of the list is about
 */
public final class LiveSet<K> implements TickTask {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final Owner<K> owner;
  private final LiveStore<K> store;
  private final Function<K, String> ids;
  private final Duration margin;
  private final EventLoop loop;
  private final WorkerRange range;
  private final Map<Timing, Beat> beats = new HashMap<>();
  private final Map<K, Member<K>> members = new HashMap<>();
  private Instant nextReport;
  private Instant firstQuery = Times.LONG_AGO;
  private Instant lastQuery = Times.LONG_AGO;
  private int most;
  private long late;
  private int cut;
  private boolean achieved;

  /**
   * @param ids gives the id of an entry
   */
  public LiveSet(
      Owner<K> owner,
      LiveStore<K> store,
      Function<K, String> ids,
      RunSettings settings,
      int worker,
      EventLoop loop) {
    this.owner = owner;
    this.store = store;
    this.ids = ids;
    this.margin = settings.slack().plus(Timing.LONGEST_CALL);
    this.loop = loop;
    this.range = WorkerRange.of(worker, settings.workers());
    this.nextReport = loop.instant().plus(MINUTE);
  }

  /** The roller that a set belongs to. */
  public interface Owner<K> {
    /** How often an entry is worked on. */
    Timing timing(K key);

    /** Makes the work on a member that is new to this run. */
    Work newWork(Member<K> member);

    /** Notes that this run takes over from another one; {@link Work#takenOver} comes after. */
    default void takeOver() {}

    /** Drops what waits to begin; completes when nothing but members' work is under way. */
    CompletableFuture<Void> stop();

    /**
     * Reports the work of about a minute, if there was any.
     *
     * @param live how many were live at the most
     * @param missed how many ticks were skipped
     * @param cuts how many lists were cut
     */
    void report(int live, long missed, int cuts);
  }

  /** The work on one member, at each of its ticks. */
  public interface Work {
    /** Works once; the future must not fail. */
    CompletableFuture<Void> once();

    /** Whether its calls fail, so that it keeps no run alive. */
    boolean isFailing();

    /** Whether the next scheduled run comes in time for it, so that it keeps no run alive. */
    default boolean isLeftToSchedule() {
      return false;
    }

    /** Notes a newer version of its entry: it has become live again. */
    default void liveAgain() {}

    /** Notes that this run takes over from another one, which may go on for a while. */
    default void takenOver() {}
  }

  /** The ticks of all members that have one timing. */
  private static final class Beat {
    private final Timing timing;

    /** When these members were worked on last, or the first of them came. */
    private Instant last;

    private int members;
    private boolean isDue;

    private Beat(Timing timing, Instant now) {
      this.timing = timing;
      this.last = now;
    }

    /** Notes a tick, which may be one of these members'; gives how many of theirs it skips. */
    private long tick(Instant at) {
      Instant next = timing.nextTick(last);
      isDue = !next.isAfter(at);
      if (!isDue) {
        return 0;
      }
      last = at;
      return Duration.between(next, at).dividedBy(timing.tick());
    }
  }

  /** An entry of the live list. */
  public static final class Member<K> {
    private final Beat beat;
    private final Work work;

    /** The newest version of its entry that was seen. */
    private Listed<K> entry;

    /** The version of its entry when the last work began. */
    private Listed<K> begun;

    /** Completed when no call for it is under way or waits. */
    private CompletableFuture<Void> underWay = CompletableFuture.completedFuture(null);

    /** By the loop's clock: it is passed over until then. */
    private Instant notBefore = Times.LONG_AGO;

    private Member(Listed<K> entry, Beat beat, Owner<K> owner) {
      this.entry = entry;
      this.begun = entry;
      this.beat = beat;
      this.work = owner.newWork(this);
    }

    public K key() {
      return entry.key();
    }

    public Timing timing() {
      return beat.timing;
    }

    /** The version of its entry when the present work began. */
    public Listed<K> begun() {
      return begun;
    }

    /** Notes that its work begins now, after it has waited for others. */
    public void markStarted() {
      begun = entry;
    }

    /** Passes over it until a time of the loop's clock. */
    public void waitUntil(Instant time) {
      notBefore = time;
    }

    private void see(Listed<K> found) {
      if (found.updateTime().isAfter(entry.updateTime())) {
        entry = found;
        work.liveAgain();
      }
    }

    private boolean keepsAlive() {
      return !work.isFailing() && !work.isLeftToSchedule() && !timing().isLeftToSchedule();
    }
  }

  /** Notes that a call has worked. */
  public void hasWorked() {
    achieved = true;
  }

  @Override
  public WorkerRange range() {
    return range;
  }

  @Override
  public boolean isIdle() {
    return members.values().stream().allMatch(member -> member.work.isFailing());
  }

  /** One that the next scheduled run comes in time for keeps no run alive. */
  @Override
  public boolean keepsAlive() {
    return members.values().stream().anyMatch(Member::keepsAlive);
  }

  @Override
  public Instant nextTick(Instant now) {
    return beats.values().stream()
        .map(beat -> beat.timing.nextTick(now))
        .min(Comparator.naturalOrder())
        .orElse(Instant.MAX);
  }

  @Override
  public boolean hasSucceeded() {
    return achieved;
  }

  /** When the list was first read. */
  public Instant firstQuery() {
    return firstQuery;
  }

  @Override
  public void takeOver() {
    owner.takeOver();
    members.values().forEach(member -> member.work.takenOver());
  }

  private Member<K> admit(Listed<K> entry) {
    Timing timing = owner.timing(entry.key());
    Beat beat = beats.computeIfAbsent(timing, its -> new Beat(its, loop.instant()));
    beat.members++;
    Member<K> member = new Member<>(entry, beat, owner);
    members.put(entry.key(), member);
    most = Math.max(most, members.size());
    return member;
  }

  /**
   * Removes an entry from the list, and its member from here, unless it has become live again since
   * its work began.
   */
  public CompletableFuture<Void> remove(Member<K> member) {
    return store.remove(member.begun).thenRun(() -> drop(member));
  }

  /** Removes a member whose entry has gone, unless it has become live again. */
  public void drop(Member<K> member) {
    boolean isGone = member.begun.equals(member.entry);
    if (isGone && members.remove(member.key(), member) && --member.beat.members == 0) {
      beats.remove(member.beat.timing);
    }
  }

  @Override
  public CompletableFuture<Void> fill() {
    return store.live(range).thenAccept(this::take);
  }

  /**
   * Finds what has become live since the last query, and works on it. An entry carries the time of
   * its request; it may be committed much later, if a transaction holds its roll-up.
   */
  @Override
  public CompletableFuture<Void> findNew() {
    return store
        .liveSince(lastQuery.minus(margin))
        .thenAccept(found -> take(found).forEach(this::start));
  }

  /** Gives those that are new to this run. */
  private List<Member<K>> take(LiveList<K> found) {
    firstQuery = firstQuery.equals(Times.LONG_AGO) ? found.readTime() : firstQuery;
    lastQuery = found.readTime().isAfter(lastQuery) ? found.readTime() : lastQuery;
    cut += found.cut() ? 1 : 0;
    List<Member<K>> added = new ArrayList<>();
    for (Listed<K> entry : found.entries()) {
      Member<K> known = members.get(entry.key());
      if (known != null) {
        known.see(entry);
      } else if (range.holds(ids.apply(entry.key()))) {
        added.add(admit(entry));
      }
    }
    return added;
  }

  @Override
  public void begin() {
    beats.values().forEach(beat -> beat.last = loop.instant());
    reportInTime();
    all().forEach(this::start);
  }

  @Override
  public void tick(Instant due) {
    for (Beat beat : beats.values()) {
      late += beat.tick(due);
    }
    reportInTime();
    all().stream().filter(member -> member.beat.isDue).forEach(this::start);
  }

  /** A copy, since work may end at once, and remove its member. */
  private List<Member<K>> all() {
    return List.copyOf(members.values());
  }

  private void reportInTime() {
    if (!loop.instant().isBefore(nextReport)) {
      nextReport = loop.instant().plus(MINUTE);
      report();
    }
  }

  private void start(Member<K> member) {
    if (member.underWay.isDone() && !loop.instant().isBefore(member.notBefore)) {
      member.underWay = member.work.once();
    }
  }

  @Override
  public CompletableFuture<Void> worked() {
    return CompletableFuture.allOf(
        members.values().stream()
            .map(member -> member.underWay)
            .toArray(CompletableFuture<?>[]::new));
  }

  @Override
  public CompletableFuture<Void> drained() {
    return owner.stop().thenCompose(none -> worked()).thenRun(this::report);
  }

  private void report() {
    owner.report(most, late, cut);
    most = members.size();
    late = 0;
    cut = 0;
  }
}
