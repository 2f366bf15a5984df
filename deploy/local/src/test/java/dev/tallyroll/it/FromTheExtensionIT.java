package dev.tallyroll.it;

import static dev.tallyroll.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.SetOptions;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Clients of the Firebase extension firestore-counter need no change: its shards are a layout like
 * any other.
 */
@On(Site.RENAMED)
final class FromTheExtensionIT {
  private static final int CLIENTS = 6;
  private static final int INCREMENTS = 10;
  private static final int OLD_TOTAL = 1_000;

  private final TestCloud cloud;

  FromTheExtensionIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  @Test
  void oldClientsAndTheOldTotal_addUp() throws Exception {
    var counter = cloud.counter();
    var page = cloud.firestore().document(cloud.layout().counterDocument(counter.path()));
    var shards = page.collection("_counter_shards_");
    String field = cloud.layout().countField();
    Map<String, Object> before = Map.of("title", "Hello", field, OLD_TOTAL);
    get(page.set(before));

    // Each client chooses a name for its shard, and its first increment creates the shard.
    for (int client = 0; client < CLIENTS; client++) {
      var shard = shards.document(UUID.randomUUID().toString());
      for (int i = 0; i < INCREMENTS; i++) {
        get(shard.set(Map.of(field, FieldValue.increment(1)), SetOptions.merge()));
      }
    }
    get(shards.document("total-of-the-extension").create(Map.of(field, OLD_TOTAL)));

    counter.awaitSettled((long) OLD_TOTAL + CLIENTS * INCREMENTS);
    assertThat(get(page.get()).getData()).isEqualTo(Map.of("title", "Hello", field, 1_000L));
  }
}
