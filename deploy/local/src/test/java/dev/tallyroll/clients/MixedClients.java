package dev.tallyroll.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.it.Counter;
import dev.tallyroll.it.Lab;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Several clients on one counter, each a process, in the ways of all editions of the samples. */
abstract class MixedClients {
  private static final int SHARDS = 10;
  private static final int INCREMENTS = 25;

  private final Lab lab;
  private final String shardsField;

  MixedClients(Lab lab, String shardsField) {
    this.lab = lab;
    this.shardsField = shardsField;
  }

  @Test
  void clients_togetherSeeWhatAllOfThemAdded() throws Exception {
    var counter = lab.counter();
    var programs = new ArrayList<ClientProgram>();
    try {
      programs.add(creator(counter));
      programs.get(0).await("created");
      programs.addAll(others(counter));

      long total = 0;
      for (var program : programs) {
        long acknowledged = program.await("acknowledged");
        assertThat(acknowledged).isPositive();
        total += acknowledged;
      }

      long settled = total;
      lab.tickUntil("a settled total of " + settled, () -> counter.isSettled(settled));
      for (var program : programs) {
        program.awaitTotal(settled);
        assertThat(program.end()).isEqualTo(settled);
      }
    } finally {
      programs.forEach(ClientProgram::close);
    }
  }

  private ClientProgram creator(Counter counter) throws IOException {
    var job = Job.on(lab, counter, SHARDS).incrementing(Job.INCREMENT, INCREMENTS);
    return ClientProgram.node(lab, "web", job.creating(shardsField));
  }

  private List<ClientProgram> others(Counter counter) throws IOException {
    var merging = Job.on(lab, counter, SHARDS).incrementing(Job.INCREMENT, INCREMENTS);
    var oldest = merging.incrementing(Job.TRANSACTION, INCREMENTS);
    return List.of(
        ClientProgram.node(lab, "node", merging),
        ClientProgram.node(lab, "node", oldest),
        ClientProgram.node(lab, "web", oldest));
  }
}
