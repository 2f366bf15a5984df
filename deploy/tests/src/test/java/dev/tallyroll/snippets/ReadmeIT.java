package dev.tallyroll.snippets;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.common.collect.Iterables;
import dev.tallyroll.Counters;
import dev.tallyroll.Home;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.it.TestCloud;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Runs the examples of the README, of the recipes, and of the Javadoc of sharded timestamps,
 * unchanged. Java becomes a program that depends only on the library, on the emulator with the real
 * functions. {@code UpIT} runs the README's JavaScript.
 */
@On(Site.SHARED)
public final class ReadmeIT {
  private static final String FIRESTORE =
      """
      import com.google.cloud.firestore.FirestoreOptions;
      var firestore = FirestoreOptions.getDefaultInstance().getService();
      """;

  private final TestCloud cloud;
  private final String id = UUID.randomUUID().toString();
  private final Counters counters;

  ReadmeIT(TestCloud cloud) {
    this.cloud = cloud;
    this.counters = FirestoreCounters.of(cloud.firestore());
  }

  @Test
  void java_runsWithTheLibraryAlone() throws Exception {
    var old = List.of("clicks-2026-03-30T07", "clicks-2026-03-31T23");
    var others = List.of("all", "banners-2026-03-31T23", "clicks-2026-04-01T00", "zebras");
    var site = counters.below("sites/" + id);
    for (var each : Iterables.concat(old, others)) {
      site.counter(each).create(1).get();
    }
    await("all totals")
        .until(() -> site.list("", "", 100).get().size() == old.size() + others.size());

    run("shared", Map.of("Readme", readme(), "Recipe", recipe()));

    assertThat(counters.counter(id).exactTotal().get().longValue())
        .as("an increment, a named one, one in a batch, and a buffered one")
        .isEqualTo(4);
    assertThat(cloud.firestore().collection("sites/" + id + "/counters").get().get())
        .extracting(DocumentSnapshot::getId)
        .as("no other hours have gone")
        .containsExactlyInAnyOrder(
            "all",
            "banners-2026-03-31T23",
            "clicks-2026-04-01T00",
            "clicks-2026-05-01T13",
            "zebras");
  }

  /**
   * Its README's two programs, one after the other, on 200 documents of which half have no shard.
   */
  @Test
  void timestamps_runWithTheirJarAlone() throws Exception {
    var prices = cloud.firestore().collection(id);
    var batch = cloud.firestore().batch();
    for (int i = 0; i < 200; i++) {
      var time = Timestamp.ofTimeSecondsAndNanos(1_000L + i, 0);
      Map<String, Object> price = new HashMap<>(Map.of("type", "bond", "timestamp", time));
      if (i % 2 == 0) {
        price.put("shard", i % 3);
      }
      batch.set(prices.document("p%03d".formatted(i)), price);
    }
    batch.commit().get();

    var folder = Files.createDirectories(Path.of("target", "shared/timestamps"));
    var own = Files.writeString(folder.resolve("firestore.indexes.json"), "{}");
    run("shared/timestamps", Map.of("Guide", guide(), "Example", javadoc()));

    assertThat(own).as("the file of an app's indexes").hasContent("{}");
    assertThat(folder.resolve("timestamps.indexes.json")).content().contains("fieldOverrides");

    assertThat(prices.get().get()).hasSize(201).allMatch(price -> price.contains("shard"));
  }

  /** The test that the library's page prints, with the jars of its XML, and with them alone. */
  @Test
  void testWithTheFake_passesWithItsJars() throws Exception {
    var page = Files.readString(Home.ROOT.resolve("shared/README.md"));
    var test = snippets("shared/README.md", "java").get(1);
    var method = Pattern.compile("void (\\w+)\\(").matcher(test);
    assertThat(method.find()).isTrue();
    var junit =
        Pattern.compile(Pattern.quote(File.pathSeparator))
            .splitAsStream(System.getProperty("java.class.path"))
            .filter(
                jar ->
                    jar.matches(".*/(junit-jupiter-api|junit-platform|opentest4j|apiguardian).*"))
            .toList();
    assertThat(page)
        .contains("<artifactId>tallyroll-fake</artifactId>")
        .contains("<version>" + junitVersion(junit) + "</version>\n  <scope>test</scope>");
    var folder = Files.createDirectories(Path.of("target", "shared-fake").toAbsolutePath());
    Files.writeString(folder.resolve("LikesTest.java"), test);
    var main = "new LikesTest().%s();\nSystem.exit(0);\n".formatted(method.group(1));
    write(folder, "Run", "", main);
    var classPath = new ArrayList<>(List.of(jar("shared/fake").toString(), library("shared")));
    classPath.addAll(junit);
    classPath.add(folder.toString());
    var environment = Map.of("CLASSPATH", String.join(File.pathSeparator, classPath));

    Home.run(folder, environment, Home.jdk("javac"), "-proc:none", "LikesTest.java", "Run.java");
    Home.run(folder, environment, Home.jdk("java"), "Run");
  }

  private static String junitVersion(List<String> jars) {
    return jars.stream()
        .filter(jar -> jar.contains("junit-jupiter-api"))
        .map(jar -> jar.replaceFirst(".*junit-jupiter-api-(.*)[.]jar", "$1"))
        .findFirst()
        .orElseThrow();
  }

  private String guide() throws Exception {
    var snippets = snippets("shared/timestamps/README.md", "java");
    assertThat(snippets).hasSize(2);
    var first = snippets.get(0).replace("\"prices\"", '"' + id + '"');
    return first
        + "if (page.documents().size() != 50) throw new AssertionError(page.documents().size());\n"
        + snippets.get(1)
        + "int all = newest.page(1_000).get().documents().size();\n"
        + "if (all < 201) throw new AssertionError(all);\n";
  }

  private String readme() throws Exception {
    var snippets = snippets("shared/README.md", "java");
    assertThat(snippets).hasSize(2);
    return "String userId = \"u\";\n"
        + snippets.get(0).replace("\"likes\"", '"' + id + '"')
        + "if (sure < 1) throw new AssertionError(sure);\n";
  }

  /** With a page of one, the old hours are on several pages. */
  private String recipe() throws Exception {
    return "import dev.tallyroll.*;\nimport dev.tallyroll.firestore.*;\nimport java.util.List;\n"
        + FIRESTORE
        + "Counters counters = FirestoreCounters.of(firestore);\n"
        + snippets("deploy/clients/README.md", "java")
            .get(0)
            .replace("\"sites/s\"", "\"sites/" + id + '"')
            .replace("1_000", "1");
  }

  private String javadoc() throws Exception {
    var file = "shared/timestamps/src/main/java/dev/tallyroll/timestamps/package-info.java";
    var text = Files.readString(Home.ROOT.resolve(file));
    int start = text.indexOf("{@code\n") + "{@code\n".length();
    var example = text.substring(start, text.indexOf(" * }</pre>")).replaceAll("(?m)^ \\* ?", "");
    return FIRESTORE
        + example.replace("\"prices\"", "\"example-" + id + '"')
        + """
        var found = page.documents();
        if (found.size() != 1 || !shard.equals(found.get(0).get("shard")))
          throw new AssertionError(found);
        if (!indexes.contains("\\"type\\"")) throw new AssertionError(indexes);
        """;
  }

  /** Runs the examples one after another in one JVM, whose first calls take most of its time. */
  private void run(String module, Map<String, String> examples) throws Exception {
    var folder = Files.createDirectories(Path.of("target", module).toAbsolutePath());
    List<String> compile = new ArrayList<>(List.of(Home.jdk("javac"), "-proc:none"));
    var all = new StringBuilder();
    for (var example : examples.entrySet()) {
      var name = example.getKey();
      write(folder, name, lines(example.getValue(), true), lines(example.getValue(), false));
      compile.add(name + ".java");
      all.append(name).append(".main(arguments);\n");
    }
    write(folder, "All", "", all + "System.exit(0);\n");
    compile.add("All.java");
    Map<String, String> environment = new HashMap<>(cloud.local().addresses());
    environment.put("CLASSPATH", library(module) + File.pathSeparator + folder);

    Home.run(folder, environment, compile.toArray(new String[0]));
    Home.run(folder, environment, Home.jdk("java"), "-XX:TieredStopAtLevel=1", "All");
  }

  private static void write(Path folder, String name, String imports, String code)
      throws IOException {
    var main = "  public static void main(String[] arguments) throws Exception {\n";
    Files.writeString(
        folder.resolve(name + ".java"),
        imports + "class " + name + " {\n" + main + code + "  }\n}\n");
  }

  private static String lines(String code, boolean imports) {
    return code.lines()
        .filter(line -> line.startsWith("import ") == imports)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  /** The class path of a library as its users get it: its jar and its dependencies. */
  private static String library(String module) throws Exception {
    var others = Home.ROOT.resolve(module).resolve("target/runtime.classpath");
    return jar(module) + File.pathSeparator + Files.readString(others).strip();
  }

  private static Path jar(String module) throws Exception {
    return Home.list(Home.ROOT.resolve(module).resolve("target")).stream()
        .filter(file -> file.toString().matches(".*/tallyroll-[^/]*(?<!-sources|-javadoc)\\.jar"))
        .findFirst()
        .orElseThrow();
  }

  /** A document's examples in this language. */
  public static List<String> snippets(String document, String language) throws Exception {
    return Pattern.compile("(?ms)^```" + language + "$(.*?)^```$")
        .matcher(Files.readString(Home.ROOT.resolve(document)))
        .results()
        .map(found -> found.group(1))
        .toList();
  }
}
