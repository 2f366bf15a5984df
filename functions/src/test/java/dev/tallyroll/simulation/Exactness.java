package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import java.util.Optional;

/** Compares the roll-ups of a database with its shards. */
final class Exactness {
  private final Database database;

  Exactness(Database database) {
    this.database = database;
  }

  long wrong() {
    return database.counters().stream().filter(this::isWrong).count();
  }

  void check() {
    for (CounterPath counter : database.counters()) {
      if (isWrong(counter)) {
        throw new AssertionError(
            "%s: exact %s, rolled up %s"
                .formatted(counter, database.sum(counter), database.read(counter)));
      }
    }
  }

  private boolean isWrong(CounterPath counter) {
    Sum exact = database.sum(counter);
    Optional<Rollup> rollup = database.read(counter);
    return exact.shards() == 0
        ? rollup.isPresent()
        : rollup
            .map(held -> !held.total().equals(exact.total()) || held.shards() != exact.shards())
            .orElse(true);
  }
}
