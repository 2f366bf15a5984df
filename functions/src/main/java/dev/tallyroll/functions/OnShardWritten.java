package dev.tallyroll.functions;

import com.google.cloud.functions.CloudEventsFunction;
import dev.tallyroll.CounterPath;
import dev.tallyroll.fold.FoldHandler;
import dev.tallyroll.fold.FoldLayout.ShardPath;
import dev.tallyroll.functions.Wiring.Fold;
import dev.tallyroll.protocol.ShardWrites;
import io.cloudevents.CloudEvent;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Called for every write of a shard: Firestore trigger {@code
 * google.cloud.firestore.document.v1.written}.
 *
 * <p>Returns once the write is in the counter's roll-up, or with FOLD in the document's field, or
 * once a lease promises this; throws if the event must be delivered again. An event that can never
 * be handled is logged as an error and dropped. Safe for use by many threads.
 */
public final class OnShardWritten implements CloudEventsFunction {
  /** Below the function's own time limit of 60 s, so that the reason is logged. */
  private static final Duration LIMIT = Duration.ofSeconds(50);

  /** An instance handles 80 events at once, each with one call at a time. */
  private static final int CONNECTIONS = 1;

  /**
   * A failed event comes again after ten seconds, which is too long if only the connection has
   * died.
   */
  private static final int ATTEMPTS = 2;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final CloudEventsFunction handling;

  /**
   * Made by the functions framework, from environment variables. Costs two reads.
   *
   * @throws IllegalArgumentException if a setting is malformed
   */
  public OnShardWritten() {
    this(Wiring.of(JsonJournal.of("OnShardWritten"), CONNECTIONS, ATTEMPTS, System::getenv));
  }

  private OnShardWritten(Wiring wiring) {
    EventHandling retried =
        new EventHandling(wiring.loop(), wiring.journal(), LIMIT, /* isRetried= */ true);
    String database = wiring.settings().database();
    Optional<Fold> fold = wiring.fold();
    this.handling =
        fold.isPresent()
            ? folding(
                ShardEvents.of(fold.get().store().layout(), database),
                wiring.foldHandler(fold.get()),
                retried)
            : rollingUp(
                ShardEvents.of(wiring.settings().layout(), database),
                wiring.shardWrites(),
                retried);
  }

  OnShardWritten(ShardEvents<CounterPath> events, ShardWrites writes, EventHandling handling) {
    this.handling = rollingUp(events, writes, handling);
  }

  private static CloudEventsFunction rollingUp(
      ShardEvents<CounterPath> events, ShardWrites writes, EventHandling handling) {
    return event ->
        handling.handle(
            event, events::decode, write -> writes.written(write.owner(), write.committed()));
  }

  /** A deletion leaves nothing to fold: most are our own. */
  private static CloudEventsFunction folding(
      ShardEvents<ShardPath> events, FoldHandler folds, EventHandling handling) {
    return event ->
        handling.handle(
            event,
            events::decode,
            write -> write.committed().isPresent() ? folds.written(write.owner()) : DONE);
  }

  @Override
  public void accept(CloudEvent event) throws Exception {
    handling.accept(event);
  }
}
