package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A project p behind a stand-in for gcloud and curl: src/test/resources/stand-in. */
final class Project {
  private static final Path STAND_IN = Shell.SCRIPTS.resolve("src/test/resources/stand-in");
  private static final String FOLDERS =
      "bin accounts topics subscriptions functions jobs metrics policies channels dashboards";
  private static final String FILES = "apis fields ttls bindings neighbours exclusions";

  static final String[] APIS =
      Stream.of(
              "artifactregistry cloudbuild cloudfunctions cloudresourcemanager cloudscheduler",
              "eventarc firestore iam logging monitoring pubsub run")
          .flatMap(line -> Stream.of(line.split(" ", -1)))
          .map(api -> api + ".googleapis.com")
          .toArray(String[]::new);

  final Path folder = Shell.newFolder();
  final Path settings = folder.resolve("settings.env");
  private final Path jar = folder.resolve("own.jar");

  /** A project with a database, to which somebody is signed in. */
  static Project empty() {
    Project project = new Project();
    project.put("account", "me@x.org");
    project.put("database", "us-central1|FIRESTORE_NATIVE|STANDARD");
    return project;
  }

  /** One to which deploy has run. */
  static Project deployed(String... settings) {
    Project project = empty();
    project.settings(settings);
    project.exits(0, "deploy");
    project.forgetCalls();
    return project;
  }

  Project() {
    try {
      for (String name : FOLDERS.split(" ", -1)) {
        Files.createDirectory(folder.resolve(name));
      }
      for (String name : List.of("gcloud", "curl", "sleep", "mvn")) {
        Files.createSymbolicLink(folder.resolve("bin").resolve(name), STAND_IN);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Stream.of(FILES.split(" ", -1)).forEach(name -> put(name));
    put("account");
    put("own.jar", "jar");
    settings();
  }

  /** Writes a file of the project's, a line each. */
  void put(String file, String... lines) {
    try {
      Files.write(folder.resolve(file), List.of(lines));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void remove(String file) {
    try {
      Files.deleteIfExists(folder.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void settings(String... lines) {
    put("settings.env", lines);
  }

  /** Commands like PATTERN fail with a text, so often. */
  void fails(String pattern, int times, String text) {
    put("fails", pattern + "|" + times + "|" + text);
  }

  /** The lines of a file; none if there is no such file. */
  List<String> lines(String file) {
    Path path = folder.resolve(file);
    return Files.exists(path) ? Shell.read(path).lines().toList() : List.of();
  }

  /** All calls, each with its words. */
  List<List<String>> calls() {
    List<List<String>> calls = new ArrayList<>();
    String all = String.join("\n", lines("calls"));
    for (String line : all.split("\n(?=(?:gcloud|curl|mvn|sleep)\t)", -1)) {
      calls.add(List.of(line.split("\t", -1)));
    }
    return calls;
  }

  /** The commands that have changed something. */
  List<String> changes() {
    return lines("changes");
  }

  void forgetCalls() {
    remove("calls");
    remove("changes");
  }

  /** All things of the project, by their files' names. */
  Map<String, String> things() {
    try (Stream<Path> files = Files.walk(folder)) {
      Map<String, String> things = new TreeMap<>();
      files
          .filter(Files::isRegularFile)
          .filter(
              file -> !file.getFileName().toString().matches("calls|changes|stop|fails|failed-.*"))
          .forEach(file -> things.put(folder.relativize(file).toString(), sorted(file)));
      return things;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Policies are sets of bindings. */
  private static String sorted(Path file) {
    return String.join("\n", new TreeSet<>(Shell.read(file).lines().toList()));
  }

  Shell.Result run(String line) {
    List<String> words = new ArrayList<>(List.of(line.split(" ", -1)));
    String command = words.get(0);
    words.set(0, Shell.SCRIPTS.resolve(command).toString());
    if (!line.contains("--settings")) {
      words.addAll(1, List.of("--settings", settings.toString()));
    }
    if (!line.contains("--project")) {
      words.addAll(List.of("--project=p", "--region", "us-central1"));
    }
    if (command.equals("deploy") && !line.contains("--artifact")) {
      words.add("--artifact=" + jar);
    }
    return shell(words);
  }

  /** Runs a program in front of the stand-ins. */
  Shell.Result shell(List<String> words) {
    Map<String, String> environment =
        Map.of(
            "PATH", folder.resolve("bin") + ":" + System.getenv("PATH"),
            "CLOUD", folder.toString(),
            "HOME_OF_JAR", folder.resolve("built").toString());
    return Shell.run(environment, folder, words);
  }

  /** Runs a command of ours, which ends with that code; returns what it said. */
  String exits(int code, String line) {
    Shell.Result result = run(line);
    assertThat(result.code()).as(line + "\n" + result.text()).isEqualTo(code);
    return result.text();
  }
}
