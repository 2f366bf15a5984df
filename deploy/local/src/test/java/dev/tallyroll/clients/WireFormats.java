package dev.tallyroll.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.it.Counter;
import dev.tallyroll.it.Lab;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What libraries send, whether they can be installed here or not, on one spelling of the field. */
abstract class WireFormats {
  private static final int INCREMENTS = 12;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private final Lab lab;
  private final Commits commits;

  WireFormats(Lab lab) {
    this.lab = lab;
    this.commits = new Commits(lab.cloud());
  }

  @Test
  void increments_reachTheRollUpInEachLanguage() throws Exception {
    Map<Language, Counter> counters = new LinkedHashMap<>();
    for (var language : Language.spelling(lab.layout().countField())) {
      counters.put(language, incremented(language));
    }

    assertThat(counters).isNotEmpty();
    for (var one : counters.entrySet()) {
      lab.tickUntil(
          "the total of " + one.getKey(), () -> one.getValue().isSettled((long) INCREMENTS));
    }
  }

  private Counter incremented(Language language) throws Exception {
    var counter = lab.counter();
    var name = commits.name(lab.layout().counterDocument(counter.path()));
    var shard = name + "/" + lab.layout().shards() + "/0";
    assertThat(commits.send(language.creation(name, shard)))
        .as("%s creates", language)
        .isEqualTo(OK);
    for (int call = 0; call < INCREMENTS; call++) {
      assertThat(commits.send(List.of(language.increment(shard))))
          .as("%s increments", language)
          .isEqualTo(OK);
    }
    return counter;
  }

  /** Only a merging set may make a shard: else the samples' precondition got lost. */
  @Test
  void updates_failWithoutTheShard() throws Exception {
    for (var language : Language.spelling(lab.layout().countField())) {
      var name = commits.name(lab.layout().counterDocument(lab.counter().path()));
      var shard = name + "/" + lab.layout().shards() + "/0";

      assertThat(commits.send(List.of(language.increment(shard))))
          .as("%s", language)
          .isEqualTo(language == Language.GO_MERGING ? OK : NOT_FOUND);
    }
  }
}
