package dev.tallyroll.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Totals of counters in all places and with all kinds of ids, from creation to deletion. */
@On(Site.SHARED)
final class TotalsIT {
  private static final int SHARDS = 3;
  private static final int LONGEST_ID = 1_500;

  /** Counters and shards are the 99th and the 100th collection. */
  private static final int DEEPEST = 98;

  private final TestCloud cloud;

  TotalsIT(TestCloud cloud) {
    this.cloud = cloud;
  }

  @Test
  void deletedShard_leavesTheTotal() throws Exception {
    var counter = cloud.counter().create(SHARDS);
    counter.increment(0, 6);
    counter.increment(2, -12);
    assertThat(counter.awaitSettled(-6L).shards()).isEqualTo(SHARDS);

    counter.deleteShard(2);

    assertThat(counter.awaitSettled(6L).shards()).isEqualTo(SHARDS - 1);
  }

  @Test
  void everyName_isACounterOfItsOwn() throws Exception {
    var unique = UUID.randomUUID().toString();
    var room = "rooms/" + unique;
    var paths =
        new ArrayList<>(
            List.of(
                new CounterPath(room, "b_c"),
                new CounterPath(room + "_b", "c"),
                new CounterPath(room + "%2Fb", "c"),
                new CounterPath(room + "/tables/t1/seats/s1", "c"),
                new CounterPath("d/x/".repeat(DEEPEST - 1) + "d/" + unique, "c"),
                new CounterPath("counters/" + unique, "c"),
                CounterPath.of(unique + "x".repeat(LONGEST_ID - unique.length()))));
    // No id has a line break, because the emulator sends no event for it.
    for (var kind :
        List.of(
            "k",
            "K",
            " k",
            "\u212a",
            "\u00e9",
            "e\u0301",
            "%2Fb",
            "a%2Fb",
            "100%",
            "größe €",
            "😀",
            "a.b",
            "\"quoted\"",
            "tab\t",
            "nul\0")) {
      paths.add(CounterPath.of(unique + kind));
    }
    for (int i = 0; i < paths.size(); i++) {
      cloud.counter(paths.get(i)).increment(0, i + 1);
    }

    for (int i = 0; i < paths.size(); i++) {
      cloud.counter(paths.get(i)).awaitSettled(i + 1L);
    }
    assertThat(cloud.counter(CounterPath.of(unique)).shown())
        .as("has a counter below it")
        .isEmpty();
  }

  @Test
  void deletedCounter_losesItsRollupAndStartsAgainAtZero() throws Exception {
    var counter = cloud.counter().create(SHARDS);
    counter.increment(0, 5);
    counter.awaitSettled(5L);

    counter.delete();
    counter.awaitNoRollup();
    counter.create(SHARDS);
    counter.increment(2, 1);

    assertThat(counter.awaitSettled(1L).shards()).isEqualTo(SHARDS);
  }

  @Test
  void counterDeletedAndCreatedAtOnce_showsTheNewOne() throws Exception {
    var counter = cloud.counter().create(SHARDS);
    counter.increment(0, 5);
    counter.awaitTotal(5L);

    counter.delete();
    counter.create(SHARDS);
    counter.increment(1, 3);

    assertThat(counter.awaitSettled(3L).shards()).isEqualTo(SHARDS);
  }
}
