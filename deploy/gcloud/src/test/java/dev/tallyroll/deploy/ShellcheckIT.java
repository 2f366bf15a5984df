package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What shellcheck says of our scripts: nothing. */
class ShellcheckIT {

  private static final List<String> SCRIPTS =
      List.of(
          "deploy",
          "destroy",
          "smoke",
          "status",
          "src/test/resources/fake/curl",
          "src/test/resources/fake/gcloud",
          "src/test/resources/read-by-gcloud",
          "../local/bench",
          "../local/cold-start",
          "../local/fuzz",
          "../local/lib/command",
          "../local/lib/emulators",
          "../local/long",
          "../local/soak",
          "../local/up",
          "../../.ci/run");

  @Test
  void scripts_passShellcheck() {
    assumeTrue(Shell.has("shellcheck"), "shellcheck is not installed");
    List<String> command =
        new ArrayList<>(List.of("shellcheck", "--external-sources", "--source-path=" + Home.ROOT));
    SCRIPTS.forEach(script -> command.add(Home.SCRIPTS.resolve(script).toString()));

    Shell.Result result = Shell.run(Map.of(), command);

    assertThat(result.code()).as(result.text()).isZero();
  }
}
