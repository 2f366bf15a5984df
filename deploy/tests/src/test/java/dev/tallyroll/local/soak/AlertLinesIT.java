package dev.tallyroll.local.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Needs the metrics in the checkout. */
final class AlertLinesIT {
  @Test
  void alertLines_areThoseOfTheMetrics() {
    var alerts = new AlertLines();
    var start = Instant.now();
    alerts.hear("plain text", start);
    alerts.hear(line("run ended", ",\"worker\":0"), start.plusSeconds(179));
    assertThat(alerts.raised(start.plusSeconds(350))).isEmpty();

    alerts.hear(
        line("sum is not a number that can be stored", ",\"sum\":\"NaN\""), start.plusSeconds(350));
    alerts.hear(line("summary", ",\"cut\":1"), start.plusSeconds(350));

    assertThat(alerts.counted()).containsEntry("runs", 1L).containsEntry("bad-values", 1L);
    assertThat(alerts.raised(start.plusSeconds(400)))
        .containsExactly(
            "expected no line that bad-values counts, found 1",
            "expected no line that cut counts, found 1",
            "expected the end of a run every three minutes, found none for PT3M41S");
  }

  private static String line(String message, String fields) {
    return "[roll-up] {\"severity\":\"INFO\",\"message\":\"%s\"%s,".formatted(message, fields)
        + "\"logging.googleapis.com/labels\":{\"tallyroll_function\":\"RollUp\"}}";
  }
}
