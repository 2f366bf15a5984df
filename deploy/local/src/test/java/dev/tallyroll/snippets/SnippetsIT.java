package dev.tallyroll.snippets;

import static dev.tallyroll.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Counters;
import dev.tallyroll.it.Counter;
import dev.tallyroll.it.Lab;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The clients that users copy, each in a process of its own, beside the real functions. */
final class SnippetsIT {
  private static final int SHARDS = 5;
  private static final int INCREMENTS = 20;

  /** The emulator lets transactions on one shard wait for each other for seconds. */
  private static final int TRANSACTIONS = 4;

  @Nested
  @On(Site.SHARED)
  final class WithCount {
    private final Lab lab;
    private final Counter counter;

    WithCount(Lab lab) {
      this.lab = lab;
      this.counter = lab.counter();
    }

    @Test
    void increments_reachTheRollUpFromEveryLanguage() throws Exception {
      WireFormats.countInEachLanguage(lab);
    }

    @Test
    void node_countsWhereNobodyHasCreatedTheCounter() throws Exception {
      var job = Job.on(lab, counter, SHARDS).incrementing(Job.INCREMENT, INCREMENTS);

      assertCounts(ClientProgram.node(lab, "node", job), lab, counter);
    }

    @Test
    void java_createsAndCounts() throws Exception {
      var id = counter.path().id();

      assertCounts(ClientProgram.java(lab, id, SHARDS, INCREMENTS), lab, counter);
    }

    @ParameterizedTest
    @ValueSource(strings = {"num_shards", "numShards"})
    void ownClient_readsTheNumberOfShardsInEitherSpelling(String spelling) throws Exception {
      var job = Job.on(lab, counter, 1).creating(spelling).incrementing(Job.INCREMENT, INCREMENTS);
      try (var web = ClientProgram.node(lab, "web", job)) {
        assertThat(web.await("acknowledged")).isEqualTo(INCREMENTS);
        var own = Counters.of(lab.firestore()).counter(counter.path());

        for (int call = 0; call < INCREMENTS; call++) {
          get(own.add(1));
        }

        web.awaitTotal(2 * INCREMENTS);
        assertThat(web.end()).isEqualTo(2 * INCREMENTS);
      }
    }

    /** In the ways of all editions of the samples, on one counter. */
    @Test
    void mixedClients_seeWhatAllOfThemAdded() throws Exception {
      var merging = Job.on(lab, counter, SHARDS).incrementing(Job.INCREMENT, INCREMENTS);
      var oldest = merging.incrementing(Job.TRANSACTION, TRANSACTIONS);
      var programs = new ArrayList<ClientProgram>();
      try {
        programs.add(ClientProgram.node(lab, "web", merging.creating("num_shards")));
        programs.get(0).await("created");
        programs.addAll(
            List.of(
                ClientProgram.node(lab, "node", merging),
                ClientProgram.node(lab, "node", oldest),
                ClientProgram.node(lab, "web", oldest)));

        long total = 0;
        for (var program : programs) {
          long acknowledged = program.await("acknowledged");
          assertThat(acknowledged).isPositive();
          total += acknowledged;
        }
        for (var program : programs) {
          program.awaitTotal(total);
          assertThat(program.end()).isEqualTo(total);
        }
      } finally {
        programs.forEach(ClientProgram::close);
      }
    }
  }

  /** As in the sample for Go. */
  @Nested
  @On(Site.LONE)
  final class WithCapitalCount {
    @Test
    void increments_reachTheRollUpFromEveryLanguage(Lab lab) throws Exception {
      WireFormats.countInEachLanguage(lab);
    }

    @Test
    void go_createsAndCounts(Lab lab) throws Exception {
      var counter = lab.counter();
      var id = counter.path().id();

      assertCounts(ClientProgram.go(lab, id, SHARDS, INCREMENTS), lab, counter);
    }
  }

  /** As in the sample for PHP; the collections and the database have other names too. */
  @Nested
  @On(Site.RENAMED)
  final class WithCnt {
    @Test
    void increments_reachTheRollUpFromEveryLanguage(Lab lab) throws Exception {
      WireFormats.countInEachLanguage(lab);
    }

    @Test
    void web_createsAndCounts(Lab lab) throws Exception {
      var counter = lab.counter();
      var job = Job.on(lab, counter, SHARDS).incrementing(Job.INCREMENT, INCREMENTS);

      assertCounts(ClientProgram.node(lab, "web", job.creating("numShards")), lab, counter);
    }
  }

  private static void assertCounts(ClientProgram program, Lab lab, Counter counter)
      throws Exception {
    try (program) {
      assertThat(program.await("acknowledged")).isEqualTo(INCREMENTS);

      lab.tickUntil("the total", () -> counter.shows(INCREMENTS));
      program.awaitTotal(INCREMENTS);
      assertThat(program.end()).isEqualTo(INCREMENTS);
    }
  }
}
