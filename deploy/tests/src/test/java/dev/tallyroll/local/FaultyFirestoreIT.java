package dev.tallyroll.local;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.SetOptions;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The official client, the wire with faults, and the official emulator. */
@On(Site.SHARED)
final class FaultyFirestoreIT {
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

  private DocumentReference thing(int number) {
    return firestore.collection(folder).document("thing-" + number);
  }

  /** Waits for any answer, because with faults a call may fail in the end. */
  private static void awaitAnswer(ApiFuture<?> call) throws InterruptedException {
    await("the call has an answer").until(call::isDone);
  }
}
