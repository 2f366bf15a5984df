package dev.tallyroll.functions;

import com.google.cloud.functions.CloudEventsFunction;
import dev.tallyroll.platform.EventHandling;
import dev.tallyroll.platform.GoogleClients;
import dev.tallyroll.platform.JsonJournal;
import dev.tallyroll.platform.Message;
import dev.tallyroll.platform.Topic;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Journal;
import dev.tallyroll.runs.Journal.Severity;
import dev.tallyroll.runs.Runs;
import io.cloudevents.CloudEvent;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Called for every message on the roll-up topic: Pub/Sub trigger {@code
 * google.cloud.pubsub.topic.v1.messagePublished}.
 *
 * <p>Messages say what to do by their attributes ({@code kind}, {@code worker}, {@code entry},
 * {@code sweep}); bodies are ignored. A message that fails, or that can never be handled, is logged
 * as an error and dropped: the next schedule is the retry. Safe for use by many threads.
 */
public final class RollUp implements CloudEventsFunction {
  /** Above all settings of RUN and SWEEP, and below the platform's 540 s for events' functions. */
  private static final Duration LIMIT = Duration.ofSeconds(536);

  /** The platform leaves an instance ten seconds between its signal and its end. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(9);

  private final int workers;
  private final Runs runs;
  private final Supplier<CompletableFuture<Void>> sweep;
  private final Topic topic;
  private final Journal journal;
  private final EventHandling handling;
  private final EventLoop loop;

  /**
   * Made by the functions framework, from environment variables. Costs two reads.
   *
   * @throws IllegalArgumentException if a setting is malformed
   */
  public RollUp() {
    this(
        Wiring.of(
            JsonJournal.of("RollUp"),
            GoogleClients.ROLLUP_CONNECTIONS,
            /* attempts= */ 1,
            System::getenv));
  }

  RollUp(Wiring wiring) {
    this(
        wiring.runs(),
        wiring.sweep(),
        wiring.settings().runs().workers(),
        wiring.topic(),
        wiring.journal(),
        wiring.loop());
  }

  /**
   * Another function of the same messages.
   *
   * @param sweep what it does once an hour
   * @param workers how many share the live list
   */
  public RollUp(
      Runs runs,
      Supplier<CompletableFuture<Void>> sweep,
      int workers,
      Topic topic,
      Journal journal,
      EventLoop loop) {
    this.runs = runs;
    this.sweep = sweep;
    this.workers = workers;
    this.topic = topic;
    this.journal = journal;
    this.loop = loop;
    this.handling = new EventHandling(loop, journal, LIMIT, /* isRetried= */ false);
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "tallyroll-stop"));
  }

  /**
   * At SIGTERM, lets another instance go on at once, and not only when this one's claim has ended.
   */
  private void stop() {
    try {
      EventHandling.await(loop, STOP_LIMIT, runs::stop);
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    } catch (Exception failure) {
      journal.write(
          Severity.WARNING,
          "the run did not end in time; unless it was handed over, the next schedule starts another",
          Map.of("cause", failure.toString()));
    }
  }

  @Override
  public void accept(CloudEvent event) throws Exception {
    handling.handle(event, message -> Message.decode(message, workers), this::work);
  }

  private CompletableFuture<Void> work(Message message) {
    return switch (message.kind()) {
      case WAKE -> log(message, runs.woken(message.worker().orElse(0)));
      case SWEEP -> sweep.get();
      case RUN ->
          message.sweepIsDue()
              ? CompletableFuture.allOf(topic.publish(Message.toSweep()), run(message))
              : run(message);
    };
  }

  private CompletableFuture<Void> run(Message message) {
    return message.worker().isEmpty() && workers > 1
        ? fanOut()
        : log(message, runs.scheduled(message.worker().orElse(0)));
  }

  private CompletableFuture<Void> log(Message message, CompletableFuture<String> run) {
    return run.thenAccept(
        ending ->
            journal.write(
                Severity.INFO,
                "run ended",
                Map.of(
                    "ending", ending,
                    "kind", message.kind().attribute(),
                    "worker", message.worker().orElse(0))));
  }

  /** Publishes one message for each worker; the platform distributes them. */
  private CompletableFuture<Void> fanOut() {
    return CompletableFuture.allOf(
        IntStream.range(0, workers)
            .mapToObj(worker -> topic.publish(Message.toRun(worker)))
            .toArray(CompletableFuture<?>[]::new));
  }
}
