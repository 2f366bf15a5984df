package dev.tallyroll.simulation;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.firestore.RepeatableCounters;
import dev.tallyroll.simulation.Faults.Branch;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Users of the client library, each in its own process. They share one counter, and resize, compact
 * and reset it while they count. One may delete it at its end, while another still counts.
 */
final class LibraryUsers {
  static final CounterPath COUNTER = CounterPath.of("library");
  private static final int USERS = 2;
  private static final int NAMES = 12;

  private static final int MAX_TRIES = 40;
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);

  private final World world;
  private final Faults faults;
  private final PossibleTotal possible = new PossibleTotal();
  private int underWay;
  private boolean deleting;
  private boolean deleted;
  private int firstFavourite;
  private int secondFavourite;

  LibraryUsers(World world) {
    this.world = world;
    this.faults = world.faults;
  }

  void work(int calls) {
    underWay = USERS;
    deleting = faults.random.nextInt(4) == 0;
    firstFavourite = faults.random.nextInt(12);
    secondFavourite = faults.random.nextInt(12);
    Counter first = connect();
    insist(
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
    return RepeatableCounters.of(
            new SimulatedRpc(world, Optional.empty()).client(),
            world.time::now,
            faults.random::nextInt,
            world::newName)
        .counter(COUNTER);
  }

  private void go(Counter counter, int calls) {
    if (calls == 0) {
      leave(counter);
      return;
    }
    world.time.after(
        faults.upTo(Duration.ofSeconds(1)), () -> call(counter, () -> go(counter, calls - 1)));
  }

  private void leave(Counter counter) {
    if (deleting && !deleted) {
      possible.takingOff();
      insist(
          counter::delete,
          done -> {
            deleted = true;
            faults.branches.add(Branch.COUNTER_DELETED);
            underWay--;
          });
    } else {
      underWay--;
    }
  }

  private void call(Counter counter, Runnable then) {
    switch (faults.random.nextInt(3) == 0 ? favourite() : faults.random.nextInt(12)) {
      case 0 ->
          hear(
              counter.resize(1 + faults.random.nextInt(4)),
              done -> faults.branches.add(Branch.RESIZED),
              then);
      case 1 -> {
        Duration unwritten = faults.upTo(Duration.ofSeconds(5));
        hear(
            counter.compact(unwritten),
            left -> faults.branches.add(left == 0 ? Branch.COMPACTED : Branch.RETIRED_SHARDS_LEFT),
            then);
      }
      case 2 -> {
        long least = possible.least();
        hear(
            counter.exactTotal(),
            sum -> {
              faults.branches.add(Branch.SUMMED);
              possible.checkSum(whole(sum), least);
            },
            then);
      }
      case 3 -> reset(counter, then);
      case 4, 5, 6, 7 -> {
        possible.adding();
        hear(counter.add(1L), done -> possible.added(), then);
      }
      default -> name(counter, "n" + faults.random.nextInt(NAMES), then);
    }
  }

  /** One of the world's two frequent calls, which often run at the same time. */
  private int favourite() {
    return faults.random.nextBoolean() ? firstFavourite : secondFavourite;
  }

  private void reset(Counter counter, Runnable then) {
    possible.takingOff();
    listen(
        counter.reset(),
        total -> {
          faults.branches.add(Branch.RESET);
          possible.takenOff(whole(total));
          then.run();
        },
        failure -> {
          if (!(failure instanceof CounterException)) {
            possible.lostCount();
          }
          then.run();
        });
  }

  private void name(Counter counter, String name, Runnable then) {
    possible.adding(name);
    insist(
        () -> counter.addOnce(name, 1L),
        faults.random.nextInt(4),
        counted -> {
          possible.added(name, counted);
          if (!counted) {
            faults.branches.add(Branch.NAME_COUNTED_BEFORE);
          }
          then.run();
        },
        () -> {
          checkFailureHasCause();
          then.run();
        });
  }

  /** Goes on after the call, with or without success. */
  private <T> void hear(ApiFuture<T> call, Consumer<T> heard, Runnable then) {
    listen(
        call,
        answer -> {
          heard.accept(answer);
          then.run();
        },
        failure -> then.run());
  }

  /** Retries until the call succeeds. */
  private <T> void insist(Supplier<ApiFuture<T>> call, Consumer<T> then) {
    insist(
        call,
        MAX_TRIES,
        then,
        () -> {
          throw new AssertionError("no success in " + MAX_TRIES + " tries");
        });
  }

  /** Retries after each failure, as the library tells callers to do. */
  private <T> void insist(
      Supplier<ApiFuture<T>> call, int tries, Consumer<T> then, Runnable otherwise) {
    listen(
        call.get(),
        then,
        failure -> {
          if (failure instanceof CounterException.Exists) {
            then.accept(null);
          } else if (tries == 0) {
            otherwise.run();
          } else {
            world.time.after(
                faults.upTo(LONGEST_PAUSE), () -> insist(call, tries - 1, then, otherwise));
          }
        });
  }

  /** Waits for an answer on the virtual clock. */
  private <T> void listen(ApiFuture<T> call, Consumer<T> heard, Consumer<Throwable> failed) {
    ApiFutures.addCallback(
        call,
        new ApiFutureCallback<T>() {
          @Override
          public void onSuccess(T answer) {
            world.time.after(Duration.ZERO, () -> heard.accept(answer));
          }

          @Override
          public void onFailure(Throwable failure) {
            if (failure instanceof CounterException.NotFound) {
              faults.branches.add(Branch.NOT_FOUND);
            }
            world.time.after(Duration.ZERO, () -> failed.accept(failure));
          }
        },
        Runnable::run);
  }

  private void checkFailureHasCause() {
    if (faults.counts.isEmpty() && !deleting) {
      throw new AssertionError("a call failed although nothing else did");
    }
  }

  private static long whole(Total total) {
    return ((Total.Whole) total).value();
  }

  /** Checks the counter at the end, when all is quiet. */
  void check() {
    var exact = world.totals.sum(COUNTER);
    if (deleted && exact.shards() != 0) {
      throw new AssertionError("deleted, but there are shards: " + exact);
    }
    if (!deleted) {
      checkShards();
      possible.checkFinal(whole(exact.total()));
    }
  }

  /** Checks that all shards exist after compactions and resizings, since clients update them. */
  private void checkShards() {
    long expected =
        world
            .server
            .document("counters/" + COUNTER)
            .map(head -> head.getFieldsOrThrow("num_shards").getIntegerValue())
            .orElse(0L);
    for (int number = 0; number < expected; number++) {
      if (!world.totals.shards(COUNTER).containsKey(number)) {
        throw new AssertionError("shard " + number + " of " + expected + " is missing");
      }
    }
  }
}
