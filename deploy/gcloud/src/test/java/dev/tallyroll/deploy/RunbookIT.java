package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The commands of the documents do what these say, in the stand-in for a project. */
class RunbookIT {
  /** A whole command in an operator's text, in a line of its own or in the font of code. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "(?m)(?<=^ {0,3}|`)(?:deploy/gcloud/|gcloud )[^`#]*?--project[ =][^`#]*?(?=`| *#| *$)");

  private static final Pattern TOTALS =
      Pattern.compile("```json\\n(\\{\\s*\"([a-z]+)\": .*?)\\n```", Pattern.DOTALL);
  private static final Pattern WORD = Pattern.compile("(?:'[^']*'|[^\\s'])+");
  private static final Pattern ALERT = Pattern.compile("\"displayName\": \"@NAME@: ([^\"]+)\"");
  private static final Path RUNBOOK = Shell.ROOT.resolve("deploy/README.md");

  private final Project project = Project.deployed();

  /** The words of each command of the documents; CanaryIT runs the canary. */
  static List<List<String>> commands() {
    return Stream.of(RUNBOOK, Shell.ROOT.resolve("README.md"))
        .flatMap(document -> COMMAND.matcher(Shell.read(document)).results())
        .map(found -> found.group().replaceAll("my-project|PROJECT", "p"))
        .map(command -> command.replace("REGION", "us-central1"))
        .map(command -> WORD.matcher(command).results().map(word -> word.group().replace("'", "")))
        .map(Stream::toList)
        .filter(words -> !words.get(0).endsWith("canary"))
        .toList();
  }

  @Test
  void everyCommand_isOneThatWorks() {
    assertThat(commands()).hasSizeGreaterThan(15);
    project.put(
        "totals.json",
        "{\"likes\": {\"of\": \"posts/{post}/likes\", \"into\": {\"count\": \"likes\"}, \"rules\": \"own\"}}");
    for (List<String> command : commands()) {
      run(command.get(0).endsWith("destroy") ? Project.deployed() : project, command);
    }
  }

  /** A file of settings is the operator's. */
  private static void run(Project project, List<String> command) {
    String line = String.join(" ", command).replace("deploy/gcloud/", "");
    if (command.get(0).startsWith("deploy/gcloud/")) {
      String yes = line.matches("(deploy|destroy) .*") ? " --yes" : "";
      project.exits(0, line.replace("my.env", "settings.env") + yes);
    } else {
      List<String> inBash = new ArrayList<>(List.of("bash", "-c", "\"$@\"", "bash"));
      inBash.addAll(command);
      assertThat(project.shell(inBash).code()).as(line).isZero();
    }
  }

  /**
   * The files of totals of two guides, and one over the same posts, each in a deployment with its
   * first entry's name.
   */
  @Test
  void filesOfTotals_standBesideEachOther() {
    Map<String, String> files = new LinkedHashMap<>();
    Stream.of(RUNBOOK, Shell.ROOT.resolve("deploy/clients/README.md"))
        .flatMap(document -> TOTALS.matcher(Shell.read(document)).results())
        .forEach(block -> files.putIfAbsent(block.group(2), block.group(1)));
    files.put(
        "ratings",
        """
        {"ratings": {
          "of": "posts/{post}/ratings",
          "sum": "stars",
          "into": {"average": "rating", "count": "ratings"},
          "rules": {"kind": "own", "values": [1, 5]}}}""");
    Project all = Project.empty();
    files.forEach((name, file) -> deploy(name, file, all));

    assertThat(files).hasSizeGreaterThan(2);
    files.forEach(
        (name, file) -> assertThat(deploy(name, file, all)).doesNotContain("that change"));
  }

  private static String deploy(String name, String file, Project project) {
    project.put("totals.json", file);
    project.put("settings.env", "TOTALS=totals.json", "NAME=" + name);
    return project.exits(0, "deploy");
  }

  @Test
  void everyAlert_isInTheTable() throws Exception {
    try (Stream<Path> policies = Files.list(Shell.SCRIPTS.resolve("monitoring/policies"))) {
      assertThat(policies.map(Shell::read))
          .hasSize(6)
          .allSatisfy(
              policy ->
                  assertThat(ALERT.matcher(policy).results().map(alert -> alert.group(1)))
                      .hasSize(1)
                      .allMatch(Shell.read(RUNBOOK)::contains));
    }
  }

  @Test
  void killSwitchAndPausedJob_areSeenByStatusAndUndone() {
    runThoseWith("remove-iam-policy-binding");
    assertThat(project.changes()).hasSize(2);
    project.put(
        "jobs/tallyroll-run",
        "{\"name\": \"x/tallyroll-run\", \"description\": \"Tallyroll: tallyroll: x\", \"state\":\"PAUSED\"}");

    assertThat(project.exits(1, "status"))
        .contains("expected roles/run.invoker on tallyroll-roll-up", "found PAUSED");

    runThoseWith("jobs");
    project.exits(0, "deploy --yes");
  }

  private void runThoseWith(String word) {
    commands().stream().filter(words -> words.contains(word)).forEach(words -> run(project, words));
  }
}
