package dev.tallyroll.runs;

import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.LiveStore.Entry;
import dev.tallyroll.runs.LiveStore.LiveList;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The live counters, or documents, of one worker. A run keeps them in memory: it reads the worker's
 * part of the live list once, and at each tick only the new entries.
 *
 * <p>The run works on each member at the member's ticks. It passes over a member while the member's
 * last work is not done, and, after a failure, until a given time.
 *
 * @param <K> what an entry of the list is about
 * @param <M> what is known of it
 */
public abstract class LiveSet<K, M extends LiveSet.Member<K>> implements TickTask {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final LiveStore<K> store;
  private final Function<K, String> ids;
  private final Duration margin;
  private final EventLoop loop;
  private final Part part;
  private final Map<Timing, Beat> beats = new HashMap<>();
  private final Map<K, M> members = new HashMap<>();
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
  protected LiveSet(
      LiveStore<K> store,
      Function<K, String> ids,
      RunSettings settings,
      int worker,
      EventLoop loop) {
    this.store = store;
    this.ids = ids;
    this.margin = settings.slack().plus(Timing.LONGEST_CALL);
    this.loop = loop;
    this.part = Part.of(worker, settings.workers());
    this.nextReport = loop.instant().plus(MINUTE);
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

  /** A counter, or a document, on the live list. */
  public abstract static class Member<K> {
    private final Timing timing;

    /** Set when it is admitted. */
    private @Nullable Beat beat;

    /** The newest version of its entry that was seen. */
    private Entry<K> entry;

    /** The version of its entry when the last work began. */
    private Entry<K> begun;

    /** Completed when no call for it is under way or waits. */
    private CompletableFuture<Void> work = CompletableFuture.completedFuture(null);

    /** By the loop's clock: it is passed over until then. */
    private Instant notBefore = Times.LONG_AGO;

    /**
     * @param timing which says how often it is worked on
     */
    protected Member(Entry<K> entry, Timing timing) {
      this.timing = timing;
      this.entry = entry;
      this.begun = entry;
    }

    public final K key() {
      return entry.key();
    }

    public final Timing timing() {
      return timing;
    }

    /** The version of its entry when the present work began. */
    public final Entry<K> begun() {
      return begun;
    }

    /** Passes over it until a time of the loop's clock. */
    public final void waitUntil(Instant time) {
      notBefore = time;
    }

    /** Whether its calls fail, so that it keeps no run alive. */
    protected abstract boolean isFailing();

    /** Whether the next scheduled run comes in time for it, so that it keeps no run alive. */
    protected boolean isLeftToSchedule() {
      return timing.isLeftToSchedule();
    }

    /** Notes a newer version of its entry: it has become live again. */
    protected void isLiveAgain() {}
  }

  /** Makes a member that is new to this run. */
  protected abstract M member(Entry<K> entry);

  /** Works on a member; the future must not fail. */
  protected abstract CompletableFuture<Void> work(M member);

  /** Drops what waits for its turn; completes when nothing but members' work is under way. */
  protected abstract CompletableFuture<Void> stop();

  /**
   * Reports the work of about a minute, if there was any.
   *
   * @param live how many were live at the most
   * @param missed how many ticks were skipped
   * @param cuts how many lists were cut
   */
  protected abstract void report(int live, long missed, int cuts);

  /** Notes that a call has worked. */
  protected final void hasWorked() {
    achieved = true;
  }

  @Override
  public final Part part() {
    return part;
  }

  @Override
  public final boolean isIdle() {
    return members.values().stream().allMatch(Member::isFailing);
  }

  /** One that the next scheduled run comes in time for keeps no run alive. */
  @Override
  public final boolean keepsAlive() {
    return members.values().stream()
        .anyMatch(member -> !member.isFailing() && !member.isLeftToSchedule());
  }

  @Override
  public final Instant nextTick(Instant now) {
    return beats.values().stream()
        .map(beat -> beat.timing.nextTick(now))
        .min(Comparator.naturalOrder())
        .orElse(Instant.MAX);
  }

  @Override
  public final boolean hasSucceeded() {
    return achieved;
  }

  /** When the list was first read. */
  protected final Instant firstQuery() {
    return firstQuery;
  }

  protected final List<M> members() {
    return List.copyOf(members.values());
  }

  /** The member of an entry, which may be new to this run. */
  protected final M admit(Entry<K> entry) {
    M member = members.computeIfAbsent(entry.key(), key -> enter(member(entry)));
    see(member, entry);
    most = Math.max(most, members.size());
    return member;
  }

  private M enter(M member) {
    Member<K> known = member;
    Beat beat = beats.computeIfAbsent(known.timing, timing -> new Beat(timing, loop.instant()));
    beat.members++;
    known.beat = beat;
    return member;
  }

  private static <K> void see(Member<K> member, Entry<K> entry) {
    if (entry.updateTime().isAfter(member.entry.updateTime())) {
      member.entry = entry;
      member.isLiveAgain();
    }
  }

  /**
   * Removes an entry from the list, and its member from here, unless it has become live again since
   * its work began.
   */
  protected final CompletableFuture<Void> remove(M member) {
    return store.remove(member.begun()).thenRun(() -> drop(member));
  }

  /** Removes a member whose entry has gone, unless it has become live again. */
  protected final void drop(M member) {
    Member<K> known = member;
    if (known.begun.equals(known.entry) && members.remove(member.key(), member)) {
      Beat beat = Objects.requireNonNull(known.beat);
      if (--beat.members == 0) {
        beats.remove(known.timing);
      }
    }
  }

  @Override
  public final CompletableFuture<Void> fill() {
    return store.live(part).thenAccept(this::take);
  }

  /**
   * Finds what has become live since the last query, and works on it. An entry carries the time of
   * its request; it may be committed much later, if a transaction holds its roll-up.
   */
  @Override
  public final CompletableFuture<Void> findNew() {
    return store
        .liveSince(lastQuery.minus(margin))
        .thenAccept(found -> take(found).forEach(this::start));
  }

  /** Gives those that are new to this run. */
  private List<M> take(LiveList<K> found) {
    firstQuery = firstQuery.equals(Times.LONG_AGO) ? found.readTime() : firstQuery;
    lastQuery = found.readTime().isAfter(lastQuery) ? found.readTime() : lastQuery;
    cut += found.cut() ? 1 : 0;
    List<M> added = new ArrayList<>();
    for (Entry<K> entry : found.entries()) {
      M known = members.get(entry.key());
      if (known != null) {
        see(known, entry);
      } else if (part.holds(ids.apply(entry.key()))) {
        added.add(admit(entry));
      }
    }
    return added;
  }

  @Override
  public final void begin() {
    beats.values().forEach(beat -> beat.last = loop.instant());
    reportInTime();
    members().forEach(this::start);
  }

  @Override
  public final void tick(Instant due) {
    for (Beat beat : beats.values()) {
      late += beat.tick(due);
    }
    reportInTime();
    for (M member : members()) {
      Member<K> known = member;
      if (Objects.requireNonNull(known.beat).isDue) {
        start(member);
      }
    }
  }

  private void reportInTime() {
    if (!loop.instant().isBefore(nextReport)) {
      nextReport = loop.instant().plus(MINUTE);
      report();
    }
  }

  private void start(M member) {
    Member<K> known = member;
    if (known.work.isDone() && !loop.instant().isBefore(known.notBefore)) {
      known.work = work(member);
    }
  }

  /** Notes that the work of a member begins now, after it has waited for its turn. */
  protected final void markStarted(M member) {
    Member<K> known = member;
    known.begun = known.entry;
  }

  @Override
  public final CompletableFuture<Void> worked() {
    return CompletableFuture.allOf(
        members().stream()
            .map(member -> ((Member<K>) member).work)
            .toArray(CompletableFuture<?>[]::new));
  }

  @Override
  public final CompletableFuture<Void> drained() {
    return stop().thenCompose(none -> worked()).thenRun(this::report);
  }

  private void report() {
    report(most, late, cut);
    most = members.size();
    late = 0;
    cut = 0;
  }
}
