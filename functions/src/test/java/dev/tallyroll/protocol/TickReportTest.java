package dev.tallyroll.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class TickReportTest {
  @Test
  void reportOfNothing_isEmpty() {
    assertThat(new TickReport().isEmpty()).isTrue();
    assertThat(new TickReport().hasFailures()).isFalse();
    assertThat(new TickReport().fields(3)).containsEntry("live", 3).doesNotContainKey("cause");
  }

  @Test
  void anythingDone_isReported() {
    List<Consumer<TickReport>> doings =
        List.of(
            report -> report.sums++,
            report -> report.writes++,
            report -> report.unchanged++,
            report -> report.settled++,
            report -> report.refused++,
            report -> report.failed(new IllegalStateException("one")));
    for (Consumer<TickReport> doing : doings) {
      TickReport report = new TickReport();
      doing.accept(report);
      assertThat(report.isEmpty()).isFalse();
    }
  }

  @Test
  void firstFailure_isTheCause() {
    TickReport report = new TickReport();
    report.failed(new IllegalStateException("one"));
    report.failed(new IllegalStateException("two"));

    assertThat(report.hasFailures()).isTrue();
    assertThat(report.fields(1))
        .containsEntry("failed", 2)
        .containsEntry("cause", "java.lang.IllegalStateException: one");
  }
}
