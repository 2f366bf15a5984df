package dev.tallyroll.snippets;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.it.TestCloud;
import dev.tallyroll.it.TestCounter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** The clients that users copy, each in its own process, with the real functions. */
@Order(1) // Tests on this site wait for each other.
final class SnippetsIT {
  private static final int SHARDS = 5;
  private static final int INCREMENTS = 20;

  /** Few, because on the emulator transactions on one shard wait for each other for seconds. */
  private static final int TRANSACTIONS = 4;

  @Nested
  @On(Site.SHARED)
  final class WithCount {
    private final TestCloud cloud;
    private final TestCounter counter;

    WithCount(TestCloud cloud) {
      this.cloud = cloud;
      this.counter = cloud.counter();
    }

    @Test
    void increments_reachTheRollUpFromEveryLanguage() throws Exception {
      WireFormats.countInEachLanguage(cloud);
    }

    /** A server resizes the counter first. Then each named increment is called twice. */
    @Test
    void webModule_learnsOfFewerShardsAndCountsOnce() throws Exception {
      assertModuleCounts("web", Job.ADD_AFTER_SHRINKING, Job.ADD_ONCE);
    }

    @Test
    void nodeModule_learnsOfFewerShardsAndCountsOnceAndBuffered() throws Exception {
      assertModuleCounts("node", Job.ADD_AFTER_SHRINKING, Job.ADD_ONCE, Job.ADD_BUFFERED);
    }

    private void assertModuleCounts(String client, String... ways) throws Exception {
      var job =
          Job.on(cloud, counter, SHARDS)
              .incrementing(String.join(" ", ways), INCREMENTS)
              .creating("num_shards");

      assertCounts(
          ClientProgram.node(cloud, client, job), cloud, counter, ways.length * INCREMENTS);
    }

    @Test
    void javaLibrary_countsBesideTheWebs() throws Exception {
      var job = Job.on(cloud, counter, 1).creating("numShards").incrementing(Job.ADD, INCREMENTS);
      try (var web = ClientProgram.node(cloud, "web", job)) {
        assertThat(web.await("acknowledged")).isEqualTo(INCREMENTS);
        var own = FirestoreCounters.of(cloud.firestore()).counter(counter.path());

        for (int call = 0; call < INCREMENTS; call++) {
          get(own.add(1));
        }

        web.awaitTotal(2 * INCREMENTS);
        assertThat(web.end()).isEqualTo(2 * INCREMENTS);
      }
    }

    /** The clients increment one counter in the ways of all editions of the samples. */
    @Test
    void mixedClients_seeWhatAllOfThemAdded() throws Exception {
      var merging = Job.on(cloud, counter, SHARDS).incrementing(Job.MERGE, INCREMENTS);
      var oldest = merging.incrementing(Job.TRANSACTION, TRANSACTIONS);
      var programs = new ArrayList<ClientProgram>();
      try {
        programs.add(
            ClientProgram.node(
                cloud, "web", merging.creating("num_shards").incrementing(Job.ADD, INCREMENTS)));
        programs.get(0).await("created");
        programs.addAll(
            List.of(
                ClientProgram.node(cloud, "node", merging),
                ClientProgram.node(cloud, "node", oldest),
                ClientProgram.node(cloud, "web", oldest)));

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

  /** The count field is that of the sample for Go. */
  @Nested
  @On(Site.LONE)
  final class WithCapitalCount {
    @Test
    void go_createsAndCounts(TestCloud cloud) throws Exception {
      var counter = cloud.counter();
      var id = counter.path().id();

      assertCounts(ClientProgram.go(cloud, id, SHARDS, INCREMENTS), cloud, counter);
    }
  }

  /** The count field is that of the sample for PHP. Collections and database are renamed, too. */
  @Nested
  @On(Site.RENAMED)
  final class WithCnt {
    @Test
    void web_createsAndCounts(TestCloud cloud) throws Exception {
      var counter = cloud.counter();
      var job = Job.on(cloud, counter, SHARDS).incrementing(Job.ADD, INCREMENTS);

      assertCounts(ClientProgram.node(cloud, "web", job.creating("numShards")), cloud, counter);
    }
  }

  private static void assertCounts(ClientProgram program, TestCloud cloud, TestCounter counter)
      throws Exception {
    assertCounts(program, cloud, counter, INCREMENTS);
  }

  private static void assertCounts(
      ClientProgram program, TestCloud cloud, TestCounter counter, int total) throws Exception {
    try (program) {
      assertThat(program.await("acknowledged")).isEqualTo(total);

      cloud.tickUntil("the total", () -> counter.shows(total));
      program.awaitTotal(total);
      assertThat(program.end()).isEqualTo(total);
    }
  }
}
