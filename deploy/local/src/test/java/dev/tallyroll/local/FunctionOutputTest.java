package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.Sweeps.Drift;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FunctionOutputTest {
  private final List<String> shown = new ArrayList<>();
  private final FunctionOutput output = new FunctionOutput("roll-up", shown::add);

  @Test
  void warningsAndErrors_areShown() {
    output.take("{\"severity\":\"INFO\",\"message\":\"fine\"}");
    output.take("{\"severity\":\"WARNING\",\"message\":\"hm\"}");
    output.take("{\"severity\":\"ERROR\",\"message\":\"with a raw\ttab\"}");

    assertThat(shown)
        .containsExactly(
            "[roll-up] {\"severity\":\"WARNING\",\"message\":\"hm\"}",
            "[roll-up] {\"severity\":\"ERROR\",\"message\":\"with a raw\ttab\"}");
  }

  @Test
  void plainLines_areNotShown() {
    output.take("Serving function...");
    output.take("{ not json");
    output.take("");

    assertThat(shown).isEmpty();
  }

  @Test
  void floodOfErrors_isCutOff() {
    for (int i = 0; i < 1_000; i++) {
      output.take("{\"severity\":\"ERROR\"}");
    }

    assertThat(shown).hasSize(51).last().asString().contains("not shown");
  }

  @Test
  void longLine_isShortened() {
    output.take("{\"severity\":\"ERROR\",\"message\":\"" + "x".repeat(5_000) + "\"}");

    assertThat(shown.get(0)).hasSizeLessThan(500).endsWith(" ...");
  }

  @Test
  void newProcess_isShownAgain() {
    for (int i = 0; i < 1_000; i++) {
      output.take("{\"severity\":\"ERROR\"}");
    }
    shown.clear();
    output.newProcess();

    output.take("{\"severity\":\"ERROR\"}");

    assertThat(shown).hasSize(1);
  }

  @Test
  void partsOfSweeps_areAddedUp() {
    output.take("{\"message\":\"sweep\",\"checked\":4,\"drift\":1,\"failed\":0}");
    output.newProcess();
    output.take("{\"message\":\"sweep\",\"checked\":2,\"drift\":0,\"failed\":0}");
    output.take("{\"message\":\"tick\",\"checked\":4}");

    assertThat(output.sweeps()).isEqualTo(new Sweeps(2, 6, List.of()));
  }

  @Test
  void correctedTotals_areKept() {
    output.take(
        "{\"message\":\"drift corrected: the events of some writes were lost, or are still on their"
            + " way\",\"counter\":\"likes\",\"was\":\"absent\",\"is\":\"3\"}");

    assertThat(output.sweeps().drift()).containsExactly(new Drift("likes", "absent", "3"));
  }
}
