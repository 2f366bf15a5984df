package dev.tallyroll.snippets;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import dev.tallyroll.Counter;
import dev.tallyroll.Counters;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.local.up.UpProcess;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The recipes with the Web SDK, under the strict rules and their own rules, on {@code up} as their
 * page starts it.
 */
@Execution(ExecutionMode.CONCURRENT)
final class RecipesIT {
  private static final int DAY = 24;

  /** The result is 0 if the rules refuse. */
  private static final String EXPECTED =
      """
      voted 1, votedTwice 0, votedForBob 0, bobTookAliceBack 0, slipAlone 0, shardAlone 0, \
      slipTornUp 0, twoShards 0, tookBack 1, \
      Error: polls/p/slips/alice: expected a vote; found none, tookNothingBack 2, \
      votedAgain 1, bobVoted 1, zoe 9, max 7, elevenLeaders 0, hours 24, noon 12, viewed 1, \
      viewedAtOnceAgain 0, viewedWithoutPass 0, viewedByNobody 0, foreignTotal 0, views 6, end 1""";

  @TempDir private Path folder;

  @Test
  void recipes_doWhatTheySayAndNothingElse() throws Exception {
    var up = UpProcess.startAsPrinted(folder.resolve("errors"), "deploy/clients/README.md");
    Map<String, String> addresses = up.ready();
    Firestore db = open(addresses);
    try {
      Counters polls = makeCounters(db);
      try (var web = ClientProgram.recipes(addresses)) {
        web.await("end");

        assertThat(web.lines()).contains(EXPECTED.split(", ", -1));
      }
      var votes = Map.of(polls.counter("yes"), 0L, polls.counter("no"), 2L);
      await("the votes").until(() -> areTotals(votes));
    } finally {
      db.shutdown();
      up.process().destroy();
    }
  }

  /** Makes what the recipes' servers make, and waits until the functions have all totals. */
  private static Counters makeCounters(Firestore db) throws Exception {
    Counters polls = FirestoreCounters.of(db).below("polls/p");
    polls.counter("yes").create(2).get();
    polls.counter("no").create(2).get();
    db.document("polls/p/rollups/foreign").set(Map.of("revenue", 5)).get();
    Map<Counter, Long> counted = new LinkedHashMap<>();
    counted.put(FirestoreCounters.of(db).counter("home"), 5L);
    Counters game = FirestoreCounters.of(db).below("games/g");
    counted.put(game.counter("max"), 7L);
    counted.put(game.counter("zoe"), 9L);
    counted.put(game.counter("ann"), 1L);
    Counters site = FirestoreCounters.of(db).below("sites/s");
    for (long hour = 0; hour < DAY; hour++) {
      counted.put(site.counter("clicks-2026-05-01T%02d".formatted(hour)), hour);
    }
    counted.put(site.counter("clicks-2026-05-02T00"), 100L);
    for (var each : counted.entrySet()) {
      each.getKey().create(1).get();
      each.getKey().add(each.getValue()).get();
    }
    await("all totals").until(() -> areTotals(counted));
    return polls;
  }

  private static boolean areTotals(Map<Counter, Long> expected) throws Exception {
    for (var each : expected.entrySet()) {
      var total = each.getKey().total().get();
      if (!total.exists() || total.longValue() != each.getValue()) {
        return false;
      }
    }
    return true;
  }

  private static Firestore open(Map<String, String> addresses) {
    return FirestoreOptions.newBuilder()
        .setProjectId(addresses.get("GOOGLE_CLOUD_PROJECT"))
        .setEmulatorHost(addresses.get("FIRESTORE_EMULATOR_HOST"))
        .build()
        .getService();
  }
}
