package dev.tallyroll.functions;

import com.google.cloud.pubsub.v1.Publisher;
import com.google.pubsub.v1.PubsubMessage;
import dev.tallyroll.functions.Message.Kind;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Lanes;
import dev.tallyroll.protocol.WakeUps;
import dev.tallyroll.store.Calls;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The roll-up topic. Its methods must be called on the event loop, where futures complete, too.
 *
 * <p>The publisher is made when it is first needed: many instances never publish anything.
 */
final class Topic implements WakeUps {
  private final Supplier<Publisher> publishers;
  private final Lanes lanes;
  private final Calls calls;
  private @Nullable Publisher publisher;

  /**
   * @param publishers is asked for one, once it is needed
   */
  Topic(Supplier<Publisher> publishers, Lanes lanes, EventLoop loop) {
    this.publishers = publishers;
    this.lanes = lanes;
    this.calls = new Calls("Pub/Sub", loop);
  }

  @Override
  public CompletableFuture<Void> wake(int lane) {
    return publish(Message.of(Kind.WAKE, lanes.workerOf(lane)));
  }

  CompletableFuture<Void> publish(Message message) {
    PubsubMessage encoded =
        PubsubMessage.newBuilder().putAllAttributes(message.attributes()).build();
    try {
      if (publisher == null) {
        publisher = publishers.get();
      }
      return calls.bring(publisher.publish(encoded)).thenAccept(messageId -> {});
    } catch (RuntimeException failure) {
      return CompletableFuture.failedFuture(failure);
    }
  }
}
