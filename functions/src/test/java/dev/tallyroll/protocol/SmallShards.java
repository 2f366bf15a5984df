package dev.tallyroll.protocol;

import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The shards of a small world as its clients write them, one commit after the other, and what has
 * become of the event of each. A commit may be visible to queries later than its stamp says.
 */
final class SmallShards {
  static final int NONE = 0;
  static final int PENDING = 1;
  static final int ACKNOWLEDGED = 2;
  static final int LOST = 3;

  private final Bounds bounds;
  private final int[] stamps;
  private final int[] seenAt;
  private final int[] events;
  private int committed;
  private int visible;

  SmallShards(Bounds bounds) {
    this.bounds = bounds;
    this.stamps = new int[bounds.writes().size()];
    this.seenAt = new int[stamps.length];
    this.events = new int[stamps.length];
  }

  private SmallShards(SmallShards other) {
    this.bounds = other.bounds;
    this.stamps = other.stamps.clone();
    this.seenAt = other.seenAt.clone();
    this.events = other.events.clone();
    this.committed = other.committed;
    this.visible = other.visible;
  }

  SmallShards copy() {
    return new SmallShards(this);
  }

  int events() {
    return events.length;
  }

  /** How many events there are by now. */
  int visible() {
    return visible;
  }

  int event(int index) {
    return events[index];
  }

  void become(int index, int state) {
    events[index] = state;
  }

  boolean hasMore() {
    return committed < stamps.length;
  }

  boolean areAllVisible() {
    return visible == committed;
  }

  /** An invisible commit does not stay so for longer than the bounds say. */
  boolean mayStayUntil(int time) {
    return areAllVisible() || time <= stamps[visible] + bounds.late();
  }

  void commit(int now) {
    stamps[committed++] = now;
    if (bounds.late() == 0) {
      show(now);
    }
  }

  void show(int now) {
    seenAt[visible] = now;
    events[visible++] = PENDING;
  }

  /** The write's commit time; a delete has none. */
  Optional<Instant> stamp(int event) {
    return bounds.writes().get(event).what() == 'x'
        ? Optional.empty()
        : Optional.of(SmallWorld.at(stamps[event]));
  }

  boolean areHandled() {
    return areAllVisible()
        && Arrays.stream(events).allMatch(event -> event == NONE || event == ACKNOWLEDGED);
  }

  /** What a query finds now. */
  Sum sum(Instant readTime) {
    return sum(visible, readTime);
  }

  Sum exact(Instant readTime) {
    return sum(committed, readTime);
  }

  /** What a query found at that time. */
  Sum sumAsOf(Instant readTime) {
    int seen = 0;
    while (seen < visible && !SmallWorld.at(seenAt[seen]).isAfter(readTime)) {
      seen++;
    }
    return sum(seen, readTime);
  }

  private Sum sum(int writes, Instant readTime) {
    Map<Character, Long> shards = new TreeMap<>();
    if (bounds.live() > 0) {
      shards.put('a', 0L);
    }
    for (Bounds.Write write : bounds.writes().subList(0, writes)) {
      if (write.what() == 'x') {
        shards.remove(write.shard());
      } else {
        shards.merge(write.shard(), write.what() == '+' ? 1L : -1L, Long::sum);
      }
    }
    long total = shards.values().stream().mapToLong(Long::longValue).sum();
    return new Sum(new Total.Whole(total), shards.size(), readTime);
  }

  void addTo(Fingerprint print) {
    print.add(committed).add(visible);
    for (int i = 0; i < committed; i++) {
      print.add(stamps[i]).add(i < visible ? seenAt[i] : 0).add(events[i]);
    }
  }
}
