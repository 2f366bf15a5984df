package dev.tallyroll.simulation;

import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.Total;
import java.time.Duration;

/**
 * Users of the client library, each in a process of its own: they share one counter, resize,
 * compact and reset it while they count, and leave it, or delete it while another still counts.
 */
final class LibraryUsers {
  static final CounterPath COUNTER = CounterPath.of("library");
  private static final int USERS = 2;
  private static final int NAMES = 12;

  private final VirtualTime time;
  private final Faults faults;
  private final Database database;
  private final CounterServer server;
  private final Answers answers;
  private final Till till = new Till();
  private int underWay;
  private boolean deleting;
  private boolean deleted;
  private int firstFavourite;
  private int secondFavourite;

  LibraryUsers(VirtualTime time, Faults faults, Database database, CounterServer server) {
    this.time = time;
    this.faults = faults;
    this.database = database;
    this.server = server;
    this.answers = new Answers(time, faults);
  }

  void work(int calls) {
    underWay = USERS;
    deleting = faults.random.nextInt(4) == 0;
    firstFavourite = faults.random.nextInt(12);
    secondFavourite = faults.random.nextInt(12);
    Counter first = connect();
    answers.insist(
        () -> first.create(1 + faults.random.nextInt(3)),
        done -> {
          go(first, calls);
          for (int i = 1; i < USERS; i++) {
            go(connect(), calls);
          }
        });
  }

  boolean isDone() {
    return underWay == 0;
  }

  private Counter connect() {
    return Counters.of(
            SimulatedRpc.connect(time, faults, database, server),
            CounterOptions.DEFAULT,
            time::now,
            faults.random::nextInt)
        .counter(COUNTER);
  }

  private void go(Counter counter, int calls) {
    if (calls == 0) {
      leave(counter);
      return;
    }
    time.after(
        faults.upTo(Duration.ofSeconds(1)), () -> call(counter, () -> go(counter, calls - 1)));
  }

  private void leave(Counter counter) {
    if (deleting && !deleted) {
      till.takingOff();
      answers.insist(
          counter::delete,
          done -> {
            deleted = true;
            faults.came(Branch.COUNTER_DELETED);
            underWay--;
          });
    } else {
      underWay--;
    }
  }

  private void call(Counter counter, Runnable then) {
    switch (faults.random.nextInt(3) == 0 ? favourite() : faults.random.nextInt(12)) {
      case 0 ->
          answers.hear(
              counter.resize(1 + faults.random.nextInt(4)),
              done -> faults.came(Branch.RESIZED),
              then);
      case 1 -> {
        Duration unwritten = faults.upTo(Duration.ofSeconds(5));
        answers.hear(
            counter.compact(unwritten),
            left -> faults.came(left == 0 ? Branch.COMPACTED : Branch.RETIRED_SHARDS_LEFT),
            then);
      }
      case 2 -> {
        long least = till.least();
        answers.hear(
            counter.exactTotal(),
            sum -> {
              faults.came(Branch.SUMMED);
              till.checkSum(whole(sum), least);
            },
            then);
      }
      case 3 -> reset(counter, then);
      case 4, 5, 6, 7 -> {
        till.adding();
        answers.hear(counter.add(1L), done -> till.added(), then);
      }
      default -> name(counter, "n" + faults.random.nextInt(NAMES), then);
    }
  }

  /** Each world has two calls that come often, so that they meet. */
  private int favourite() {
    return faults.random.nextBoolean() ? firstFavourite : secondFavourite;
  }

  private void reset(Counter counter, Runnable then) {
    till.takingOff();
    answers.listen(
        counter.reset(),
        total -> {
          faults.came(Branch.RESET);
          till.takenOff(whole(total));
          then.run();
        },
        failure -> {
          if (!(failure instanceof CounterException)) {
            till.lostCount();
          }
          then.run();
        });
  }

  private void name(Counter counter, String name, Runnable then) {
    till.adding(name);
    answers.insist(
        () -> counter.addOnce(name, 1L),
        faults.random.nextInt(4),
        counted -> {
          till.added(name, counted);
          if (!counted) {
            faults.came(Branch.NAME_COUNTED_BEFORE);
          }
          then.run();
        },
        () -> {
          checkFailureHasCause();
          then.run();
        });
  }

  private void checkFailureHasCause() {
    if (faults.counts().isEmpty() && !deleting) {
      throw new AssertionError("a call failed although nothing else did");
    }
  }

  private static long whole(Total total) {
    return ((Total.Whole) total).value();
  }

  /** At the end, when all is quiet. */
  void check() {
    var exact = database.sum(COUNTER);
    if (deleted && exact.shards() != 0) {
      throw new AssertionError("deleted, but there are shards: " + exact);
    }
    if (!deleted) {
      server.checkShards();
      till.checkFinal(whole(exact.total()));
    }
  }
}
