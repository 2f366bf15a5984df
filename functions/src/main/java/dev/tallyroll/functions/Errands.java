package dev.tallyroll.functions;

import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.Runs;
import dev.tallyroll.protocol.Sweep;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Does what messages on the roll-up topic ask for. Must be called on the event loop. */
final class Errands {
  private final Runs runs;
  private final Sweep sweep;
  private final Duration sweepLimit;
  private final Topic topic;
  private final Journal journal;
  private final int workers;

  Errands(Runs runs, Sweep sweep, Duration sweepLimit, Topic topic, Journal journal, int workers) {
    this.runs = runs;
    this.sweep = sweep;
    this.sweepLimit = sweepLimit;
    this.topic = topic;
    this.journal = journal;
    this.workers = workers;
  }

  int workers() {
    return workers;
  }

  CompletableFuture<Void> run(Message message) {
    return switch (message.kind()) {
      case RUN -> message.worker().isPresent() || workers == 1 ? scheduled(message) : fanOut();
      case WAKE -> ended(message, runs.woken(message.worker().orElse(0)));
      case SWEEP -> sweep(message);
    };
  }

  private CompletableFuture<Void> sweep(Message message) {
    return sweep
        .run(message.cursor().orElse(Sweep.Cursor.START), sweepLimit)
        .thenCompose(
            rest ->
                rest.isPresent()
                    ? topic.publish(rest.get())
                    : CompletableFuture.completedFuture(null));
  }

  private CompletableFuture<Void> scheduled(Message message) {
    return ended(message, runs.scheduled(message.worker().orElse(0)));
  }

  private CompletableFuture<Void> ended(Message message, CompletableFuture<String> run) {
    return run.thenAccept(
        ending ->
            journal.write(
                Severity.INFO,
                "run ended",
                Map.of(
                    "ending",
                    ending,
                    Message.KIND,
                    message.kind().attribute(),
                    Message.WORKER,
                    message.worker().orElse(0))));
  }

  /** One message a worker: the platform places them. */
  private CompletableFuture<Void> fanOut() {
    return CompletableFuture.allOf(
        IntStream.range(0, workers)
            .mapToObj(worker -> topic.publish(Message.Kind.RUN, worker))
            .toArray(CompletableFuture<?>[]::new));
  }
}
