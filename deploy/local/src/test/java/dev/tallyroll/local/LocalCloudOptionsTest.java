package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LocalCloudOptionsTest {
  @Test
  void slack_isLongerThanInProductionUnlessGiven() {
    assertThat(settings(Map.of()).values()).isEqualTo(Map.of("SLACK", "PT2S"));
    assertThat(settings(Map.of("SLACK", "PT3S")).values()).isEqualTo(Map.of("SLACK", "PT3S"));
  }

  @Test
  void settingsOfAnEnvironment_leaveTheRestAlone() {
    assertThat(FunctionSettings.in(Map.of("TICK", "PT2S", "PATH", "/bin")))
        .isEqualTo(Map.of("TICK", "PT2S"));
  }

  @Test
  void triggerPattern_followsTheCollections() {
    assertThat(settings(Map.of()).triggerPattern())
        .isEqualTo("{parent=**}/counters/{counter}/shards/{shard}");
    assertThat(settings(Map.of("COUNTERS", "polls", "SHARDS_COLLECTION", "parts")).triggerPattern())
        .isEqualTo("polls/{counter}/parts/{shard}");
  }

  @Test
  void functionEnvironment_holdsOnlyWhatIsMeant() {
    var options =
        LocalCloudOptions.builder()
            .project("demo-x")
            .settings(Map.of("TICK", "PT2S", "FIRESTORE_ENDPOINT", "elsewhere:1"))
            .environment(
                Map.of("PATH", "/bin", "HOME", "/h", "LOG_EXECUTION_ID", "true", "SECRET", "x"))
            .build();

    var environment =
        ChildEnvironment.ofFunction(options, "127.0.0.1:1", new StackPorts(9, 2, 3, 4));

    assertThat(environment)
        .isEqualTo(
            Map.of(
                "PATH", "/bin",
                "HOME", "/h",
                "TICK", "PT2S",
                "SLACK", "PT2S",
                "FIRESTORE_ENDPOINT", "127.0.0.1:1",
                "PUBSUB_EMULATOR_HOST", "127.0.0.1:2",
                "GOOGLE_CLOUD_PROJECT", "demo-x"));
  }

  @Test
  void foreignEmulators_areNamed() {
    List<String> logged = new ArrayList<>();

    ForeignEmulators.warn(Map.of("PATH", "/bin"), logged::add);
    ForeignEmulators.warn(Map.of("FIRESTORE_EMULATOR_HOST", "h:1"), logged::add);

    assertThat(logged).singleElement().asString().contains("FIRESTORE_EMULATOR_HOST=h:1");
  }

  private static FunctionSettings settings(Map<String, String> given) {
    return FunctionSettings.withLocalDefaults(given);
  }
}
