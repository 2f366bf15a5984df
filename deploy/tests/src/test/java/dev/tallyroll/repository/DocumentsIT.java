package dev.tallyroll.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Home;
import dev.tallyroll.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The documents' links have targets. The documents' commands know their options. A list names the
 * test that runs each command, or the reason why no test does. Two tables have all folders and
 * packages. The classes that documents name exist. README's entries are right.
 */
@Tag("core")
final class DocumentsIT {
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ (.+)$");
  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");

  /** A command in the text or in an example. It may continue in the next line. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "(?<![\\w./])(deploy/(?:local|gcloud)/[a-z-]++(?!\\.[a-z])|\\.ci/run)((?:[ \\n]+[^`|#;&]*)?)");

  /** A command that stands alone: a line of an example, or text in the font of code. */
  private static final Pattern WHOLE_COMMAND =
      Pattern.compile(
          "(?ms)^ *```sh$(.*?)^ *```$|`((?:deploy/(?:local|gcloud)/|mvn |gcloud |firebase )[^`]+)`");

  /** A row: the start of commands, and the test that runs them, or the reason why none does. */
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `([^`]+)` \\| (?:run by `(\\w+)`|not run: \\S).*\\|$");

  /** A row of the tables of folders and packages. */
  private static final Pattern PLACE = Pattern.compile("(?m)^\\| `([\\w./-]+)` \\| [^|]+ \\|$");

  /** An entry in the README's table of questions. */
  private static final Pattern ENTRY = Pattern.compile("(?m)^\\|.*\\| `(\"[a-z]+\": [{].*[}])`");

  /** A class in the font of code, perhaps with a member. */
  private static final Pattern CLASS =
      Pattern.compile("`([A-Z]\\w*[a-z]\\w*)(?:\\.[a-z]\\w*(?:\\(\\))?)?`");

  /** Words of other languages and libraries, and names of fields. */
  private static final Set<String> FOREIGN =
      Set.of(
          "AggregateQuery",
          "Cnt",
          "Count",
          "Create",
          "EmulatorDetection",
          "FakeTotals",
          "Listen",
          "NaN");

  private static final Pattern MAIN_FILE = Pattern.compile(".*/src/main/java/(.+)/\\w+\\.java");
  private static final Pattern OPTION = Pattern.compile("(?<!\\S)--[a-z][a-z-]*");

  private final Map<Path, String> help = new HashMap<>();

  @Test
  void links_leadSomewhere() throws Exception {
    List<String> broken = new ArrayList<>();
    int found = 0;
    for (Path document : documents()) {
      var links = LINK.matcher(withoutExamples(Files.readString(document))).results().toList();
      for (var link : links) {
        String target = link.group(1);
        if (!target.matches("https?:.*")) {
          found++;
          if (!leads(document, target)) {
            broken.add(Home.ROOT.relativize(document) + " -> " + target);
          }
        }
      }
    }

    assertThat(broken).isEmpty();
    assertThat(found).isGreaterThan(20);
  }

  private static boolean leads(Path document, String target) throws IOException {
    String[] parts = target.split("#", 2);
    Path file = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]).normalize();
    return file.startsWith(Home.ROOT)
        && Files.exists(file)
        && (parts.length == 1 || anchors(file).contains(parts[1]));
  }

  /** The anchors of the headings, as the site that shows the documents makes them. */
  private static Set<String> anchors(Path document) throws IOException {
    return HEADING
        .matcher(withoutExamples(Files.readString(document)))
        .results()
        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
        .map(heading -> heading.replaceAll("[^\\w -]", "").replace(' ', '-'))
        .collect(Collectors.toSet());
  }

  @Test
  void commands_takeTheirOptions() throws Exception {
    Set<String> wrong = new TreeSet<>();
    Set<String> options = new TreeSet<>();
    for (Path document : documents()) {
      var commands = COMMAND.matcher(Files.readString(document)).results().toList();
      for (var command : commands) {
        Path program = Home.ROOT.resolve(command.group(1));
        String name = Home.ROOT.relativize(document) + ": " + command.group(1);
        if (!Files.exists(program) && !program.endsWith("target")) {
          wrong.add(name);
        }
        if (!Files.isRegularFile(program) || !Files.isExecutable(program)) {
          continue;
        }
        for (var option : OPTION.matcher(command.group(2)).results().toList()) {
          options.add(command.group(1) + " " + option.group());
          if (!help.computeIfAbsent(program, DocumentsIT::help).contains(option.group())) {
            wrong.add(name + " " + option.group());
          }
        }
      }
    }

    assertThat(wrong).isEmpty();
    assertThat(options).hasSizeGreaterThan(10);
  }

  @Test
  void everyCommand_isRunByATestOrListedWithAReason() throws Exception {
    String list = Files.readString(Home.ROOT.resolve(".github/CONTRIBUTING.md"));
    List<MatchResult> rows = ROW.matcher(list).results().toList();
    Set<String> unlisted = new TreeSet<>();
    Set<String> used = new TreeSet<>();
    for (Path document : documents()) {
      for (String command : wholeCommands(Files.readString(document))) {
        var row = rows.stream().filter(match -> command.startsWith(match.group(1))).findFirst();
        row.ifPresentOrElse(match -> used.add(match.group(1)), () -> unlisted.add(command));
      }
    }

    assertThat(unlisted).isEmpty();
    assertThat(rows).extracting(row -> row.group(1)).containsExactlyInAnyOrderElementsOf(used);
    List<String> files = Home.trackedFiles().stream().map(Path::toString).toList();
    assertThat(rows)
        .extracting(row -> row.group(2))
        .filteredOn(Objects::nonNull)
        .allMatch(test -> files.stream().anyMatch(file -> file.endsWith("/" + test + ".java")));
  }

  /** By the published sizes: for Java 17, and for Java 21. */
  @Test
  void emulators_areAsLargeAsTheReadmeSays() throws Exception {
    List<Long> megabytes = new ArrayList<>();
    Path published = Home.ROOT.resolve("deploy/local/lib/emulators.published");
    for (String java : List.of("17", "21")) {
      long bytes =
          Files.readAllLines(published).stream()
              .map(line -> line.split(" "))
              .filter(words -> words[1].equals(java))
              .mapToLong(words -> Long.parseLong(words[2]))
              .sum();
      megabytes.add(Math.round(bytes / 1e6));
    }

    assertThat(Files.readString(Home.ROOT.resolve("README.md")))
        .contains(
            "%d MB with JDK 17 to 20, %d MB with later ones"
                .formatted(megabytes.get(0), megabytes.get(1)));
  }

  /** The questions' entries can be in one file together. */
  @Test
  void entriesOfTheReadme_areOneFile() throws Exception {
    List<String> entries =
        ENTRY
            .matcher(Files.readString(Home.ROOT.resolve("README.md")))
            .results()
            .map(row -> row.group(1))
            .toList();

    String file = "{%s}".formatted(String.join(", ", entries));
    assertThat(Settings.from(Map.of("TOTALS", file)::get).entries()).hasSize(7);
  }

  @Test
  void everyFolderAndPackage_isListed() throws Exception {
    String page = Files.readString(Home.ROOT.resolve(".github/CONTRIBUTING.md"));
    String[] tables = page.split("(?m)^(?=\\| (?:folder|package|command) \\|)", 4);
    Set<String> folders = new TreeSet<>();
    Set<String> packages = new TreeSet<>();
    for (Path file : Home.trackedFiles()) {
      String path = Home.ROOT.relativize(file).toString();
      for (Path folder = Path.of(path).getParent(); folder != null; folder = folder.getParent()) {
        folders.add(folder.toString());
      }
      MAIN_FILE
          .matcher(path)
          .results()
          .forEach(found -> packages.add(found.group(1).replace('/', '.')));
    }
    folders.removeIf(folder -> folder.matches(".*/.*/.*|(?:.*/)?src"));

    assertThat(places(tables[1])).containsExactlyInAnyOrderElementsOf(folders);
    assertThat(places(tables[2])).containsExactlyInAnyOrderElementsOf(packages);
  }

  @Test
  void classes_exist() throws Exception {
    List<Path> files = Home.trackedFiles();
    Set<String> known = new TreeSet<>(FOREIGN);
    files.forEach(file -> known.add(file.getFileName().toString().replaceAll("[.]java$", "")));
    Set<String> named = new TreeSet<>();
    for (Path file : files) {
      if (file.toString().matches(".*/(README|CONTRIBUTING)[.]md")) {
        CLASS.matcher(Files.readString(file)).results().forEach(word -> named.add(word.group(1)));
      }
    }

    assertThat(named).hasSizeGreaterThan(50).containsAll(FOREIGN);
    assertThat(known).containsAll(named);
  }

  private static List<String> places(String table) {
    return PLACE.matcher(table).results().map(row -> row.group(1)).toList();
  }

  /** The commands that stand alone, without paths of files that cannot be run. */
  private static Set<String> wholeCommands(String document) {
    Set<String> commands = new TreeSet<>();
    for (var found : WHOLE_COMMAND.matcher(document).results().toList()) {
      String text = Objects.requireNonNullElse(found.group(1), "");
      if (found.group(2) != null) {
        text = found.group(2).replaceAll("\\s+", " ");
      }
      text.replaceAll("(?<= ) *#.*", "").lines().map(String::strip).forEach(commands::add);
    }
    commands.removeIf(
        line -> {
          Path file = Home.ROOT.resolve(line.split("[ (]", 2)[0]);
          boolean isOfScripts = line.startsWith("deploy/");
          return line.isEmpty()
              || (isOfScripts && !(Files.isRegularFile(file) && Files.isExecutable(file)));
        });
    return commands;
  }

  private static String help(Path program) {
    return Home.run(Home.ROOT, Map.of(), program.toString(), "--help");
  }

  private static List<Path> documents() {
    return Home.trackedFiles().stream().filter(file -> file.toString().endsWith(".md")).toList();
  }

  private static String withoutExamples(String document) {
    return FENCED.matcher(document).replaceAll("");
  }
}
