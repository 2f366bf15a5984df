package dev.tallyroll;

import java.util.Objects;

/** A counter and its total, one of the many that {@link Counters} reads at once. Immutable. */
public final class CounterTotal {
  private final CounterPath path;
  private final RolledUpTotal total;

  private CounterTotal(CounterPath path, RolledUpTotal total) {
    this.path = path;
    this.total = total;
  }

  /** What {@link Counters} returns; for fakes, too. */
  public static CounterTotal of(CounterPath path, RolledUpTotal total) {
    return new CounterTotal(
        Objects.requireNonNull(path, "path"), Objects.requireNonNull(total, "total"));
  }

  /** Where the counter is. */
  public CounterPath path() {
    return path;
  }

  /** The counter's document id. */
  public String id() {
    return path.id();
  }

  /** As {@link Counter#total} gives it. */
  public RolledUpTotal total() {
    return total;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CounterTotal that && path.equals(that.path) && total.equals(that.total);
  }

  @Override
  public int hashCode() {
    return Objects.hash(path, total);
  }

  /** Such as {@code likes: 42 as of 2026-05-01T12:00:00Z, live}. */
  @Override
  public String toString() {
    return path + ": " + total;
  }
}
