package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.Emulator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * A project p behind a stand-in for gcloud and curl: src/test/resources/stand-in. Its database is
 * that of an emulator, and empty.
 */
final class Project {
  private static final Path STAND_IN = Shell.SCRIPTS.resolve("src/test/resources/stand-in");
  private static final String FOLDERS =
      "bin indexes accounts topics subscriptions triggers functions jobs metrics policies channels dashboards images"
          + " sources";
  private static final String BUILT = "(images|sources)/.*";
  private static final String FILES = "account fields ttls bindings exclusions settings.env";

  /** One for all tests. It ends with this JVM. */
  private static final Emulator EMULATOR = Emulator.start(line -> {});

  /** The files of those to which deploy has run, by their settings. */
  private static final Map<List<String>, Map<String, String>> DEPLOYED = new ConcurrentHashMap<>();

  final Path folder = Shell.newFolder();

  /** Host and port of its database. */
  String emulator = EMULATOR.address();

  private final Path settings = folder.resolve("settings.env");

  /** One to which nobody is signed in. */
  Project(String... settings) {
    try {
      for (String name : FOLDERS.split(" ", -1)) {
        Files.createDirectory(folder.resolve(name));
      }
      for (String name : List.of("gcloud", "curl", "sleep", "mvn")) {
        Files.createSymbolicLink(folder.resolve("bin").resolve(name), STAND_IN);
      }
      Files.createSymbolicLink(
          folder.resolve("own.jar"),
          Shell.ROOT.resolve(
              "functions/fold/target/function/tallyroll-fold.jar")); // it has both handlers
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Stream.of(FILES.split(" ", -1)).forEach(this::put);
    settings(settings);
  }

  /** One with a database, to which somebody is signed in. */
  static Project empty(String... settings) {
    Project project = new Project(settings);
    project.put("account", "me@x.org");
    project.put(
        "database",
        "{\"locationId\": \"us-central1\", \"type\": \"FIRESTORE_NATIVE\", \"databaseEdition\": \"STANDARD\"}");
    return project;
  }

  /** One to which deploy has run. */
  static Project deployed(String... settings) {
    Project copy = new Project();
    DEPLOYED
        .computeIfAbsent(
            List.of(settings),
            key -> {
              Project made = empty(settings);
              made.exits(0, "deploy");
              return made.files();
            })
        .forEach(copy::put);
    copy.remove("calls", "changes");
    return copy;
  }

  /** Writes files: FILE LINE, a backslash and n between lines, && between files. */
  void given(String files) {
    for (String file : files.split(" && ", -1)) {
      String[] nameAndText = file.split(" ", 2);
      put(nameAndText[0], nameAndText[1].split("\\\\n", -1));
    }
  }

  /** Writes a file of the project's, a line each. */
  void put(String file, String... lines) {
    try {
      Files.write(folder.resolve(file), List.of(lines));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes the settings, and the file of totals if a line is a key of an entry. */
  void settings(String... lines) {
    List<String> settings = new ArrayList<>(Totals.others(List.of(lines)).toList());
    remove("totals.json");
    Totals.text(List.of(lines))
        .ifPresent(
            text -> {
              put("totals.json", text);
              settings.add("TOTALS=totals.json");
            });
    put("settings.env", settings.toArray(String[]::new));
  }

  void remove(String... files) {
    Stream.of(files).forEach(file -> folder.resolve(file).toFile().delete());
  }

  /** The lines of a file; none if there is no such file. */
  List<String> lines(String file) {
    return files().getOrDefault(file, "").lines().toList();
  }

  /** All calls, each with its words. */
  List<List<String>> calls() {
    return Stream.of(String.join("\n", lines("calls")).split("\n(?=(?:gcloud|curl|sleep)\t)", -1))
        .map(line -> List.of(line.split("\t", -1)))
        .toList();
  }

  long sleeps() {
    return lines("calls").stream().filter(call -> call.startsWith("sleep\t")).count();
  }

  /** The commands that have changed something, but for those that enable APIs. */
  List<String> changes() {
    return lines("changes");
  }

  /**
   * All things of the project, by their files' names, but for what the platform builds. Policies
   * are sets of bindings.
   */
  Map<String, String> things() {
    Map<String, String> things = files();
    things.keySet().removeIf(file -> file.matches("calls|changes|stop|fail.*|pend.*|" + BUILT));
    things.replaceAll((file, text) -> String.join("\n", new TreeSet<>(text.lines().toList())));
    return things;
  }

  /** The images and sources of functions, which the platform keeps when they are deleted. */
  Set<String> built() {
    Set<String> built = new TreeSet<>(files().keySet());
    built.removeIf(file -> !file.matches(BUILT));
    return built;
  }

  private Map<String, String> files() {
    try (Stream<Path> all = Files.walk(folder)) {
      Map<String, String> files = new TreeMap<>();
      all.filter(file -> Files.isRegularFile(file) && !Files.isSymbolicLink(file))
          .forEach(file -> files.put(folder.relativize(file).toString(), Shell.read(file).strip()));
      files.values().removeIf(String::isEmpty);
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs a command of ours, with the options that it lacks. */
  Shell.Result run(String line) {
    List<String> words = new ArrayList<>(List.of(line.split(" ", -1)));
    words.set(0, Shell.SCRIPTS.resolve(words.get(0)).toString());
    if (!line.contains("--project")) {
      words.addAll(List.of("--settings=" + settings, "--project=p", "--region", "us-central1"));
    }
    if (line.matches("deploy.*") && !line.contains("--artifact")) {
      words.add("--artifact=" + folder.resolve("own.jar"));
    }
    return shell(words);
  }

  /** Runs a program in front of the stand-ins. */
  Shell.Result shell(List<String> words) {
    String path = folder + "/bin:" + System.getenv("PATH");
    return Shell.run(
        Map.of(
            "PATH", path,
            "CLOUD", folder.toString(),
            "FIRESTORE_EMULATOR_HOST", emulator),
        folder,
        words);
  }

  /** Runs a command of ours, which ends with that code; returns what it said. */
  String exits(int code, String line) {
    Shell.Result result = run(line);
    assertThat(result.code()).as(line + "\n" + result.text()).isEqualTo(code);
    return result.text();
  }
}
