package dev.tallyroll.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.google.api.core.ApiFutures;
import com.google.cloud.pubsub.v1.Publisher;
import com.google.pubsub.v1.PubsubMessage;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.mockito.ArgumentCaptor;

class TopicTest {
  private final ThreadEventLoop loop = new ThreadEventLoop("test", InstantSource.system());
  private final Publisher publisher = mock(Publisher.class);
  private final Topic topic = new Topic(() -> publisher, loop);

  @AfterEach
  void end() {
    loop.close();
  }

  @Test
  void wakeUp_namesTheEntry() throws Exception {
    when(publisher.publish(any())).thenReturn(ApiFutures.immediateFuture("id"));

    topic.wake("1f2e").get(10, TimeUnit.SECONDS);

    ArgumentCaptor<PubsubMessage> message = ArgumentCaptor.forClass(PubsubMessage.class);
    verify(publisher).publish(message.capture());
    assertThat(message.getValue().getAttributesMap())
        .isEqualTo(Map.of("kind", "wake", "entry", "1f2e"));
  }

  @Test
  void publisherThatFails_failsTheFuture() {
    when(publisher.publish(any()))
        .thenReturn(ApiFutures.immediateFailedFuture(new IllegalStateException("no topic")));

    assertFails(topic.wake("1f2e"));
  }

  @Test
  void publisherThatThrows_failsTheFuture() {
    when(publisher.publish(any())).thenThrow(new IllegalStateException("no topic"));

    assertFails(topic.wake("1f2e"));
  }

  @Test
  void publisherThatCannotBeMade_failsTheFutureAndIsTriedAgain() throws Exception {
    when(publisher.publish(any())).thenReturn(ApiFutures.immediateFuture("id"));
    AtomicInteger tries = new AtomicInteger();
    Topic late =
        new Topic(
            () -> {
              if (tries.getAndIncrement() == 0) {
                throw new IllegalStateException("no topic");
              }
              return publisher;
            },
            loop);

    assertFails(late.wake("1f2e"));
    late.wake("1f2e").get(10, TimeUnit.SECONDS);
  }

  private static void assertFails(CompletableFuture<Void> published) {
    assertThatThrownBy(() -> published.get(10, TimeUnit.SECONDS)).hasMessageContaining("no topic");
  }
}
