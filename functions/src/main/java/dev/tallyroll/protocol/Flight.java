package dev.tallyroll.protocol;

import dev.tallyroll.CounterPath;
import java.util.concurrent.CompletableFuture;

/** Events of one counter that share one read, sum and write. */
final class Flight {
  final CounterPath counter;
  final CompletableFuture<Void> landed = new CompletableFuture<>();
  private Commits commits;

  Flight(CounterPath counter, Commits commits) {
    this.counter = counter;
    this.commits = commits;
  }

  void join(Commits others) {
    commits = commits.join(others);
  }

  Commits commits() {
    return commits;
  }
}
