package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class TickerTest {
  @Test
  void boundary_isTheNextFullPeriod() {
    assertThat(Ticker.boundaryAfter(60_001, 60_000)).isEqualTo(120_000);
    assertThat(Ticker.boundaryAfter(119_999, 60_000)).isEqualTo(120_000);
    assertThat(Ticker.boundaryAfter(120_000, 60_000)).isEqualTo(180_000);
  }

  @Test
  void schedule_asksAtFullPeriods() throws Exception {
    List<Long> asked = new CopyOnWriteArrayList<>();
    var clock = InstantSource.system();
    try (var ticker = new Ticker(kind -> asked.add(clock.millis()), clock, line -> {})) {
      ticker.every(Duration.ofMillis(100), "run");

      Waiting.until("it asked three times", () -> asked.size() >= 3);
    }

    // However late each one was, no two were for the same period.
    assertThat(asked.stream().map(millis -> millis / 100)).doesNotHaveDuplicates();
  }

  @Test
  void failedMessage_doesNotStopTheSchedule() throws Exception {
    var logged = new CopyOnWriteArrayList<String>();
    try (var ticker =
        new Ticker(
            kind -> {
              throw new LocalCloudException("nobody listens");
            },
            InstantSource.system(),
            logged::add)) {
      ticker.every(Duration.ofMillis(20), "run");

      Waiting.until("two failures were logged", () -> logged.size() >= 2);
    }

    assertThat(logged.get(0)).contains("run", "nobody listens");
  }
}
