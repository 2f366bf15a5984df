package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.FunctionServer.Drift;
import dev.tallyroll.local.FunctionServer.Sweeps;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class FunctionOutputTest {
  private final List<String> shown = new ArrayList<>();
  private final FunctionOutput output = new FunctionOutput("roll-up", shown::add);

  @Test
  void warningsAndErrors_areShownAndNothingElse() {
    take(
        "{\"severity\":\"INFO\",\"message\":\"fine\"}",
        "{\"severity\":\"WARNING\",\"message\":\"hm\"}",
        "{\"severity\":\"ERROR\",\"message\":\"with a raw\ttab\"}",
        "Serving function...",
        "{ not json",
        "");

    assertThat(shown)
        .containsExactly("[roll-up] warning: hm", "[roll-up] error: with a raw\\u0009tab");
  }

  /** Whoever may write a document chooses its name, which may move the cursor. */
  @Test
  void nameOfADocument_actsOnNoTerminal() {
    take("{\"severity\":\"WARNING\",\"message\":\"no\",\"document\":\"posts/a\\u001b[2Jb\"}");

    assertThat(shown).containsExactly("[roll-up] warning: no (document: posts/a\\u001b[2Jb)");
  }

  /** A person reads a sentence with its details, on one line. */
  @Test
  void details_followTheSentence() {
    take(
        "{\"severity\":\"WARNING\",\"message\":\"the last good total stays\",\"counter\":\"likes\","
            + "\"sum\":\"NaN\",\"shards\":5,\"time\":\"now\",\"logging.googleapis.com/labels\":{}}",
        "{\"severity\":\"ERROR\",\"message\":\"java.io.IOException: no\\n\\tat A.b(A.java:1)\"}");

    assertThat(shown)
        .containsExactly(
            "[roll-up] warning: the last good total stays (counter: likes, sum: NaN, shards: 5)",
            "[roll-up] error: java.io.IOException: no at A.b(A.java:1)");
  }

  @Test
  void floodOfErrors_isCutOffUntilTheNextProcess() {
    Stream.generate(() -> "{\"severity\":\"ERROR\"}").limit(1_000).forEach(output::take);

    assertThat(shown).hasSize(51).last().asString().contains("not shown");

    output.newProcess();
    take("{\"severity\":\"ERROR\"}");

    assertThat(shown).hasSize(52).last().asString().contains("error");
  }

  @Test
  void longLine_isShortened() {
    take("{\"severity\":\"ERROR\",\"message\":\"" + "x".repeat(5_000) + "\"}");

    assertThat(shown.get(0)).hasSizeLessThan(500).endsWith(" ...");
  }

  @Test
  void sweeps_areAddedUpOverAllProcesses() {
    take(
        "{\"message\":\"sweep\",\"checked\":4,\"drift\":1,\"failed\":0}",
        "{\"message\":\"drift corrected: the events of some writes were lost, or are still on their"
            + " way\",\"counter\":\"likes\",\"was\":\"absent\",\"is\":\"3\"}");
    output.newProcess();
    take("{\"message\":\"sweep\",\"checked\":2,\"complete\":true}", "{\"message\":\"tick\"}");

    assertThat(output.sweeps())
        .isEqualTo(new Sweeps(2, 1, List.of(new Drift("likes", "absent", "3"))));
  }

  private void take(String... lines) {
    List.of(lines).forEach(output::take);
  }
}
