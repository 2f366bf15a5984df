package dev.tallyroll.functions;

import com.google.api.core.ApiFutureCallback;
import com.google.api.core.ApiFutures;
import com.google.cloud.pubsub.v1.Publisher;
import com.google.pubsub.v1.PubsubMessage;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Lanes;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.protocol.WakeUps;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * The roll-up topic. Futures complete on the event loop.
 *
 * <p>The publisher is made when it is first needed: many instances never publish anything.
 */
final class Topic implements WakeUps {
  /** A wake-up saves time, not counts: an event must not wait for it for long. */
  private static final Duration LIMIT = Duration.ofSeconds(10);

  private final Supplier<Publisher> publisher;
  private final Lanes lanes;
  private final EventLoop loop;

  Topic(Supplier<Publisher> publisher, Lanes lanes, EventLoop loop) {
    this.publisher = publisher;
    this.lanes = lanes;
    this.loop = loop;
  }

  @Override
  public CompletableFuture<Void> wake(int lane) {
    return publish(Message.Kind.WAKE, lanes.workerOf(lane));
  }

  CompletableFuture<Void> publish(Message.Kind kind, int worker) {
    return publish(
        Map.of(Message.KIND, kind.attribute(), Message.WORKER, Integer.toString(worker)));
  }

  /** Asks for the rest of a sweep. */
  CompletableFuture<Void> publish(Sweep.Cursor cursor) {
    return publish(
        Map.of(
            Message.KIND, Message.Kind.SWEEP.attribute(),
            Message.GROUP, cursor.group().name(),
            Message.AFTER, cursor.after()));
  }

  private CompletableFuture<Void> publish(Map<String, String> attributes) {
    PubsubMessage message = PubsubMessage.newBuilder().putAllAttributes(attributes).build();
    CompletableFuture<Void> published = new CompletableFuture<>();
    try {
      ApiFutures.addCallback(publisher.get().publish(message), completing(published), loop);
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

  private static ApiFutureCallback<String> completing(CompletableFuture<Void> published) {
    return new ApiFutureCallback<>() {
      @Override
      public void onSuccess(String messageId) {
        published.complete(null);
      }

      @Override
      public void onFailure(Throwable failure) {
        published.completeExceptionally(failure);
      }
    };
  }
}
