package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

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
      Pattern.compile("\"like\": \"policy\",\\s+\"title\": \"([^\"]+)\"");
  private static final String KILL_SWITCH = "remove-iam-policy-binding";

  private final FakeProject project = FakeProject.deployed("--rules=strict");

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

  /** Those of both READMEs; a canary's is CanaryIT's. */
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
    assertThat(all).hasSizeGreaterThan(5);
    for (List<String> command : all) {
      boolean makes = command.get(0).endsWith("/deploy");
      if (!command.get(0).equals("gcloud")) {
        run(makes ? FakeProject.empty() : FakeProject.deployed(""), command);
      }
    }
  }

  @Test
  void everyCommand_isOneThatWorks() {
    assertThat(commands()).hasSizeGreaterThan(10);
    commands().forEach(command -> run(project, command));
  }

  private static void run(FakeProject project, List<String> command) {
    if (command.get(0).equals("gcloud")) {
      project.gcloud(command.subList(1, command.size()));
    } else {
      String line = String.join(" ", command).replace("deploy/gcloud/", "");
      String yes = line.startsWith("deploy") ? " --yes --replace-rules" : "";
      String own = line.replace(" --project p --region us-central1", "");
      project.exits(0, own + yes);
    }
  }

  @Test
  void everyAlert_isInTheTable() {
    String policies = Shell.read(Shell.SCRIPTS.resolve("monitoring/policies.json"));
    List<String> alerts = ALERT.matcher(policies).results().map(alert -> alert.group(1)).toList();

    assertThat(alerts).hasSizeGreaterThan(10).allMatch(TEXT::contains);
  }

  @Test
  void killSwitch_isSeenByStatusAndUndoneByDeploy() {
    commands().stream()
        .filter(words -> words.contains(KILL_SWITCH))
        .forEach(words -> run(project, words));
    assertThat(project.changes).hasSize(2);

    assertThat(project.exits(1, "status")).contains("invoker of tallyroll-roll-up");
    project.exits(0, "deploy --yes");
    project.exits(0, "status");
  }

  @Test
  void pausedJob_isResumed() {
    project.set("job", "tallyroll-run", "state=PAUSED");
    assertThat(project.exits(1, "status")).contains("tallyroll-run");

    commands().stream()
        .filter(words -> words.contains("jobs"))
        .forEach(words -> run(project, words));

    project.exits(0, "status");
  }
}
