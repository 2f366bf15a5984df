package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.DocumentReference;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.Occurrence;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Updates that leave what is counted as it was. The emulator's events have both versions. */
@On(Site.LONE)
@Order(1) // Tests on this site wait for each other.
@Tag("core")
final class EditsIT {
  private static final int EDITS = 100;

  private final TestCloud cloud;

  EditsIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  /** Their events end in the function, which reads and writes nothing. */
  @Test
  void editsOfTexts_costNoOperation() throws Exception {
    LocalCloud local = cloud.local();
    TestCounter counter = cloud.counter();
    DocumentReference shard = counter.shard(0);
    get(shard.set(Map.of("Count", 5, "text", "good")));
    counter.awaitSettled(5L);
    cloud.settleAll();
    var before = local.onShardWritten().operations();
    long delivered = local.deliveries().count(Occurrence.DELIVERED);

    for (int i = 0; i < EDITS; i++) {
      get(shard.update("text", "better " + i));
    }
    get(shard.update("title", "the last one"));
    await("the events")
        .until(
            () ->
                local.deliveries().count(Occurrence.DELIVERED) > delivered + EDITS
                    && local.quiet());

    assertThat(local.onShardWritten().operations()).isEqualTo(before);
    counter.put(0, 4);
    counter.awaitTotal(4L);
  }
}
