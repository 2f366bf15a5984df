package dev.tallyroll.it;

import static dev.tallyroll.Answers.get;
import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.SumMode;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.protocol.RunStore.Claim;
import dev.tallyroll.protocol.RunStore.Sighting;
import dev.tallyroll.protocol.ThreadEventLoop;
import dev.tallyroll.store.FirestoreRollups;
import dev.tallyroll.store.FirestoreRuns;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the functions' access to Firestore does when the network fails under it. */
@On(Site.SHARED)
final class BadConnectionIT {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final Duration LIMIT_OF_A_CALL = Duration.ofSeconds(10);

  private final Layout layout = Lab.unwatchedLayout();
  private final ThreadEventLoop loop = new ThreadEventLoop("test", InstantSource.system());
  private final BadConnection connection;
  private final Firestore firestore;
  private final FirestoreRollups rollups;
  private final FirestoreRuns runs;

  BadConnectionIT(LocalCloud cloud) throws Exception {
    connection = BadConnection.to(cloud.firestoreHost());
    firestore = cloud.openFirestore(connection.address());
    rollups = new FirestoreRollups(firestore, layout, SumMode.AGGREGATE, loop);
    runs = new FirestoreRuns(firestore, layout, loop);
  }

  /** The first calls of a client take long, which is not what is measured here. */
  @BeforeEach
  void connect() {
    await("a first answer").until(this::answers);
  }

  @AfterEach
  void close() throws Exception {
    connection.hold(false);
    firestore.shutdownNow();
    loop.close();
    connection.close();
  }

  @Test
  void cutConnection_isMadeAgain() throws Exception {
    for (int i = 0; i < 3; i++) {
      connection.cut();

      await("an answer").until(this::answers);
    }
  }

  @Test
  void listener_hearsOfWhatCameAfterACut() throws Exception {
    List<Sighting> seen = new CopyOnWriteArrayList<>();
    var claim = new Claim("me", Instant.now().plusSeconds(30));
    Instant version = get(runs.claim(0, claim, Optional.empty())).orElseThrow();
    try (var watch = runs.watch(0, seen::add)) {
      await("a first sighting").until(() -> !seen.isEmpty());

      connection.cut();
      await("a poke").until(() -> succeeds(runs.poke(0, version)));

      await("the poke to be seen").until(() -> seen.stream().anyMatch(Sighting::poked));
      assertThat(watch).isNotNull();
    }
  }

  @Test
  void silence_isGivenUpInTimeAndForgotten() throws Exception {
    connection.hold(true);
    long start = System.nanoTime();

    assertThatThrownBy(() -> get(rollups.read(LIKES)))
        .hasRootCauseInstanceOf(TimeoutException.class);

    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(LIMIT_OF_A_CALL.minusSeconds(1));
    connection.hold(false);
    await("an answer").until(this::answers);
  }

  @Test
  void slowAnswers_areWaitedFor() throws Exception {
    connection.slow(4_000);

    assertThat(get(rollups.sum(LIKES)).shards()).isZero();
  }

  private boolean answers() throws Exception {
    return succeeds(rollups.read(LIKES));
  }

  /** Whether it did; the client's own word for a cut differs with the moment of the cut. */
  private static boolean succeeds(CompletableFuture<?> call) throws InterruptedException {
    try {
      get(call);
      return true;
    } catch (ExecutionException | TimeoutException failure) {
      return false;
    }
  }
}
