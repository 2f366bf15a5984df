package dev.tallyroll.fold;

import com.google.cloud.functions.CloudEventsFunction;
import dev.tallyroll.internal.ids.Names;
import dev.tallyroll.platform.DocumentEvents;
import dev.tallyroll.platform.DocumentEvents.DocumentWrite;
import dev.tallyroll.platform.EventHandling;
import dev.tallyroll.platform.Role;
import dev.tallyroll.platform.UnusableEventException;
import dev.tallyroll.settings.FoldLayout;
import dev.tallyroll.settings.FoldLayout.ShardPath;
import io.cloudevents.CloudEvent;
import java.util.concurrent.CompletableFuture;

/**
 * Called for every new shard in the extension's layout: Firestore trigger {@code
 * google.cloud.firestore.document.v1.created}.
 *
 * <p>Returns once the shard is in its document's field, or once an entry in the live list promises
 * this; throws if the event must be delivered again. An event that can never be handled is logged
 * as an error and dropped. Safe for use by many threads.
 */
public final class OnShardCreated implements CloudEventsFunction {
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final FoldLayout layout;
  private final DocumentEvents events;
  private final FoldHandler folds;
  private final EventHandling handling;

  /**
   * Made by the functions framework, from environment variables. Costs two reads.
   *
   * @throws IllegalArgumentException if a setting is malformed
   */
  public OnShardCreated() {
    this(FoldWiring.of(Role.ON_SHARD_WRITTEN, System::getenv));
  }

  private OnShardCreated(FoldWiring wiring) {
    this(
        wiring.settings().layout(),
        wiring.settings().database(),
        wiring.handler(),
        wiring.instance().handling());
  }

  OnShardCreated(FoldLayout layout, String database, FoldHandler folds, EventHandling handling) {
    this.layout = layout;
    this.events = new DocumentEvents(database);
    this.folds = folds;
    this.handling = handling;
  }

  /** A deletion leaves nothing to fold: most are our own. */
  @Override
  public void accept(CloudEvent event) throws Exception {
    try {
      Write write = decode(event);
      handling.runToEnd(event, () -> write.isDelete() ? DONE : folds.written(write.shard()));
    } catch (UnusableEventException unusable) {
      handling.drop(event, unusable);
    }
  }

  record Write(ShardPath shard, boolean isDelete) {}

  /**
   * Reads the event of any document's shard, folded or not: the trigger's pattern has no better
   * one. Only of a folded document, a path that is too long is told: whoever may write any other
   * shard would fill the log.
   */
  Write decode(CloudEvent event) throws UnusableEventException {
    DocumentWrite write = events.decode(event);
    return layout
        .shard(write.path())
        .filter(shard -> !layout.holds(shard.document()) || Names.fitsRequest(write.path()))
        .map(shard -> new Write(shard, write.committed().isEmpty()))
        .orElseThrow(() -> refusal(write.path()));
  }

  private UnusableEventException refusal(String path) {
    return DocumentEvents.refusal(layout.pattern(), path);
  }
}
