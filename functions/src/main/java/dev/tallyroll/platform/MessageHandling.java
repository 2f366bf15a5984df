package dev.tallyroll.platform;

import dev.tallyroll.runs.Ending;
import dev.tallyroll.runs.Pass;
import dev.tallyroll.runs.PassKind;
import dev.tallyroll.runs.Runs;
import dev.tallyroll.runs.StructuredLog.Severity;
import dev.tallyroll.runs.Sweeper;
import io.cloudevents.CloudEvent;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Does what the messages on the roll-up topic ask for.
 *
 * <p>Messages say what to do by their attributes ({@code kind}, {@code worker}, {@code entry},
 * {@code sweep}, {@code pass}); bodies are ignored. A message that fails, or that can never be
 * handled, is logged as an error and dropped: the next schedule is the retry. Safe for use by many
 * threads.
 */
public final class MessageHandling {
  /** The platform leaves an instance ten seconds between its signal and its end. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(9);

  private final int workers;
  private final Runs runs;
  private final Sweeper sweeper;
  private final Instance instance;
  private final EventHandling handling;

  /**
   * @param sweeper is called once an hour, and when somebody asks for more than a part
   * @param workers how many share the live list
   */
  MessageHandling(Runs runs, Sweeper sweeper, int workers, Instance instance) {
    this.runs = runs;
    this.sweeper = sweeper;
    this.workers = workers;
    this.instance = instance;
    this.handling = instance.handling();
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "tallyroll-stop"));
  }

  /**
   * At SIGTERM, lets another instance go on at once, and not only when this one's claim has ended.
   */
  private void stop() {
    try {
      EventHandling.await(instance.loop(), STOP_LIMIT, runs::stop);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    } catch (Exception failure) {
      instance
          .log()
          .write(
              Severity.WARNING,
              "the run did not end in time; unless it was handed over, the next schedule starts another",
              Map.of("cause", failure.toString()));
    }
  }

  /** Handles a message; returns when the work has ended. */
  public void handle(CloudEvent event) throws Exception {
    try {
      Message message = Message.decode(event, workers);
      handling.runToEnd(event, () -> act(message));
    } catch (UnusableEventException unusable) {
      handling.drop(event, unusable);
    }
  }

  private CompletableFuture<Void> act(Message message) {
    return switch (message.task()) {
      case WAKE -> runs.woken(message.worker().orElse(0)).thenAccept(end -> log(message, end));
      case SWEEP -> sweeper.run(message.pass()).thenCompose(this::goOn);
      case RUN ->
          message.sweepIsDue()
              ? CompletableFuture.allOf(
                  instance.topic().publish(Message.toSweep(PassKind.PART)), run(message))
              : run(message);
    };
  }

  /** A sweep of everything that had too little time goes on with the next message. */
  private CompletableFuture<Void> goOn(Pass.End end) {
    return end == Pass.End.LATE
        ? instance.topic().publish(Message.toSweep(PassKind.REST))
        : CompletableFuture.completedFuture(null);
  }

  private CompletableFuture<Void> run(Message message) {
    return message.worker().isEmpty() && workers > 1
        ? fanOut()
        : runs.scheduled(message.worker().orElse(0)).thenAccept(end -> log(message, end));
  }

  private void log(Message message, Ending ending) {
    instance
        .log()
        .write(
            Severity.INFO,
            "run ended",
            Map.of(
                "ending", ending,
                "kind", message.task().attribute(),
                "worker", message.worker().orElse(0)));
  }

  /** Publishes one message for each worker; the platform distributes them. */
  private CompletableFuture<Void> fanOut() {
    return CompletableFuture.allOf(
        IntStream.range(0, workers)
            .mapToObj(worker -> instance.topic().publish(Message.toRun(worker)))
            .toArray(CompletableFuture<?>[]::new));
  }
}
