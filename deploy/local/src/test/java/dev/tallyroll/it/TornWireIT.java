package dev.tallyroll.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.SumMode;
import dev.tallyroll.protocol.RunStore.Claim;
import dev.tallyroll.protocol.RunStore.Sighting;
import dev.tallyroll.store.FirestoreRollups;
import dev.tallyroll.store.FirestoreRuns;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What the functions' access to Firestore does when the network fails under it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TornWireIT {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final Duration LIMIT_OF_A_CALL = Duration.ofSeconds(10);
  private static final int GIVE_UP_SECONDS = 60;

  private final BareFirestore bare;
  private final FirestoreRollups rollups;
  private final FirestoreRuns runs;

  TornWireIT() throws Exception {
    bare = BareFirestore.start();
    rollups =
        new FirestoreRollups(bare.firestore(), Layout.DEFAULT, SumMode.AGGREGATE, bare.loop());
    runs = new FirestoreRuns(bare.firestore(), Layout.DEFAULT, bare.loop());
  }

  /** The first calls of a client take long, which is not what is measured here. */
  @BeforeAll
  void connect() throws Exception {
    Await.until("a first answer", this::answers);
  }

  @AfterEach
  void mend() {
    bare.wire().hold(false);
    bare.wire().slow(0);
  }

  @AfterAll
  void close() throws Exception {
    bare.close();
  }

  @Test
  void cutConnection_isMadeAgain() throws Exception {
    for (int i = 0; i < 3; i++) {
      bare.wire().cut();

      Await.until("an answer", this::answers);
    }
  }

  @Test
  void listener_hearsOfWhatCameAfterACut() throws Exception {
    List<Sighting> seen = new CopyOnWriteArrayList<>();
    var claim = new Claim("me", Instant.now().plusSeconds(30));
    Instant version = done(runs.create(0, claim)).orElseThrow();
    try (var watch = runs.watch(0, seen::add)) {
      Await.until("a first sighting", () -> !seen.isEmpty());

      bare.wire().cut();
      Await.until("a poke", () -> succeeds(runs.poke(0, version)));

      Await.until("the poke to be seen", () -> seen.stream().anyMatch(s -> s.poked().isPresent()));
      assertThat(watch).isNotNull();
    }
  }

  @Test
  void silence_isGivenUpInTimeAndForgotten() throws Exception {
    bare.wire().hold(true);
    long start = System.nanoTime();

    assertThatThrownBy(() -> done(rollups.read(LIKES)))
        .hasRootCauseInstanceOf(TimeoutException.class);

    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(LIMIT_OF_A_CALL.minusSeconds(1));
    bare.wire().hold(false);
    Await.until("an answer", this::answers);
  }

  @Test
  void slowAnswers_areWaitedFor() throws Exception {
    bare.wire().slow(4_000);

    assertThat(done(rollups.sum(LIKES)).shards()).isZero();
  }

  private boolean answers() throws Exception {
    return succeeds(rollups.read(LIKES));
  }

  /** Whether it did; the client's own word for a cut differs with the moment of the cut. */
  private static boolean succeeds(CompletableFuture<?> call) throws InterruptedException {
    try {
      done(call);
      return true;
    } catch (ExecutionException | TimeoutException failure) {
      return false;
    }
  }

  private static <T> T done(CompletableFuture<T> call)
      throws InterruptedException, ExecutionException, TimeoutException {
    return call.get(GIVE_UP_SECONDS, TimeUnit.SECONDS);
  }
}
