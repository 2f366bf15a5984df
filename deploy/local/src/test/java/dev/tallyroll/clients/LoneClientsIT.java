package dev.tallyroll.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Counters;
import dev.tallyroll.it.Lab;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One client on a counter, and what this project's own client makes of that counter. */
@On(Site.SHARED)
final class LoneClientsIT {
  private static final int SHARDS = 5;
  private static final int INCREMENTS = 20;
  private static final int ANSWER_WITHIN_SECONDS = 30;

  private final Lab lab;

  LoneClientsIT(Lab lab) {
    this.lab = lab;
  }

  @Test
  void node_countsWhereNobodyHasCreatedTheCounter() throws Exception {
    var counter = lab.counter();
    var job = Job.on(lab, counter, SHARDS).incrementing(Job.INCREMENT, INCREMENTS);
    try (var node = ClientProgram.node(lab, "node", job)) {
      assertThat(node.await("acknowledged")).isEqualTo(INCREMENTS);

      node.awaitTotal(INCREMENTS);
      assertThat(node.end()).isEqualTo(INCREMENTS);
    }
  }

  @Test
  void java_createsAndCounts() throws Exception {
    var counter = lab.counter();
    try (var java = ClientProgram.java(lab, counter.path().id(), SHARDS, INCREMENTS)) {
      assertThat(java.await("acknowledged")).isEqualTo(INCREMENTS);

      java.awaitTotal(INCREMENTS);
      assertThat(java.end()).isEqualTo(INCREMENTS);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"num_shards", "numShards"})
  void ownClient_readsTheNumberOfShardsInEitherSpelling(String spelling) throws Exception {
    var counter = lab.counter();
    var job = Job.on(lab, counter, 1).creating(spelling).incrementing(Job.INCREMENT, INCREMENTS);
    try (var web = ClientProgram.node(lab, "web", job)) {
      assertThat(web.await("acknowledged")).isEqualTo(INCREMENTS);
      var own = Counters.of(lab.firestore()).counter(counter.path());

      for (int call = 0; call < INCREMENTS; call++) {
        own.add(1).get(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS);
      }

      web.awaitTotal(2 * INCREMENTS);
      assertThat(web.end()).isEqualTo(2 * INCREMENTS);
    }
  }
}
