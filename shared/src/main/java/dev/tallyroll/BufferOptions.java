package dev.tallyroll;

import java.time.Duration;
import java.util.Objects;

/** How {@link BufferedCounters} wait and what they hold. Immutable. */
public final class BufferOptions {
  /** The least of {@link Builder#maxDelay}. */
  public static final Duration SHORTEST_DELAY = Duration.ofMillis(10);

  /** The most of {@link Builder#maxDelay}. A crash loses the adds of that time. */
  public static final Duration LONGEST_DELAY = Duration.ofMinutes(1);

  /** The most of {@link Builder#maxPending} and of {@link Builder#maxCounters}. */
  public static final int MOST = 1_000_000;

  /** The most of {@link Builder#closeTimeout}. */
  public static final Duration LONGEST_CLOSE = Duration.ofMinutes(10);

  /** Commits each second or after 10,000 adds; counts at least once. */
  public static final BufferOptions DEFAULT = builder().build();

  private final Duration maxDelay;
  private final int maxPending;
  private final int maxCounters;
  private final Duration closeTimeout;
  private final boolean exactlyOnce;
  private final BufferObserver observer;

  private BufferOptions(Builder builder) {
    maxDelay = between("max delay", SHORTEST_DELAY, LONGEST_DELAY, builder.maxDelay);
    maxPending = between("max pending", 1, MOST, builder.maxPending);
    maxCounters = between("max counters", 1, MOST, builder.maxCounters);
    closeTimeout = between("close timeout", Duration.ZERO, LONGEST_CLOSE, builder.closeTimeout);
    exactlyOnce = builder.exactlyOnce;
    observer = present("observer", builder.observer);
  }

  private static <T extends Comparable<T>> T between(String what, T least, T most, T value) {
    if (present(what, value).compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          what + ": expected " + least + " to " + most + "; found " + value);
    }
    return value;
  }

  private static <T> T present(String what, T value) {
    return Objects.requireNonNull(value, () -> what + ": expected a value; found null");
  }

  /** Begins with {@link #DEFAULT}. */
  public static Builder builder() {
    return new Builder();
  }

  /** See {@link Builder#maxDelay}. */
  public Duration maxDelay() {
    return maxDelay;
  }

  /** See {@link Builder#maxPending}. */
  public int maxPending() {
    return maxPending;
  }

  /** See {@link Builder#maxCounters}. */
  public int maxCounters() {
    return maxCounters;
  }

  /** See {@link Builder#closeTimeout}. */
  public Duration closeTimeout() {
    return closeTimeout;
  }

  /** See {@link Builder#exactlyOnce}. */
  public boolean exactlyOnce() {
    return exactlyOnce;
  }

  /** See {@link Builder#observer}. */
  public BufferObserver observer() {
    return observer;
  }

  /** Makes options. Not for use by many threads at once. */
  public static final class Builder {
    private Duration maxDelay = Duration.ofSeconds(1);
    private int maxPending = 10_000;
    private int maxCounters = 10_000;
    private Duration closeTimeout = Duration.ofSeconds(8);
    private boolean exactlyOnce;
    private BufferObserver observer = new BufferObserver() {};

    private Builder() {}

    /**
     * How long an add waits at most before its commit begins; by default 1 s, {@link
     * #SHORTEST_DELAY} to {@link #LONGEST_DELAY}.
     */
    public Builder maxDelay(Duration time) {
      maxDelay = time;
      return this;
    }

    /** How many adds of one counter begin a commit; by default 10,000, 1 to {@link #MOST}. */
    public Builder maxPending(int adds) {
      maxPending = adds;
      return this;
    }

    /**
     * How many sums are held at most: one for each counter whose adds wait, and one for each commit
     * under way. An add that would begin another sum is refused. By default 10,000, 1 to {@link
     * #MOST}.
     */
    public Builder maxCounters(int sums) {
      maxCounters = sums;
      return this;
    }

    /**
     * How long {@link BufferedCounters#close} waits at most; by default 8 s, since Cloud Run ends a
     * process 10 s after it was told to end. Zero to {@link #LONGEST_CLOSE}.
     */
    public Builder closeTimeout(Duration time) {
      closeTimeout = time;
      return this;
    }

    /**
     * Whether each commit carries a random name, as {@link Counter#addOnce(long)} does: it costs
     * two writes, counts once whatever replies are lost, and is tried five times before it fails.
     * By default it does not: if a reply is lost, all adds of a commit may count twice.
     */
    public Builder exactlyOnce(boolean named) {
      exactlyOnce = named;
      return this;
    }

    /** The observer of commits, for metrics; none by default. */
    public Builder observer(BufferObserver hearsOfCommits) {
      observer = hearsOfCommits;
      return this;
    }

    /**
     * The options.
     *
     * @throws IllegalArgumentException if one is out of its bounds, by its name
     */
    public BufferOptions build() {
      return new BufferOptions(this);
    }
  }
}
