package dev.tallyroll.local;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.SetOptions;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.CallFaults.Listens;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The official client, the wire with faults, and the official emulator. */
@On(Site.SHARED)
final class FaultyFirestoreIT {
  private static final int MANY = 400;

  private final LocalCloud cloud;
  private final String folder = "wires/" + UUID.randomUUID() + "/things";
  private FaultyFirestore wire;
  private Firestore firestore;

  FaultyFirestoreIT(LocalCloud cloud) {
    this.cloud = cloud;
  }

  @BeforeEach
  void open() {
    wire = new FaultyFirestore(cloud.firestoreHost());
    firestore = cloud.openFirestore(wire.open().address());
  }

  @AfterEach
  void close() throws Exception {
    firestore.close();
    wire.close();
  }

  @Test
  void callsOfAllKinds_passUnchanged() throws Exception {
    var batch = firestore.batch();
    for (int i = 0; i < MANY; i++) {
      batch.set(thing(i), Map.of("n", i, "text", "x".repeat(5_000)));
    }
    get(batch.commit());

    assertThat(get(firestore.collection(folder).get()).size()).isEqualTo(MANY);
    assertThat(get(firestore.collection(folder).count().get()).getCount()).isEqualTo(MANY);
    assertThat(get(firestore.getAll(thing(1), thing(2)))).allMatch(found -> found.exists());
    assertThat(wire.count(Occurrence.COMMIT)).isEqualTo(1);
    assertThat(Occurrence.FAULTS).allMatch(fault -> wire.count(fault) == 0);
  }

  @Test
  void linesOfOneWire_countApartAndPassErrorsUnchanged() throws Exception {
    var line = wire.open();
    var other = cloud.openFirestore(line.address());
    try {
      get(other.document(thing(0).getPath()).set(Map.of("n", 1)));
      get(other.document(thing(0).getPath()).get());
      get(other.collection(folder).whereEqualTo("n", 2).get());
      get(other.collection(folder).count().get());
      get(other.document(thing(0).getPath()).delete());
      assertThatThrownBy(() -> get(other.document(thing(0).getPath()).update("n", 1)))
          .hasMessageContaining("NOT_FOUND");
      get(thing(1).set(Map.of("n", 1)));
    } finally {
      other.shutdown();
    }

    assertThat(line.operations()).isEqualTo(new Operations(2, 1, 1, 1));
  }

  @Test
  void lostReply_isCarriedOutAllTheSame() throws Exception {
    get(thing(0).set(Map.of("n", 0)));
    wire.inject(CallFaults.losingReplies(1, 3));
    var increment = thing(0).set(Map.of("n", FieldValue.increment(1)), SetOptions.merge());
    await("a reply is lost").until(() -> wire.count(Occurrence.REPLY_LOST) > 0);
    wire.inject(CallFaults.NONE);
    awaitAnswer(increment);

    // Each repeated commit took effect: the wire lost only replies.
    assertThat(get(thing(0).get()).getLong("n")).isEqualTo(wire.count(Occurrence.COMMIT) - 1);
  }

  @Test
  void brokenListen_isTakenUpAgain() throws Exception {
    wire.inject(faults(Map.of(), new Listens(1, Duration.ofSeconds(5))));
    List<Long> heard = new CopyOnWriteArrayList<>();
    var listener =
        thing(0)
            .addSnapshotListener(
                (document, failure) -> {
                  if (document != null && document.exists()) {
                    heard.add(document.getLong("n"));
                  }
                });
    get(thing(0).set(Map.of("n", 1)));
    await("the first is heard").until(() -> heard.contains(1L));
    await("the stream breaks").until(() -> wire.count(Occurrence.STREAM_BROKEN) > 0);
    wire.inject(CallFaults.NONE);

    get(thing(0).set(Map.of("n", 2)));

    await("the second is heard").until(() -> heard.contains(2L));
    listener.remove();
  }

  @Test
  void brokenStream_neverMakesAnAnswerOfAHalf() throws Exception {
    for (int i = 0; i < 5; i++) {
      get(thing(i).set(Map.of("n", i)));
    }
    wire.inject(faults(Map.of(Occurrence.STREAM_BROKEN, 0.5), Listens.UNDISTURBED));

    for (int attempt = 0; wire.count(Occurrence.STREAM_BROKEN) == 0 && attempt < 50; attempt++) {
      var answer = firestore.collection(folder).get();
      awaitAnswer(answer);
      assertThat(isAnswered(answer) ? get(answer).size() : 5).isEqualTo(5);
    }

    assertThat(wire.count(Occurrence.STREAM_BROKEN)).isPositive();
  }

  private static CallFaults faults(Map<Occurrence, Double> shares, Listens listens) {
    return new CallFaults(shares, Duration.ofMillis(300), listens, 1);
  }

  private DocumentReference thing(int number) {
    return firestore.collection(folder).document("thing-" + number);
  }

  private static boolean isAnswered(ApiFuture<?> call) {
    try {
      get(call);
      return true;
    } catch (Exception failed) {
      return false;
    }
  }

  /** Waits for any answer, because with faults a call may fail in the end. */
  private static void awaitAnswer(ApiFuture<?> call) throws InterruptedException {
    await("the call has an answer").until(call::isDone);
  }
}
