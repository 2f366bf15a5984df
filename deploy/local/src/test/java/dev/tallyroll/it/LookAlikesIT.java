package dev.tallyroll.it;

import dev.tallyroll.CounterPath;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Names of counters that are hard to tell apart, and the longest and deepest there are. */
@On(Site.SHARED)
final class LookAlikesIT {
  /** Counters and shards are the 99th and the 100th collection. */
  private static final int DEEPEST = 98;

  private final Lab lab;
  private final String unique = UUID.randomUUID().toString();

  LookAlikesIT(Lab lab) {
    this.lab = lab;
  }

  @Test
  void namesThatLookAlike_areCountersOfTheirOwn() throws Exception {
    var paths =
        List.of(
            new CounterPath("rooms/" + unique + "_b", "c"),
            new CounterPath("rooms/" + unique, "b_c"),
            new CounterPath("rooms/" + unique + "%2Fb", "c"),
            CounterPath.of(unique + "%2Fb"),
            CounterPath.of(unique + "k"),
            CounterPath.of(unique + "K"),
            CounterPath.of(unique + " k"),
            CounterPath.of(unique + "\u212a"),
            CounterPath.of(unique + "\u00e9"),
            CounterPath.of(unique + "e\u0301"));
    for (int i = 0; i < paths.size(); i++) {
      lab.counter(paths.get(i)).increment(0, i + 1);
    }

    for (int i = 0; i < paths.size(); i++) {
      lab.counter(paths.get(i)).awaitSettled(i + 1L);
    }
  }

  @Test
  void longestId_isCounted() throws Exception {
    var counter = lab.counter(CounterPath.of(unique + "x".repeat(1_500 - unique.length())));

    counter.increment(0, 3);

    counter.awaitSettled(3L);
  }

  @Test
  void deepestCounter_isCounted() throws Exception {
    var counter = lab.counter("d/x/".repeat(DEEPEST - 1) + "d/" + unique);

    counter.increment(0, 3);

    counter.awaitSettled(3L);
  }
}
