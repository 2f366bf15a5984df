package dev.tallyroll.simulation;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterExistsException;
import dev.tallyroll.CounterNotFoundException;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.firestore.FirestoreCounter;
import dev.tallyroll.firestore.FirestoreCounters;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Users of the client library, each in a process of its own: they share one counter, resize,
 * compact and reset it while they count, and leave it, or delete it while another still counts.
 */
final class LibraryUsers {
  static final CounterPath COUNTER = CounterPath.of("library");
  private static final int USERS = 2;
  private static final int NAMES = 12;
  private static final int MAX_TRIES = 40;

  private final VirtualTime time;
  private final Faults faults;
  private final Database database;
  private final CounterServer server;
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
  }

  void work(int calls) {
    underWay = USERS;
    deleting = faults.random.nextInt(4) == 0;
    firstFavourite = faults.random.nextInt(12);
    secondFavourite = faults.random.nextInt(12);
    FirestoreCounter first = connect();
    insist(
        () -> first.create(1 + faults.random.nextInt(3)),
        MAX_TRIES,
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

  private FirestoreCounter connect() {
    return new FirestoreCounters(
            SimulatedRpc.connect(time, faults, database, server),
            CounterOptions.DEFAULT,
            time::now,
            faults.random::nextInt)
        .counter(COUNTER);
  }

  private void go(FirestoreCounter counter, int calls) {
    if (calls == 0) {
      leave(counter);
      return;
    }
    time.after(
        faults.upTo(Duration.ofSeconds(1)), () -> call(counter, () -> go(counter, calls - 1)));
  }

  private void leave(FirestoreCounter counter) {
    if (deleting && !deleted) {
      till.takingOff();
      insist(
          counter::delete,
          MAX_TRIES,
          done -> {
            deleted = true;
            faults.came(Branch.COUNTER_DELETED);
            underWay--;
          });
    } else {
      underWay--;
    }
  }

  private void call(FirestoreCounter counter, Runnable then) {
    switch (faults.random.nextInt(3) == 0 ? favourite() : faults.random.nextInt(12)) {
      case 0 ->
          hear(
              counter.resize(1 + faults.random.nextInt(4)),
              done -> faults.came(Branch.RESIZED),
              then);
      case 1 -> {
        Duration unwritten = faults.upTo(Duration.ofSeconds(5));
        hear(
            counter.compact(unwritten),
            left -> faults.came(left == 0 ? Branch.COMPACTED : Branch.RETIRED_SHARDS_LEFT),
            then);
      }
      case 2 -> {
        long least = till.least();
        hear(
            counter.sum(),
            sum -> {
              faults.came(Branch.SUMMED);
              till.checkSum(whole(sum), least);
            },
            then);
      }
      case 3 -> reset(counter, then);
      case 4, 5, 6, 7 -> {
        till.adding();
        hear(counter.add(1L), done -> till.added(), then);
      }
      default -> name(counter, "n" + faults.random.nextInt(NAMES), then);
    }
  }

  /** Each world has two calls that come often, so that they meet. */
  private int favourite() {
    return faults.random.nextBoolean() ? firstFavourite : secondFavourite;
  }

  private void reset(FirestoreCounter counter, Runnable then) {
    till.takingOff();
    listen(
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

  private void name(FirestoreCounter counter, String name, Runnable then) {
    till.adding(name);
    insist(
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

  private <T> void hear(ApiFuture<T> call, Consumer<T> heard, Runnable then) {
    listen(
        call,
        answer -> {
          heard.accept(answer);
          then.run();
        },
        failure -> then.run());
  }

  private <T> void insist(Supplier<ApiFuture<T>> call, int tries, Consumer<T> then) {
    insist(
        call,
        tries,
        then,
        () -> {
          throw new AssertionError("no success in " + MAX_TRIES + " tries");
        });
  }

  /** Tries again after each failure, as callers are told to. */
  private <T> void insist(
      Supplier<ApiFuture<T>> call, int tries, Consumer<T> then, Runnable otherwise) {
    listen(
        call.get(),
        then,
        failure -> {
          if (failure instanceof CounterExistsException) {
            then.accept(null);
          } else if (tries == 0) {
            otherwise.run();
          } else {
            time.after(
                faults.upTo(Duration.ofSeconds(5)), () -> insist(call, tries - 1, then, otherwise));
          }
        });
  }

  private <T> void listen(ApiFuture<T> call, Consumer<T> heard, Consumer<Throwable> failed) {
    ApiFutures.addCallback(
        call,
        new ApiFutureCallback<T>() {
          @Override
          public void onSuccess(T answer) {
            time.after(Duration.ZERO, () -> heard.accept(answer));
          }

          @Override
          public void onFailure(Throwable failure) {
            if (failure instanceof CounterNotFoundException) {
              faults.came(Branch.NOT_FOUND);
            }
            time.after(Duration.ZERO, () -> failed.accept(failure));
          }
        },
        Runnable::run);
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
