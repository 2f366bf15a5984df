package dev.tallyroll.fold;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoInteractions;
import static org.mockito.Mockito.when;

import com.google.events.cloud.firestore.v1.Document;
import com.google.events.cloud.firestore.v1.DocumentEventData;
import com.google.protobuf.Timestamp;
import dev.tallyroll.platform.EventHandling;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.runs.StructuredLog.Severity;
import dev.tallyroll.settings.FoldLayout;
import dev.tallyroll.settings.FoldLayout.ShardPath;
import io.cloudevents.CloudEvent;
import io.cloudevents.core.builder.CloudEventBuilder;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OnShardCreatedTest {
  private static final String SHARD = "rooms/a/posts/b/_counter_shards_/s";

  private final ThreadEventLoop loop = new ThreadEventLoop("test", InstantSource.system());
  private final FoldHandler folds = mock(FoldHandler.class);
  private final List<Severity> logged = Collections.synchronizedList(new ArrayList<>());
  private final OnShardCreated function =
      new OnShardCreated(
          new FoldLayout("fold", FoldLayout.documents("rooms/{room}/posts/{post}")),
          "(default)",
          folds,
          new EventHandling(
              loop,
              (severity, message, fields) -> logged.add(severity),
              Duration.ofSeconds(10),
              /* isRetried= */ true));

  @AfterEach
  void end() {
    loop.close();
  }

  private static Document document(String path) {
    return Document.newBuilder()
        .setName("projects/p/databases/(default)/documents/" + path)
        .setUpdateTime(Timestamp.newBuilder().setSeconds(60))
        .build();
  }

  private static CloudEvent created(String path) {
    return event(DocumentEventData.newBuilder().setValue(document(path)));
  }

  private static CloudEvent event(DocumentEventData.Builder data) {
    return CloudEventBuilder.v1()
        .withId("1")
        .withType("google.cloud.firestore.document.v1.created")
        .withSource(URI.create("//firestore.googleapis.com/projects/p/databases/(default)"))
        .withData(data.build().toByteArray())
        .build();
  }

  @Test
  void newShard_isFolded() throws Exception {
    when(folds.written(any())).thenReturn(CompletableFuture.completedFuture(null));

    function.accept(created(SHARD));

    verify(folds).written(new ShardPath("rooms/a/posts/b", "s"));
    assertThat(logged).isEmpty();
  }

  @Test
  void deletedShard_isNothingToFold() throws Exception {
    function.accept(event(DocumentEventData.newBuilder().setOldValue(document(SHARD))));

    verifyNoInteractions(folds);
    assertThat(logged).isEmpty();
  }

  @Test
  void failure_isThrownToBeRetriedAndNotLogged() {
    when(folds.written(any()))
        .thenReturn(CompletableFuture.failedFuture(new IllegalStateException("UNAVAILABLE")));

    assertThatThrownBy(() -> function.accept(created(SHARD))).hasMessage("UNAVAILABLE");
    assertThat(logged).isEmpty();
  }

  @Test
  void documentThatIsNoShard_isLoggedAndDropped() throws Exception {
    function.accept(created("rooms/a/posts/b"));

    verifyNoInteractions(folds);
    assertThat(logged).containsExactly(Severity.ERROR);
  }

  /** Any client may write a shard below any document, and would fill the log. */
  @Test
  void tooLongAPath_isToldOnlyOfFoldedDocuments() throws Exception {
    String id = "\u00e9".repeat(700);
    String folded = "rooms/%s/posts/%s".formatted(id, id);
    String other = "rooms/%s/other/%s".formatted(id, id);

    assertThatThrownBy(() -> function.decode(created(folded + "/_counter_shards_/s")))
        .hasMessageContaining("7,000");
    assertThat(function.decode(created(other + "/_counter_shards_/s")).shard().document())
        .isEqualTo(other);
  }
}
