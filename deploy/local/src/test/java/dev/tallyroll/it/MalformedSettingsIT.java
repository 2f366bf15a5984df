package dev.tallyroll.it;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.local.LocalCloudOptions;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A function with a malformed setting refuses to start. */
final class MalformedSettingsIT {
  @ParameterizedTest
  @CsvSource({"TICK, soon, an ISO-8601 duration", "SUM, guess, aggregate or documents"})
  void malformedSetting_isNamedWithWhatWasExpectedAndFound(
      String name, String value, String expected) {
    var options =
        LocalCloudOptions.builder()
            .settings(Map.of(name, value))
            .unscheduled()
            .log(line -> {})
            .build();

    assertThatThrownBy(() -> LocalCloud.start(options).close())
        .isInstanceOf(LocalCloudException.class)
        .hasMessageContaining(name + ": expected " + expected)
        .hasMessageContaining("found '" + value + "'");
  }
}
