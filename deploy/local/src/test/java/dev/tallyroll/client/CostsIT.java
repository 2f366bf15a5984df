package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;

import dev.tallyroll.Counter;
import dev.tallyroll.SumMode;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the Javadoc of {@link Counter} says that counting and reading cost, read off the wire. */
@ExtendWith(SharedCloud.class)
final class CostsIT {
  private final Till till;

  CostsIT(LocalCloud cloud) {
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
  void increment_isOneWrite() throws Exception {
    get(till.counter().add(1));

    till.assertBill(1, 0, 1, 0);
  }

  @Test
  void firstIncrement_readsTheNumberOfShards() throws Exception {
    Counter other = till.another(Till.OPTIONS);
    get(other.add(1));
    till.assertBill(2, 1, 1, 0);

    get(other.add(1));
    till.assertBill(1, 0, 1, 0);
  }

  @Test
  void incrementOfAMissingShard_isOneReadAndTwoWrites() throws Exception {
    deleteShards();

    get(till.counter().add(1));

    till.assertBill(3, 1, 2, 0);
  }

  @Test
  void namedIncrement_isTwoWrites() throws Exception {
    get(till.counter().addOnce("order-1", 1));
    till.assertBill(1, 0, 2, 0);

    get(till.counter().addOnce("order-1", 1));
    till.assertBill(1, 0, 0, 0);
  }

  @Test
  void namedIncrementOfAMissingShard_isOneReadAndThreeWrites() throws Exception {
    deleteShards();

    get(till.counter().addOnce("order-1", 1));

    till.assertBill(3, 1, 3, 0);
  }

  @Test
  void total_isOneRead() throws Exception {
    get(till.counter().total());

    till.assertBill(1, 1, 0, 0);
  }

  @Test
  void sum_isOneRead() throws Exception {
    get(till.counter().sum());

    till.assertBill(1, 1, 0, 0);
  }

  @Test
  void sumOfDocuments_isAReadForEachShard() throws Exception {
    get(till.another(Till.OPTIONS.withSum(SumMode.DOCUMENTS)).sum());

    till.assertBill(1, 3, 0, 0);
  }

  @Test
  void listening_isAReadForEachChange() throws Exception {
    AtomicInteger heard = new AtomicInteger();
    var registration = till.counter().listen(total -> heard.incrementAndGet());
    Waits.until("the absence is heard", () -> heard.get() == 1);
    till.assertBill(1, 1, 0, 0);
    till.firestore().document("untouched_rollups/" + till.id()).set(Map.of("count", 1)).get();
    Waits.until("the change is heard", () -> heard.get() == 2);

    registration.remove();
    till.assertBill(1, 1, 1, 0);
  }

  private void deleteShards() throws Exception {
    for (int number = 0; number < 3; number++) {
      till.firestore().document("counters/" + till.id() + "/shards/" + number).delete().get();
    }
    till.clear();
  }
}
