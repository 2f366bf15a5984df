package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The commands of the documents do what these say, in the stand-in for a project. */
class RunbookIT {
  private static final String TEXT =
      Shell.read(Shell.ROOT.resolve(".github/RUNBOOK.md")).replace("my-project", "p");
  private static final Pattern EXAMPLE = Pattern.compile("(?ms)^ *```sh$(.*?)^ *```$");

  /** A whole command in an operator's text, in a line of its own or in the font of code. */
  private static final Pattern IN_TEXT =
      Pattern.compile("(?m)(?<=^|`)(?:deploy/gcloud/|gcloud )[^`#]*?--project[ =][^`#]*?(?=`|$)");

  private static final Pattern WORD = Pattern.compile("(?:'[^']*'|[^\\s'])+");
  private static final Pattern ALERT =
      Pattern.compile("(?m)^ {2}\"displayName\": \"@NAME@: ([^\"]+)\"");
  private static final String KILL_SWITCH = "remove-iam-policy-binding";

  private final Project project = Project.deployed();

  /** The words of each command, in their order. */
  static List<List<String>> commands() {
    return EXAMPLE
        .matcher(TEXT)
        .results()
        .flatMap(example -> example.group(1).strip().lines())
        .map(RunbookIT::words)
        .toList();
  }

  private static List<String> words(String command) {
    return WORD.matcher(command).results().map(word -> word.group().replace("'", "")).toList();
  }

  /** Those of both READMEs; StatusIT runs the canary. */
  static List<List<String>> otherCommands() {
    return Stream.of("README.md", "deploy/README.md")
        .map(document -> Shell.read(Shell.ROOT.resolve(document)))
        .flatMap(text -> IN_TEXT.matcher(text).results())
        .map(found -> found.group().replaceAll("my-project|PROJECT", "p"))
        .map(command -> command.replace("REGION", "us-central1"))
        .map(RunbookIT::words)
        .filter(words -> !words.get(0).endsWith("canary"))
        .toList();
  }

  @Test
  void everyCommandOfTheReadmes_works() {
    List<List<String>> all = otherCommands();
    assertThat(all).hasSizeGreaterThan(4);
    for (List<String> command : all) {
      boolean makes = command.get(0).endsWith("/deploy");
      run(makes ? Project.empty() : Project.deployed(), command);
    }
  }

  @Test
  void everyCommand_isOneThatWorks() {
    assertThat(commands()).hasSizeGreaterThan(8);
    commands().forEach(command -> run(project, command));
  }

  /** A file of settings is the operator's. */
  private static void run(Project project, List<String> command) {
    String line = String.join(" ", command).replace("deploy/gcloud/", "");
    if (command.get(0).startsWith("deploy/gcloud/")) {
      project.put("total", "5");
      String yes = line.matches("(deploy|destroy) .*") ? " --yes" : "";
      project.exits(0, line.replace("my.env", project.settings.toString()) + yes);
    } else {
      List<String> inBash = new ArrayList<>(List.of("bash", "-c", "\"$@\"", "bash"));
      inBash.addAll(command);
      assertThat(project.shell(inBash).code()).as(line).isZero();
    }
  }

  @Test
  void everyAlert_isInTheTable() throws Exception {
    try (Stream<Path> policies = Files.list(Shell.SCRIPTS.resolve("monitoring/policies"))) {
      List<String> alerts =
          policies
              .map(Shell::read)
              .flatMap(policy -> ALERT.matcher(policy).results())
              .map(alert -> alert.group(1))
              .toList();
      assertThat(alerts).hasSize(6).allMatch(TEXT::contains);
    }
  }

  @Test
  void killSwitch_isSeenByStatusAndUndoneByDeploy() {
    commands().stream()
        .filter(words -> words.contains(KILL_SWITCH))
        .forEach(words -> run(project, words));
    assertThat(project.changes()).hasSize(2);

    assertThat(project.exits(1, "status"))
        .contains("tallyroll-roll-up: expected")
        .contains("invoker");
    project.exits(0, "deploy --yes");
    project.exits(0, "status");
  }

  @Test
  void pausedJob_isResumed() {
    project.put("jobs/tallyroll-run", "description=Tallyroll: tallyroll: x", "state=PAUSED");
    assertThat(project.exits(1, "status")).contains("tallyroll-run");

    commands().stream()
        .filter(words -> words.contains("jobs"))
        .forEach(words -> run(project, words));

    project.exits(0, "status");
  }
}
