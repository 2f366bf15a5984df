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
  /** The platform's limit for functions that are called by events. */
  private static final Duration LIMIT = Duration.ofMinutes(9);

  private final Settings settings;
  private final Runs runs;
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
    this(Wiring.of(new JsonJournal(System.out, "RollUp"), System::getenv));
  }

  private RollUp(Wiring wiring) {
    this.settings = wiring.settings();
    this.runs = wiring.runs();
    this.sweep = wiring.sweep();
    this.topic = wiring.topic();
    this.journal = wiring.journal();
    this.handling = new EventHandling(wiring.loop(), journal, LIMIT);
  }

  @Override
  public void accept(CloudEvent event) throws Exception {
    int workers = settings.runs().lanes().workers();
    handling.handle(event, message -> Message.decode(message, workers), this::work);
  }

  private CompletableFuture<Void> work(Message message) {
    int worker = message.worker().orElse(0);
    return switch (message.kind()) {
      case WAKE -> log(message, runs.woken(worker));
      case SWEEP -> sweep(message);
      case RUN ->
          message.worker().isEmpty() && settings.runs().lanes().workers() > 1
              ? fanOut()
              : log(message, runs.scheduled(worker));
    };
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
        IntStream.range(0, settings.runs().lanes().workers())
            .mapToObj(worker -> topic.publish(Message.of(Kind.RUN, worker)))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** A sweep whose time is up asks for its rest. */
  private CompletableFuture<Void> sweep(Message message) {
    return sweep
        .run(message.cursor(), settings.sweep())
        .thenCompose(
            rest ->
                rest.map(cursor -> topic.publish(Message.sweep(cursor)))
                    .orElse(CompletableFuture.completedFuture(null)));
  }
}
