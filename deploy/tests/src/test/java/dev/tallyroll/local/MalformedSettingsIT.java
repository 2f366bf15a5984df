package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tallyroll.local.FunctionServer.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A function with a malformed setting refuses to start. It checks this before any connection. */
final class MalformedSettingsIT {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "OnShardWritten | TICK | soon | an ISO-8601 duration from PT0.1S to PT1M, such as PT1S",
        "OnShardWritten | COUNT_FIELD | a/b | an id without a slash",
        "RollUp | SUM | guess | aggregate or documents",
        "RollUp | WORKERS | 65 | a whole number from 1 to 64",
      })
  void malformedSetting_isNamedWithWhatWasExpectedAndFound(
      String function, String setting, String value, String expected) {
    var environment = ChildProcess.inherited(System.getenv());
    environment.put(setting, value);
    int port = Loopback.freePorts(1).get(0);
    try (var server = new FunctionServer(deployed(function), environment, port)) {
      assertThatThrownBy(server::awaitReady)
          .isInstanceOf(LocalCloudException.class)
          .hasMessageContaining("%s: expected %s; found '%s'".formatted(setting, expected, value));
    }
  }

  private static Function deployed(String name) {
    return Checkout.fromSystemProperty()
        .function(name, "dev.tallyroll.functions." + name, LocalCloudOptions.PRODUCTION_INVOKER);
  }
}
