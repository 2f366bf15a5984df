package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FunctionOutputTest {
  private final List<String> shown = new ArrayList<>();
  private final FunctionOutput output =
      new FunctionOutput("roll-up", new OperationsLog().newProcess(), shown::add);

  @Test
  void warningsAndErrors_areShown() {
    output.accept("{\"severity\":\"INFO\",\"message\":\"fine\"}");
    output.accept("{\"severity\":\"WARNING\",\"message\":\"hm\"}");
    output.accept("{\"severity\":\"ERROR\",\"message\":\"with a raw\ttab\"}");

    assertThat(shown)
        .containsExactly(
            "[roll-up] {\"severity\":\"WARNING\",\"message\":\"hm\"}",
            "[roll-up] {\"severity\":\"ERROR\",\"message\":\"with a raw\ttab\"}");
  }

  @Test
  void plainLines_areNotShown() {
    output.accept("Serving function...");
    output.accept("{ not json");
    output.accept("");

    assertThat(shown).isEmpty();
  }

  @Test
  void floodOfErrors_isCutOff() {
    for (int i = 0; i < 1_000; i++) {
      output.accept("{\"severity\":\"ERROR\"}");
    }

    assertThat(shown).hasSize(51).last().asString().contains("not shown");
  }

  @Test
  void longLine_isShortened() {
    output.accept("{\"severity\":\"ERROR\",\"message\":\"" + "x".repeat(5_000) + "\"}");

    assertThat(shown.get(0)).hasSizeLessThan(500).endsWith(" ...");
  }
}
