package dev.tallyroll.operator;

import com.google.cloud.firestore.BulkWriter;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.settings.OperatorSettings;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Where the canary's documents are: in collections of its own at the root, and in its live list.
 * Stateless.
 */
final class CanaryPlaces {
  /** The name of the canary's deployment. */
  static final String NAME = "tally-canary";

  static final String COUNTERS = "tallyroll_canary_counters";
  static final String SHARDS = "tallyroll_canary_shards";
  static final String ROLLUPS = "tallyroll_canary_rollups";

  /** Documents that another entry counts, below the same counters. */
  static final String LIKES = "tallyroll_canary_likes";

  static final String LIKES_ROLLUPS = "tallyroll_canary_likes_rollups";

  /** Documents that are folded. */
  static final String FOLDED = "tallyroll_canary_folded";

  /** Documents with numbers, for questions about sums. */
  static final String NUMBERS = "tallyroll_canary_numbers";

  private CanaryPlaces() {}

  /**
   * Refuses the settings of another deployment, whose documents the canary leaves alone.
   *
   * @throws IllegalArgumentException if a name is not the canary's
   */
  static void require(OperatorSettings settings) {
    require("NAME", List.of(NAME), settings.name());
    settings.entries().forEach(CanaryPlaces::require);
    settings
        .fold()
        .ifPresent(
            fold ->
                require(
                    "FOLD_DOCUMENTS",
                    List.of("[" + FOLDED + "]"),
                    fold.layout().starts().toString()));
  }

  private static void require(Entry entry) {
    String of = COUNTERS + "/{counter}/" + SHARDS;
    String likes = COUNTERS + "/{counter}/" + LIKES;
    require(entry + ".of", List.of(of, "{parent=**}/" + of, likes), entry.layout().of());
    String counter = COUNTERS + "/{counter}";
    require(
        entry + ".document", List.of(counter, "{parent=**}/" + counter), entry.layout().document());
    require(entry + ".rollups", List.of(ROLLUPS, LIKES_ROLLUPS), entry.layout().rollups());
  }

  private static void require(String setting, List<String> own, String found) {
    if (!own.contains(found)) {
      throw new IllegalArgumentException(
          setting
              + ": expected the canary's own, "
              + String.join(" or ", own)
              + "; found '"
              + found
              + "'");
    }
  }

  /**
   * Deletes each document that it, or a canary before it, has made, and what is below them.
   *
   * @return how many were deleted
   */
  static int clear(Firestore firestore) throws ExecutionException, InterruptedException {
    AtomicInteger deleted = new AtomicInteger();
    for (String own :
        List.of(COUNTERS, ROLLUPS, LIKES_ROLLUPS, FOLDED, NUMBERS, Layout.liveList(NAME))) {
      BulkWriter writer = firestore.bulkWriter();
      writer.addWriteResultListener((document, result) -> deleted.incrementAndGet());
      firestore.recursiveDelete(firestore.collection(own), writer).get();
      writer.close();
    }
    return deleted.get();
  }
}
