package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;

import dev.tallyroll.Counter;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the Javadoc of {@link Counter} says that changes of a counter cost, read off the wire. */
@ExtendWith(SharedCloud.class)
final class ChangeCostsIT {
  private final Till till;

  ChangeCostsIT(LocalCloud cloud) {
    till = new Till(cloud);
  }

  @BeforeEach
  void create() throws Exception {
    till.create();
  }

  @AfterEach
  void close() throws Exception {
    till.close();
  }

  @Test
  void creation_isAWriteForEachShardAndOne() throws Exception {
    get(till.counter().delete());
    till.clear();

    get(till.counter().create(4));

    till.assertBill(1, 0, 5, 0);
  }

  @Test
  void reset_readsAllAndWritesWhatIsNotZero() throws Exception {
    get(till.counter().addOnce("order-1", 5));
    till.clear();
    get(till.counter().reset());
    till.assertBill(3, 4, 3, 0);

    get(till.counter().reset());
    till.assertBill(2, 4, 0, 0);
  }

  @Test
  void resizing_isOneReadAndAWriteAndAWriteForEachNewShard() throws Exception {
    get(till.counter().resize(5));
    till.assertBill(2, 1, 3, 0);

    get(till.counter().resize(5));
    till.assertBill(1, 1, 0, 0);

    get(till.counter().resize(2));
    till.assertBill(2, 1, 1, 0);
  }

  @Test
  void compaction_readsAllAndDeletesWhatItFolds() throws Exception {
    get(till.counter().resize(1));
    till.clear();
    get(till.counter().compact(Duration.ofDays(1)));
    till.assertBill(2, 4, 0, 0);

    till.firestore().document("counters/" + till.id() + "/shards/2").update("count", 5).get();
    till.clear();
    get(till.counter().compact(Duration.ZERO));
    till.assertBill(3, 4, 2, 2);
  }

  @Test
  void deletion_readsAndDeletesAll() throws Exception {
    till.clear();
    get(till.counter().delete());
    till.assertBill(4, 5, 0, 4);

    get(till.counter().create(2));
    get(till.counter().addOnce("order-1", 1));
    till.clear();
    get(till.counter().delete());
    till.assertBill(6, 5, 0, 4);
  }
}
