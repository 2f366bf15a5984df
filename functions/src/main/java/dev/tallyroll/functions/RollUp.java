package dev.tallyroll.functions;

import com.google.cloud.functions.CloudEventsFunction;
import dev.tallyroll.functions.Message.Kind;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.Runs;
import dev.tallyroll.protocol.Sweep;
import io.cloudevents.CloudEvent;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Called for every message on the roll-up topic: Pub/Sub trigger {@code
 * google.cloud.pubsub.topic.v1.messagePublished}.
 *
 * <p>Messages say what to do by their attributes ({@code kind}, {@code worker}); bodies are
 * ignored. Throws if the work failed, so that the platform counts it; the next schedule is the
 * retry. A message that can never be handled is logged as an error and dropped. Safe for use by
 * many threads.
 */
public final class RollUp implements CloudEventsFunction {
  /** Above all settings of RUN and SWEEP, and below the platform's 540 s for events' functions. */
  private static final Duration LIMIT = Duration.ofSeconds(536);

  /** The platform leaves an instance ten seconds between its signal and its end. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(5);

  private final Settings settings;
  private final Runs runs;
  private final ConfirmedSettings confirmed;
  private final Sweep sweep;
  private final Topic topic;
  private final Journal journal;
  private final EventHandling handling;

  /**
   * Made by the functions framework, from environment variables. Costs two reads.
   *
   * @throws IllegalArgumentException if a setting is malformed
   */
  public RollUp() {
    this(
        Wiring.of(
            new JsonJournal(System.out, "RollUp"), Clients.ROLLERS_CONNECTIONS, System::getenv));
  }

  private RollUp(Wiring wiring) {
    this.settings = wiring.settings();
    this.runs = wiring.runs();
    this.confirmed = wiring.confirmed();
    this.sweep = wiring.sweep();
    this.topic = wiring.topic();
    this.journal = wiring.journal();
    this.handling = new EventHandling(wiring.loop(), journal, LIMIT);
    Runtime.getRuntime().addShutdownHook(new Thread(this::stop, "tallyroll-stop"));
  }

  /** On SIGTERM: another instance shall go on at once, not once this one's claim has run out. */
  private void stop() {
    try {
      new EventHandling(handling.loop(), journal, STOP_LIMIT).await(runs::stop);
    } catch (Exception failure) {
      journal.write(
          Severity.WARNING,
          "the run was not handed over; the next schedule starts another",
          Map.of("cause", failure.toString()));
    }
  }

  @Override
  public void accept(CloudEvent event) throws Exception {
    int workers = settings.runs().workers();
    handling.handle(event, message -> Message.decode(message, workers), this::work);
  }

  private CompletableFuture<Void> work(Message message) {
    int worker = message.worker().orElse(0);
    return switch (message.kind()) {
      case WAKE -> log(message, runs.woken(worker));
      case SWEEP -> confirmed.areOurs().thenCompose(this::sweep);
      case RUN ->
          message.worker().isEmpty() && settings.runs().workers() > 1
              ? fanOut()
              : log(message, runs.scheduled(worker));
    };
  }

  private CompletableFuture<Void> sweep(boolean confirmed) {
    return confirmed
        ? sweep.run().thenAccept(complete -> {})
        : CompletableFuture.completedFuture(null);
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

  /** One message a worker: the platform places them. */
  private CompletableFuture<Void> fanOut() {
    return CompletableFuture.allOf(
        IntStream.range(0, settings.runs().workers())
            .mapToObj(worker -> topic.publish(Message.of(Kind.RUN, worker)))
            .toArray(CompletableFuture<?>[]::new));
  }
}
