package dev.tallyroll.local.soak;

import com.google.api.core.ApiFuture;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterPath;
import dev.tallyroll.local.soak.History.Change;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The client of one counter, of some {@link Kind}; tells the counter's {@link History}. A step
 * waits for its answer. Used by one thread at a time, handed over safely.
 */
final class Client {
  /** What it does with its counter. */
  enum Kind {
    /** Add to it. */
    RISING,
    /** Add and subtract. */
    WAVERING,
    /** Add under names, over a wire that loses replies, until it is known to be counted. */
    NAMED,
    /** Add to it, delete it, and create it again. */
    FLEETING;

    /** Many of the simple ones, some of each other one. */
    static Kind of(int counter) {
      return switch (counter % 10) {
        case 0, 1, 2, 3 -> RISING;
        case 4, 5 -> WAVERING;
        case 6, 7 -> NAMED;
        default -> FLEETING;
      };
    }
  }

  private static final int ANSWER_WITHIN_SECONDS = 60;
  private static final int FEWEST_SHARDS = 2;
  private static final int MORE_SHARDS = 7;

  /** A fleeting counter lives for about so many increments. */
  private static final int LIFE = 12;

  private final Counter counter;
  private final Counter overBadWire;
  private final Kind kind;
  private final Random random;
  private final History history = new History();
  private final Queue<Named> open = new ArrayDeque<>();
  private int shards;
  private long writes;
  private long names;
  private long failures;

  /** An increment under a name that may or may not have been counted. */
  private record Named(String name, long delta, Instant begun) {}

  /**
   * @param overBadWire the same counter, for named increments
   */
  Client(Counter counter, Counter overBadWire, Kind kind, long seed) {
    this.counter = counter;
    this.overBadWire = overBadWire;
    this.kind = kind;
    this.random = new Random(seed);
  }

  CounterPath path() {
    return counter.path();
  }

  Counter counter() {
    return counter;
  }

  Kind kind() {
    return kind;
  }

  History history() {
    return history;
  }

  /** How many shards it has now; none if it was deleted. */
  int shards() {
    return shards;
  }

  /** Writes of shards, each of which is an event. */
  long writes() {
    return writes;
  }

  /** Calls that failed, of which named ones were made again. */
  long failures() {
    return failures;
  }

  void create() throws ExecutionException, InterruptedException, TimeoutException {
    int wanted = FEWEST_SHARDS + random.nextInt(MORE_SHARDS);
    done(counter.create(wanted));
    shards = wanted;
    writes += wanted;
  }

  void step() throws ExecutionException, InterruptedException, TimeoutException {
    switch (kind) {
      case RISING -> add(1 + random.nextInt(3));
      case WAVERING -> add(random.nextBoolean() ? 2 : -1 - random.nextInt(3));
      case NAMED -> addNamed();
      case FLEETING -> comeOrGo();
    }
  }

  private void comeOrGo() throws ExecutionException, InterruptedException, TimeoutException {
    if (shards == 0) {
      create();
    } else if (random.nextInt(LIFE) == 0) {
      done(counter.delete());
      history.deleted();
      writes += shards;
      shards = 0;
    } else {
      add(1);
    }
  }

  private void add(long delta) throws ExecutionException, InterruptedException, TimeoutException {
    var begun = Instant.now();
    var known = Instant.MAX;
    try {
      known = done(counter.add(delta));
    } finally {
      failures += known.equals(Instant.MAX) ? 1 : 0;
      history.changed(new Change(delta, begun, known));
      writes++;
    }
  }

  private void addNamed() throws InterruptedException {
    if (open.isEmpty()) {
      open.add(new Named("name-" + names++, 1 + random.nextInt(3), Instant.now()));
    }
    settle();
  }

  /** Whether every named increment is known to be counted, after another try. */
  boolean settle() throws InterruptedException {
    var named = open.peek();
    if (named == null) {
      return true;
    }
    try {
      done(overBadWire.addOnce(named.name(), named.delta()));
      history.changed(new Change(named.delta(), named.begun(), Instant.now()));
      writes++;
      open.remove();
    } catch (ExecutionException | TimeoutException failure) {
      failures++;
    }
    return open.isEmpty();
  }

  /** What the counter may hold in the end: also what was begun and is not known to be counted. */
  PossibleTotals possible() {
    var changes = new ArrayList<>(history.changes());
    open.forEach(named -> changes.add(new Change(named.delta(), named.begun(), Instant.MAX)));
    return new PossibleTotals(changes);
  }

  static <T> T done(ApiFuture<T> call)
      throws ExecutionException, InterruptedException, TimeoutException {
    return call.get(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS);
  }
}
