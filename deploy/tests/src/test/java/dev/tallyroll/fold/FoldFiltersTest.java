package dev.tallyroll.fold;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.LogMetrics;
import dev.tallyroll.fold.FoldStore.Outcome;
import dev.tallyroll.fold.FoldStore.SweptPage;
import dev.tallyroll.platform.Instance;
import dev.tallyroll.platform.JsonLog;
import dev.tallyroll.platform.MessageHandling;
import dev.tallyroll.platform.Role;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.platform.Topic;
import dev.tallyroll.runs.LiveStore;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.RunStore.RunState;
import dev.tallyroll.settings.FoldSettings;
import io.cloudevents.core.builder.CloudEventBuilder;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The filters of the log metrics, and the lines of the functions that fold. */
class FoldFiltersTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ThreadEventLoop loop = new ThreadEventLoop("test", InstantSource.system());

  @AfterEach
  void end() {
    loop.close();
  }

  private MessageHandling fold(boolean cut, Map<String, Object> shard) {
    RunStore runs = mock(RunStore.class);
    when(runs.newHolder()).thenReturn("me");
    when(runs.read(anyString()))
        .thenAnswer(
            call ->
                completedFuture(
                    new RunState(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        false,
                        Instant.now())));
    when(runs.claim(any(), any(), any(), any()))
        .thenReturn(completedFuture(Optional.of(Instant.now())));
    when(runs.release(any(), any())).thenReturn(completedFuture(true));
    FirestoreFolds folds = mock(FirestoreFolds.class);
    Map<String, String> environment =
        Map.of("FOLD", "PT1S", "FOLD_DOCUMENTS", "pages/{page}", "RUN", "PT2S");
    FoldSettings settings = FoldSettings.from(environment::get);
    when(folds.layout()).thenReturn(settings.layout());
    when(folds.runs()).thenReturn(runs);
    var shards = List.of(new Shard("a", Instant.EPOCH, shard));
    when(folds.page(any(), any(), anyInt()))
        .thenReturn(completedFuture(new SweptPage(Map.of("pages/a", shards), 1, "", false)));
    when(folds.fields(any(), any()))
        .thenReturn(completedFuture(new FoldStore.Owner(Map.of(), Optional.empty())));
    when(folds.move(any(), any())).thenReturn(completedFuture(Outcome.DONE));
    LiveStore<String> live = mock();
    when(folds.liveList()).thenReturn(live);
    when(live.live(any()))
        .thenAnswer(
            call -> completedFuture(new LiveStore.LiveList<String>(List.of(), Instant.now(), cut)));
    var log = new JsonLog(new PrintStream(out, true, UTF_8), "RollUp");
    Instance instance =
        new Instance(
            Role.ROLL_UP,
            log,
            loop,
            mock(Firestore.class),
            Role.ROLL_UP.calls(loop),
            mock(Topic.class));
    return new FoldWiring(settings, instance, folds).messages();
  }

  private static void send(MessageHandling fold, String kind) throws Exception {
    String message = "{\"message\":{\"attributes\":{\"kind\":\"" + kind + "\"}}}";
    fold.handle(
        CloudEventBuilder.v1()
            .withId("id")
            .withSource(URI.create("//pubsub"))
            .withType("google.cloud.pubsub.topic.v1.messagePublished")
            .withData(message.getBytes(UTF_8))
            .build());
  }

  private Set<String> matching() {
    List<String> lines = out.toString(UTF_8).lines().toList();
    assertThat(lines).isNotEmpty();
    return LogMetrics.counted(lines).keySet();
  }

  @Test
  void healthyFold_tellsNobody() throws Exception {
    MessageHandling fold = fold(false, Map.of("visits", 1L));
    send(fold, "sweep");
    send(fold, "run");

    assertThat(matching()).isSubsetOf("live", "runs", "sweeps").contains("runs", "sweeps");
  }

  @Test
  void valueThatStays_isTold() throws Exception {
    send(fold(false, Map.of("visits", "many")), "sweep");

    assertThat(matching()).containsExactlyInAnyOrder("bad-values", "sweeps");
  }

  @Test
  void listThatIsCut_isTold() throws Exception {
    send(fold(true, Map.of()), "run");

    assertThat(matching()).contains("cut", "live").doesNotContain("failures");
  }
}
