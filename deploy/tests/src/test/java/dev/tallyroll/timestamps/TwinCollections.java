package dev.tallyroll.timestamps;

import static dev.tallyroll.local.Answers.get;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.WriteBatch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/**
 * The same random documents twice: in an unsharded collection and in a sharded one, at the root and
 * below a room. Many have the same timestamp; some have none. For one thread.
 */
final class TwinCollections {
  static final int TIMES = 25;
  private static final int DOCUMENTS = 140;
  private static final List<String> PARENTS = List.of("", "rooms/r1/", "rooms/r2/");

  /** Prefixes of ids: plain ones, and some that UTF-16 and UTF-8 order differently. */
  private static final List<String> PREFIXES =
      List.of("a", "B", "\u00e4", "\uffee", "\ud83d\ude00");

  private final Firestore firestore;
  private final Steps steps;
  private final String plain = "twins-plain-" + UUID.randomUUID();
  private final String sharded = "twins-sharded-" + UUID.randomUUID();

  TwinCollections(Firestore firestore, Steps steps) {
    this.firestore = firestore;
    this.steps = steps;
  }

  void write(ShardedTimestamp timestamp, Random random) throws Exception {
    WriteBatch batch = firestore.batch();
    for (int i = 0; i < DOCUMENTS; i++) {
      String parent = PARENTS.get(random.nextInt(PARENTS.size()));
      String id = PREFIXES.get(random.nextInt(PREFIXES.size())) + i;
      Map<String, Object> fields = fields(random);
      batch.set(firestore.collection(parent + plain).document(id), fields);
      fields.put(timestamp.shardField(), timestamp.randomShard(random));
      batch.set(firestore.collection(parent + sharded).document(id), fields);
    }
    get(batch.commit());
  }

  private Map<String, Object> fields(Random random) {
    Map<String, Object> fields = new HashMap<>();
    fields.put("a", random.nextInt(3));
    fields.put("b", Map.of("c", random.nextInt(3)));
    fields.put("tags", List.of(random.nextInt(4), random.nextInt(4)));
    if (random.nextInt(20) > 0) {
      fields.put("timestamp", steps.value(random.nextInt(TIMES), random));
    }
    return fields;
  }

  /** The values of the rising field, by steps. */
  enum Steps {
    TIMES,

    /** Integers and doubles, some so large that a double cannot tell neighbours apart. */
    NUMBERS;

    Object value(int step, Random random) {
      if (this == TIMES) {
        return time(step);
      }
      long number = step % 2 == 0 ? step - TwinCollections.TIMES / 2 : (1L << 53) + step;
      return random.nextBoolean() ? (Object) number : (Object) (double) number;
    }

    ShardedTimestamp of(ShardedTimestamp timestamp) {
      return this == TIMES ? timestamp : timestamp.ofNumbers();
    }
  }

  static Timestamp time(int step) {
    return Timestamp.ofTimeSecondsAndNanos(1_700_000_000L + step / 5, step % 5 * 1_000);
  }

  Query plain(boolean group) {
    return group ? firestore.collectionGroup(plain) : firestore.collection(plain);
  }

  Query sharded(boolean group) {
    return group ? firestore.collectionGroup(sharded) : firestore.collection(sharded);
  }
}
