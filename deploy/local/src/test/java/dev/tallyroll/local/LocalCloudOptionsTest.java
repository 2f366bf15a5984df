package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class LocalCloudOptionsTest {
  /** Else a cloud that starts could get another's port before that one listens there. */
  @Test
  void freePorts_areGivenOnce() {
    var given = Stream.generate(() -> Loopback.freePorts(50)).limit(10).flatMap(List::stream);

    assertThat(given).hasSize(500).doesNotHaveDuplicates();
  }

  @Test
  void slack_isLongerThanInProductionUnlessGiven() {
    assertThat(settings(Map.of()).settings()).containsEntry("SLACK", "PT2S");
    assertThat(settings(Map.of("SLACK", "PT3S")).settings()).containsEntry("SLACK", "PT3S");
  }

  /** Names differ so that both may share an emulator. */
  @Test
  void name_tellsTotalsFromFoldsUnlessGiven() {
    assertThat(settings(Map.of()).settings()).containsEntry("NAME", "tallyroll");
    assertThat(settings(Map.of("FOLD", "PT1S")).settings()).containsEntry("NAME", "fold");
    assertThat(settings(Map.of("NAME", "mine", "FOLD", "PT1S")).settings())
        .containsEntry("NAME", "mine");
  }

  @Test
  void settingsOfAnEnvironment_leaveTheRestAlone() {
    assertThat(LocalCloudOptions.settingsIn(Map.of("TOTALS", "{}", "WORKERS", "x", "PATH", "/bin")))
        .isEqualTo(Map.of("TOTALS", "{}", "WORKERS", "x"));
  }

  @Test
  void triggerPatterns_areThoseOfTheEntriesEachOnce() {
    assertThat(settings(Map.of()).triggerPatterns())
        .containsExactly("counters/{counter}/shards/{shard}");
    var several =
        new LocalCloudOptions()
            .totals(
                """
                {
                  "likes": {"of": "posts/{post}/likes"},
                  "likes-again": {"of": "posts/{p}/likes"},
                  "members": {"of": "rooms/{room}/groups/{group}/members"},
                  "bans": {"of": "rooms/{r}/groups/{group}/members", "rollups": "others"},
                  "hits": {"of": "pages/{page}/hits", "events": false}
                }""");
    assertThat(several.triggerPatterns())
        .containsExactly(
            "posts/{counter}/likes/{shard}", "rooms/{id0}/groups/{counter}/members/{shard}");
    assertThat(several.handlers()).isOne();
  }

  @Test
  void withoutEvents_nobodyTakesThem() {
    var polled =
        new LocalCloudOptions()
            .totals("{\"hits\": {\"of\": \"pages/{page}/hits\", \"events\": false}}");

    assertThat(polled.triggerPatterns()).isEmpty();
    assertThat(polled.handlers()).isZero();
  }

  @Test
  void children_inheritOnlyWhatTheyNeed() {
    var needed = Map.of("PATH", "/bin", "HOME", "/h", "LC_ALL", "C.UTF-8");
    var launcher = new HashMap<>(needed);
    launcher.putAll(Map.of("LOG_EXECUTION_ID", "true", "SECRET", "x"));

    assertThat(ChildProcess.inherited(launcher)).isEqualTo(needed);
  }

  @Test
  void settings_cannotReplaceTheAddresses() {
    var options = settings(Map.of("WORKERS", "2", "FIRESTORE_EMULATOR_HOST", "elsewhere:1"));

    assertThat(LocalCloud.environment(options, "127.0.0.1:1", "127.0.0.1:2"))
        .containsAllEntriesOf(
            Map.of(
                "WORKERS", "2",
                "SLACK", "PT2S",
                "TALLYROLL_FIRESTORE", "127.0.0.1:1",
                "PUBSUB_EMULATOR_HOST", "127.0.0.1:2",
                "GOOGLE_CLOUD_PROJECT", "demo-tallyroll"))
        .doesNotContainKey("FIRESTORE_EMULATOR_HOST");
  }

  private static LocalCloudOptions settings(Map<String, String> given) {
    return new LocalCloudOptions().settings(given);
  }
}
