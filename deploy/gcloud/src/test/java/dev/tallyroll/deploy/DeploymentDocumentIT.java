package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The deployment's document, on the official emulator. */
class DeploymentDocumentIT {

  private static final RulesEmulator EMULATOR = RulesEmulator.SHARED;

  private static final Deployment OURS =
      new Deployment(
          "rules-document",
          "us-central1",
          "tallyroll",
          "us-central1",
          Map.of(Setting.COUNTERS, "rooms/{room}/counters", Setting.COUNT_FIELD, "Cnt"));

  private final Console console = new EmulatedCloud(EMULATOR.address(), rules -> {}).console();

  @Test
  void claim_isWonByOneAndGivenBack() {
    DeploymentDocument before = read();
    assertThat(before.isThere()).isFalse();

    console.perform(before.claim(OURS, "me", List.of("rollups.as_of")));
    assertThatThrownBy(() -> console.perform(before.claim(OURS, "you", List.of())))
        .isInstanceOf(Console.Failure.class);
    DeploymentDocument claimed = read();
    assertThat(claimed.marked()).isTrue();
    assertThat(claimed.made()).containsExactly("rollups.as_of");
    assertThat(claimed.settings()).containsEntry(Setting.COUNT_FIELD, "Cnt").hasSize(3);
    assertThat(claimed.heldBySomebodyElse("you")).isPresent();
    assertThat(claimed.heldBySomebodyElse("me")).isEmpty();

    console.perform(before.release(OURS, Console.UPDATE_TIME, List.of("rollups.as_of"), List.of()));
    DeploymentDocument released = read();
    assertThat(released.deploying()).isEmpty();
    assertThat(released.made()).containsExactly("rollups.as_of");

    console.perform(released.unmade(OURS, List.of()));
    assertThat(read().made()).isEmpty();
    assertThatThrownBy(() -> console.perform(released.claim(OURS, "late", List.of())))
        .isInstanceOf(Console.Failure.class)
        .extracting(failure -> ((Console.Failure) failure).error.status)
        .isIn("FAILED_PRECONDITION", "ABORTED");
  }

  private DeploymentDocument read() {
    return new State(console, OURS).document();
  }
}
