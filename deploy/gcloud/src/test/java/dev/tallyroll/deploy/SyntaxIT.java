package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Neither gcloud nor shellcheck has an objection to the scripts. */
class SyntaxIT {

  private static final String SHELLCHECK =
      """
      shellcheck --external-sources --source-path=../.. canary deploy destroy remove-totals rules status lib \
      src/test/resources/read-by-gcloud src/test/resources/stand-in \
      ../local/bench ../local/lib/command \
      ../local/check ../local/lib/emulators ../local/up ../../.ci/run""";

  private static final List<List<String>> CALLS = calls();

  private static final Path RESOURCES = Shell.SCRIPTS.resolve("src/test/resources");

  private final Path folder = Shell.newFolder();

  /** Between them, the runs make every kind of change, and ask every question. */
  private static List<List<String>> calls() {
    Project project = Project.empty("counters.index=false", "BILLING=instance", "ROLLUP_CPU=1");
    project.exits(0, "deploy --monitoring=me@x.org");
    project.settings();
    project.exits(0, "deploy --yes --monitoring=you@x.org");
    project.exits(0, "destroy --yes --indexes");
    Project fold = Project.empty("FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}");
    fold.exits(0, "deploy");
    Project changed = Project.deployed("counters.index=false");
    String right =
        "serviceAccount:tallyroll-roll-up@p.iam.gserviceaccount.com|roles/datastore.user";
    changed.put(
        "bindings",
        (String.join("\n", changed.lines("bindings"))
                + "\n%1$s\n%1$s|tallyroll|resource.name==\"projects/p/databases/second\"")
            .formatted(right)
            .split("\n", -1));
    changed.settings("counters.events=false", "counters.sum=Cnt", "counters.rollups=sums");
    changed.exits(0, "deploy --yes");
    Project several = Project.deployed("counters.of=counters/{counter}/shards", "a.of=a/{b}/c");
    several.settings("counters.of=counters/{counter}/shards", "d.of=d/{b}/c");
    several.exits(0, "deploy --yes");
    several.exits(0, "destroy --yes");
    Project indexed = Project.deployed("counters.index=false");
    indexed.given("fields shards|count|0\\n__default__|*|0");
    indexed.settings();
    indexed.exits(0, "deploy --yes");
    Project composite = Project.empty("a.of=a/{b}/c", "a.where={'d':true,'e':'f'}");
    composite.exits(0, "deploy --yes");
    composite.exits(0, "destroy --yes --indexes");
    return Stream.of(project, fold, changed, several, indexed, composite, CanaryIT.PROJECT)
        .flatMap(each -> each.calls().stream())
        .toList();
  }

  @Test
  void scripts_passShellcheck() {
    needs("shellcheck");

    Shell.Result result = Shell.run(Map.of(), Shell.SCRIPTS, List.of(SHELLCHECK.split(" ", -1)));

    assertThat(result).isEqualTo(new Shell.Result(0, ""));
  }

  /**
   * gcloud's own code understands each command, formats an answer of an API's as the stand-in does,
   * and knows each field of the monitoring files. Nobody is signed in: nothing is run.
   */
  @Test
  void commandsFormatsAndFiles_areUnderstood() throws Exception {
    needs("gcloud");
    Path formats = RESOURCES.resolve("formats");
    String known = Shell.read(formats);
    assertThat(CALLS)
        .flatMap(call -> call)
        .filteredOn(word -> word.startsWith("--format=") && !word.matches(".*=(none|json)"))
        .hasSizeGreaterThan(20)
        .allMatch(word -> known.contains(word.substring("--format=".length()) + "\t"));
    Path files = Shell.SCRIPTS.resolve("monitoring");
    // The files of a run are gone by now.
    String file = "$1=" + files.resolve("dashboard.json");
    Path environment = folder.resolve("environment.yaml");
    Files.writeString(environment, "{\"TOTALS\":\"{\\\"a\\\":{}}\",\"WORKERS\":\"2\"}\n");
    String variables = "--env-vars-file=" + environment;
    Set<String> commands =
        Stream.of(CALLS, RunbookIT.commands())
            .flatMap(List::stream)
            .filter(words -> words.get(0).equals("gcloud"))
            .filter(words -> !words.get(1).matches("auth|version")) // these need no account
            .map(words -> String.join("\t", words).replaceAll("(-from-file)=[^\t]*", file))
            .map(line -> line.replaceAll("--env-vars-file=[^\t]*", variables))
            .collect(Collectors.toCollection(LinkedHashSet::new));
    assertThat(commands).hasSizeGreaterThan(100);
    // A command and a file that are not, to see that it is noticed.
    commands.add("gcloud\tpubsub\ttopics\tlist\t--x");
    Path wrong = Files.createDirectories(folder.resolve("wrong/policies")).resolve("x.json");
    Files.writeString(wrong, "{\"conditions\": [{\"filters\": 1}]}");

    Path lines = Files.write(folder.resolve("commands"), commands);
    Shell.Result read =
        Shell.run(
            nobody(),
            folder,
            Stream.of(
                    RESOURCES.resolve("read-by-gcloud"),
                    lines,
                    formats,
                    files,
                    folder.resolve("wrong"))
                .map(Path::toString)
                .toList());

    assertThat(read.code()).as(read.text()).isZero();
    // A slow command shows its progress by dots.
    assertThat(read.text().lines().filter(line -> !line.matches("[.\\s]*")))
        .hasSize(commands.size() + 1)
        .filteredOn(line -> !line.endsWith("You do not currently have an active account selected."))
        .containsExactly(
            "gcloud pubsub topics list --x: (gcloud.pubsub.topics.list) unrecognized arguments:"
                + " --x",
            "policies/x.json.conditions.filters");
  }

  /** The script itself, in front of the real gcloud, to which nobody is signed in. */
  @Test
  void realGcloud_isUnderstood() {
    needs("gcloud");
    List<String> status =
        List.of(Shell.SCRIPTS.resolve("status").toString(), "--project=p", "--region=us-central1");

    Shell.Result result = Shell.run(nobody(), folder, status);

    assertThat(result.text()).contains("found none: gcloud auth login");
    assertThat(result.code()).isEqualTo(2);
  }

  private Map<String, String> nobody() {
    return Map.of("CLOUDSDK_CONFIG", folder.resolve("config").toString());
  }

  private void needs(String program) {
    List<String> look = List.of("/bin/sh", "-c", "command -v " + program);
    assumeTrue(Shell.run(Map.of(), folder, look).code() == 0, program + " is not installed");
  }
}
