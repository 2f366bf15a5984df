package dev.tallyroll.local.faults;

import static dev.tallyroll.local.Answers.get;

import dev.tallyroll.Counter;
import dev.tallyroll.CounterPath;
import dev.tallyroll.local.faults.Checks.Change;
import dev.tallyroll.local.faults.Checks.Seen;
import dev.tallyroll.local.faults.Checks.Standing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

/**
 * The client of one counter, of some {@link Kind}, and its knowledge of the counter. A step waits
 * for its answer. Used by one thread at a time, handed over safely; another thread adds to {@code
 * seen}.
 */
final class Client {
  /** The changes that a client makes. */
  enum Kind {
    /** Add. */
    RISING,
    /** Add and subtract. */
    WAVERING,
    /** Add under names, over a wire that loses replies, and repeat until a reply comes. */
    NAMED,
    /** Add, delete the counter, and create it again. */
    FLEETING;

    /** The kind of a counter by its number: four in ten are RISING, two of each other kind. */
    static Kind of(int counter) {
      return switch (counter % 10) {
        case 0, 1, 2, 3 -> RISING;
        case 4, 5 -> WAVERING;
        case 6, 7 -> NAMED;
        default -> FLEETING;
      };
    }
  }

  private static final int FEWEST_SHARDS = 2;
  private static final int MORE_SHARDS = 7;

  /** A FLEETING counter lives for about so many increments. */
  private static final int LIFE = 12;

  /** The changes since the counter was last created. */
  final List<Change> changes = new ArrayList<>();

  /** The different totals that a reader has seen, one after the other. */
  final List<Seen> seen = Collections.synchronizedList(new ArrayList<>());

  private final Counter counter;
  private final Counter overBadWire;
  private final Kind kind;
  private final Random random;

  /** The number of shards; 0 if the counter is deleted. */
  private int shards;

  private long names;
  private Optional<Named> open = Optional.empty();

  /** A named increment of unknown outcome. */
  private record Named(String name, long delta, Instant begun) {}

  /**
   * @param overBadWire the same counter over the bad wire, for named increments
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

  void create() throws ExecutionException, InterruptedException, TimeoutException {
    int wanted = FEWEST_SHARDS + random.nextInt(MORE_SHARDS);
    get(counter.create(wanted));
    shards = wanted;
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
      get(counter.delete());
      changes.clear();
      shards = 0;
    } else {
      add(1);
    }
  }

  private void add(long delta) throws ExecutionException, InterruptedException, TimeoutException {
    var begun = Instant.now();
    var known = Instant.MAX;
    try {
      known = get(counter.add(delta));
    } finally {
      changes.add(new Change(delta, begun, known));
    }
  }

  private void addNamed() throws InterruptedException {
    if (open.isEmpty()) {
      open = Optional.of(new Named("name-" + names++, 1 + random.nextInt(3), Instant.now()));
    }
    settle();
  }

  /** Retries a named increment of unknown outcome; returns whether none is left. */
  boolean settle() throws InterruptedException {
    if (open.isPresent()) {
      var named = open.get();
      try {
        get(overBadWire.addOnce(named.name(), named.delta()));
        changes.add(new Change(named.delta(), named.begun(), Instant.now()));
        open = Optional.empty();
      } catch (ExecutionException | TimeoutException lost) {
        // The next step, or the end of the test, retries it.
      }
    }
    return open.isEmpty();
  }

  /** All changes, and the named increment of unknown outcome. */
  private List<Change> known() {
    var known = new ArrayList<>(changes);
    open.ifPresent(named -> known.add(new Change(named.delta(), named.begun(), Instant.MAX)));
    return known;
  }

  /** The state of the counter now. */
  Standing standing() throws Exception {
    var rollup = get(counter.total());
    return new Standing(
        rollup.exists() ? OptionalLong.of(rollup.longValue()) : OptionalLong.empty(),
        rollup.isLive(),
        shards == 0 ? OptionalLong.empty() : OptionalLong.of(get(counter.exactTotal()).longValue()),
        Checks.possibleInTheEnd(known()));
  }

  /** Notes what a reader found. */
  void sees(Seen found) {
    if (seen.isEmpty() || !seen.get(seen.size() - 1).equals(found)) {
      seen.add(found);
    }
  }

  /** A sentence for each fault of the counter now, and each contradiction in the totals seen. */
  List<String> findings() throws Exception {
    var findings = new ArrayList<String>();
    standing().broken().ifPresent(findings::add);
    // After a deletion the client forgets the total, and an older roll-up may return (see the
    // design).
    if (kind != Kind.FLEETING) {
      findings.addAll(Checks.broken(known(), List.copyOf(seen), kind != Kind.WAVERING));
    }
    return findings.stream().map(sentence -> path() + ": " + sentence).toList();
  }
}
