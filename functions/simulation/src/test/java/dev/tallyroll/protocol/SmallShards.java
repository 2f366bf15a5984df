package dev.tallyroll.protocol;

import dev.tallyroll.Total;
import dev.tallyroll.internal.Sum;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The shards of a small world: one commit after another, and the state of each commit's event. A
 * commit may be visible to queries later than its stamp says.
 */
final class SmallShards {
  enum Event {
    PENDING,
    ACKNOWLEDGED,
    LOST
  }

  /** A commit that queries see. */
  record Commit(int stamp, int seenAt, Event event) {}

  private final Bounds bounds;
  private final List<Commit> visible;
  private Optional<Integer> invisible;

  SmallShards(Bounds bounds) {
    this.bounds = bounds;
    this.visible = new ArrayList<>();
    this.invisible = Optional.empty();
  }

  SmallShards(SmallShards other) {
    this.bounds = other.bounds;
    this.visible = new ArrayList<>(other.visible);
    this.invisible = other.invisible;
  }

  /** An object that is equal for equal states. */
  Object state() {
    return List.of(List.copyOf(visible), invisible);
  }

  /** The number of visible commits, which is that of events. */
  int visible() {
    return visible.size();
  }

  Event event(int index) {
    return visible.get(index).event();
  }

  void become(int index, Event event) {
    visible.set(index, new Commit(visible.get(index).stamp(), visible.get(index).seenAt(), event));
  }

  boolean hasMore() {
    return committed() < bounds.writes().size();
  }

  private int committed() {
    return visible.size() + (areAllVisible() ? 0 : 1);
  }

  boolean areAllVisible() {
    return invisible.isEmpty();
  }

  /** Whether the bounds allow a commit to stay invisible until this time. */
  boolean mayStayUntil(int time) {
    return invisible.filter(stamp -> time > stamp + bounds.late()).isEmpty();
  }

  void commit(int now) {
    invisible = Optional.of(now);
    if (bounds.late() == 0) {
      show(now);
    }
  }

  void show(int now) {
    Event event = bounds.handlers() == 0 ? Event.ACKNOWLEDGED : Event.PENDING;
    visible.add(new Commit(invisible.orElseThrow(), now, event));
    invisible = Optional.empty();
  }

  /** When the write of an event was committed. */
  Instant time(int event) {
    return SmallWorld.at(visible.get(event).stamp());
  }

  /** The write that an event tells of. */
  ShardWrite write(int event) {
    Instant time = time(event);
    boolean deletes = bounds.writes().get(event).endsWith("x");
    var delete = new ShardWrite.Delete("event " + event, time);
    return deletes
        ? new ShardWrite(SmallWorld.COUNTER, "0", Optional.empty(), Optional.of(delete))
        : new ShardWrite(SmallWorld.COUNTER, "0", Optional.of(time), Optional.empty());
  }

  /** Whether BURST writes have committed by this time. A total at the start counts as one. */
  boolean mayBeBurst(Instant time) {
    long committed =
        visible.stream().filter(commit -> !SmallWorld.at(commit.stamp()).isAfter(time)).count();
    return committed + (bounds.start().isTotal() ? 1 : 0) >= bounds.burst();
  }

  boolean areHandled() {
    return areAllVisible()
        && visible.stream().allMatch(commit -> commit.event() == Event.ACKNOWLEDGED);
  }

  /** The sum that a query finds now. */
  Sum sum(Instant readTime) {
    return sum(visible.size(), readTime);
  }

  Sum exact(Instant readTime) {
    return sum(committed(), readTime);
  }

  /** The sum that a query at this time found. */
  Sum sumAsOf(Instant readTime) {
    int seen = 0;
    while (seen < visible.size() && !SmallWorld.at(visible.get(seen).seenAt()).isAfter(readTime)) {
      seen++;
    }
    return sum(seen, readTime);
  }

  private Sum sum(int writes, Instant readTime) {
    Map<Character, Long> shards = new TreeMap<>();
    if (bounds.start().hasShard()) {
      shards.put('a', 0L);
    }
    for (String write : bounds.writes().subList(0, writes)) {
      switch (write.charAt(1)) {
        case '+' -> shards.merge(write.charAt(0), 1L, Long::sum);
        case '-' -> shards.merge(write.charAt(0), -1L, Long::sum);
        case '0' -> shards.put(write.charAt(0), 0L);
        default -> shards.remove(write.charAt(0));
      }
    }
    long total = shards.values().stream().mapToLong(Long::longValue).sum();
    return new Sum(new Total.Whole(total), shards.size(), readTime);
  }
}
