package dev.tallyroll.functions;

import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.cloud.pubsub.v1.Publisher;
import com.google.pubsub.v1.PubsubMessage;
import dev.tallyroll.functions.Message.Kind;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Lanes;
import dev.tallyroll.protocol.WakeUps;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The roll-up topic. Its methods must be called on the event loop, where futures complete, too.
 *
 * <p>The publisher is made when it is first needed: many instances never publish anything.
 */
final class Topic implements WakeUps {
  /** A wake-up saves time, not counts: an event must not wait for it for long. */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final Supplier<Publisher> publishers;
  private final Lanes lanes;
  private final EventLoop loop;
  private @Nullable Publisher publisher;

  /**
   * @param publishers is asked for one, once it is needed
   */
  Topic(Supplier<Publisher> publishers, Lanes lanes, EventLoop loop) {
    this.publishers = publishers;
    this.lanes = lanes;
    this.loop = loop;
  }

  @Override
  public CompletableFuture<Void> wake(int lane) {
    return publish(Message.of(Kind.WAKE, lanes.workerOf(lane)));
  }

  CompletableFuture<Void> publish(Message message) {
    PubsubMessage encoded =
        PubsubMessage.newBuilder().putAllAttributes(message.attributes()).build();
    CompletableFuture<Void> published = new CompletableFuture<>();
    try {
      if (publisher == null) {
        publisher = publishers.get();
      }
      ApiFutures.addCallback(
          publisher.publish(encoded),
          new ApiFutureCallback<>() {
            @Override
            public void onSuccess(String messageId) {
              published.complete(null);
            }

            @Override
            public void onFailure(Throwable failure) {
              published.completeExceptionally(failure);
            }
          },
          loop);
    } catch (RuntimeException failure) {
      published.completeExceptionally(failure);
    }
    var unused =
        loop.after(LIMIT)
            .thenRun(
                () ->
                    published.completeExceptionally(
                        new TimeoutException("Pub/Sub: no answer within " + LIMIT)));
    return published;
  }
}
