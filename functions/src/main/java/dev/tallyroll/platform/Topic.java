package dev.tallyroll.platform;

import com.google.cloud.pubsub.v1.Publisher;
import com.google.pubsub.v1.PubsubMessage;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.WakeUps;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The roll-up topic. Its methods must be called on the event loop, where futures complete, too.
 *
 * <p>The publisher is made when it is first needed, since many instances never publish; and on a
 * thread of its own, since it takes a while.
 */
public final class Topic implements WakeUps {
  private static final int MOST_AT_ONCE = 100;

  private final Supplier<Publisher> publishers;
  private final EventLoop loop;
  private final Calls calls;
  private @Nullable CompletableFuture<Publisher> publisher;

  /**
   * Makes the topic.
   *
   * @param publishers makes the publisher, once it is needed
   */
  public Topic(Supplier<Publisher> publishers, EventLoop loop) {
    this.publishers = publishers;
    this.loop = loop;
    this.calls = new Calls(loop, MOST_AT_ONCE);
  }

  @Override
  public CompletableFuture<Void> wake(String liveId) {
    return publish(Message.toWake(liveId));
  }

  /** Publishes a message with these attributes. */
  public CompletableFuture<Void> publish(Map<String, String> attributes) {
    PubsubMessage encoded = PubsubMessage.newBuilder().putAllAttributes(attributes).build();
    if (publisher == null || publisher.isCompletedExceptionally()) {
      publisher = CompletableFuture.supplyAsync(publishers);
    }
    return publisher
        .thenComposeAsync(made -> calls.make(() -> made.publish(encoded)), loop)
        .thenAccept(messageId -> {});
  }
}
