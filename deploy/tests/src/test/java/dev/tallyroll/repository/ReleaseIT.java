package dev.tallyroll.repository;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.tallyroll.Home;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** The release has the files that the documents name. */
@Tag("core")
final class ReleaseIT {
  static final String VERSION =
      first("pom.xml", "<artifactId>tallyroll</artifactId>\\s*<version>([^<]+)</version>");

  /** The newest version in the changes; a heading for unreleased changes may precede it. */
  private static final String NEWEST = "(?m)^## (?!Unreleased$)(\\S+)";

  @Test
  void documents_nameThePomsVersion() {
    assertThat(VERSION).doesNotContain("SNAPSHOT");
    assertThat(first("shared/README.md", "dev\\.tallyroll:tallyroll-shared:([^`]+)`"))
        .isEqualTo(VERSION);
    assertThat(first("shared/README.md", "dev\\.tallyroll:tallyroll-bom:([^`]+)`"))
        .isEqualTo(VERSION);
    assertThat(first("README.md", "!\\[(\\S+): no real project")).isEqualTo(VERSION);
    assertThat(first(".github/CHANGELOG.md", NEWEST)).isEqualTo(VERSION);
    assertThat(first("deploy/clients/npm/package.json", "\"version\": \"(.+)\""))
        .isEqualTo(VERSION);
  }

  /** Maven Central takes all or nothing, and says what it misses only after the tag is pushed. */
  @Test
  void publishedPoms_haveWhatCentralAsksFor() {
    List<String> published =
        all(text("pom.xml"), "<module>(.+)</module>").stream()
            .filter(module -> !text(module + "/pom.xml").contains("<maven.deploy.skip>true</"))
            .toList();

    assertThat(published)
        .containsExactly("shared", "shared/fake", "shared/timestamps", "shared/bom");
    assertThat(text(".github/workflows/verify.yml"))
        .contains("-Prelease -pl " + String.join(",", published) + " -am ");
    for (String module : published) {
      assertThat(text(module + "/pom.xml")).contains("\n  <name>", "\n  <description>");
    }
    assertThat(all(text("shared/bom/pom.xml"), "<artifactId>(tallyroll-.+)</artifactId>"))
        .containsExactly(
            "tallyroll-bom", "tallyroll-shared", "tallyroll-fake", "tallyroll-timestamps");
    assertThat(text("pom.xml"))
        .contains("\n  <name>", "\n  <description>", "\n  <url>", "\n  <licenses>")
        .contains("\n  <developers>", "\n  <scm ")
        .contains("<maven.deploy.skip>false</");
  }

  /** Java starts with no two modules that share a package. */
  @Test
  void jars_areModulesThatShareNoPackage() {
    Path[] jars =
        Stream.of(
                "shared/target/tallyroll-shared-%s.jar",
                "shared/fake/target/tallyroll-fake-%s.jar",
                "shared/timestamps/target/tallyroll-timestamps-%s.jar",
                "functions/target/tallyroll.jar",
                "functions/fold/target/tallyroll-fold.jar",
                "deploy/local/target/tallyroll-local-%s.jar")
            .map(jar -> Home.ROOT.resolve(jar.formatted(VERSION)))
            .toArray(Path[]::new);
    List<ModuleDescriptor> modules =
        ModuleFinder.of(jars).findAll().stream().map(ModuleReference::descriptor).toList();

    assertThat(modules)
        .extracting(ModuleDescriptor::name)
        .containsExactlyInAnyOrder(
            "dev.tallyroll",
            "dev.tallyroll.fake",
            "dev.tallyroll.timestamps",
            "dev.tallyroll.functions",
            "dev.tallyroll.fold",
            "dev.tallyroll.local");
    assertThat(modules).allSatisfy(module -> assertThat(module.packages()).contains(module.name()));
    assertThat(modules.stream().flatMap(module -> module.packages().stream()))
        .doesNotHaveDuplicates();
  }

  /** npm refuses a package that names another repository than the one that publishes it. */
  @Test
  void npmPackage_namesThePlaceOfTheSources() {
    String folder = "deploy/clients/npm";
    String place = "https://" + first("pom.xml", "<repository>([^<]+)</repository>");
    JsonObject npm = new Gson().fromJson(text(folder + "/package.json"), JsonObject.class);

    assertThat(npm.get("repository"))
        .hasToString(
            "{\"type\":\"git\",\"url\":\"git+%s.git\",\"directory\":\"%s\"}"
                .formatted(place, folder));
    assertThat(npm.get("homepage").getAsString()).isEqualTo(place + "/tree/HEAD/" + folder);
    assertThat(npm.get("bugs").getAsString()).isEqualTo(place + "/issues");
    assertThat(npm.getAsJsonArray("keywords")).isNotEmpty();
  }

  /** GitHub finds mistakes in a workflow only when it runs it, which is too late. */
  @Test
  void workflow_namesWhatIsThere() {
    String text = text(".github/workflows/verify.yml");
    JsonObject workflow = new Gson().toJsonTree(new Yaml().<Object>load(text)).getAsJsonObject();
    JsonObject jobs = workflow.getAsJsonObject("jobs");

    assertThat(workflow.get("permissions")).hasToString("{\"contents\":\"read\"}");
    assertThat(jobs.keySet()).containsExactly("verify", "release", "central", "npm");
    assertThat(all(text, "java: (\\[.*])")).containsExactly("['17', '25']");
    assertThat(jobs.getAsJsonObject("npm").get("permissions"))
        .hasToString("{\"contents\":\"read\",\"id-token\":\"write\"}");
    assertThat(jobs.getAsJsonObject("release").get("permissions"))
        .hasToString("{\"attestations\":\"write\",\"contents\":\"write\",\"id-token\":\"write\"}");
    for (String job : List.of("central", "npm")) {
      assertThat(jobs.getAsJsonObject(job).get("environment").getAsString()).isEqualTo("release");
      assertThat(jobs.getAsJsonObject(job).get("needs").getAsString()).isEqualTo("release");
    }
    assertThat(jobs.get("npm")).asString().contains("\"node-version\":\"24\"");
    assertThat(text).as("npm's trusted publisher").doesNotContainIgnoringCase("npm_token");
    for (String name : List.of("verify", "release")) {
      assertThat(jobs.get(name)).as(name).asString().doesNotContain("secrets.");
    }
    for (String name : jobs.keySet()) {
      for (JsonElement one : jobs.getAsJsonObject(name).getAsJsonArray("steps")) {
        JsonObject step = one.getAsJsonObject();
        if (step.has("uses")) {
          assertThat(step.get("uses").getAsString()).matches("[a-z-]+/[a-z-]+@[0-9a-f]{40}");
        } else {
          checkScript(step.get("run").getAsString());
        }
      }
    }
  }

  /**
   * Checks that the shell can read a script and knows its commands, but for two of the runner's.
   */
  private static void checkScript(String script) {
    Home.run(Home.ROOT, Map.of(), "bash", "-n", "-c", script);
    String lines = script.replace("\\\n", "");
    for (String command : all(lines, "(?m)^ *([a-z.][a-z0-9./-]*)(?= |$)")) {
      if (!command.matches("gh|npm")) {
        Home.run(Home.ROOT, Map.of(), "bash", "-c", "type " + command);
      }
    }
    for (String file : all(lines, "((?:[.\\w]+/)+\\w+\\.(?:md|jar))")) {
      assertThat(Home.ROOT.resolve(file)).exists();
    }
  }

  @Test
  void firebaseJson_namesFilesBesideIt() {
    String folder = "deploy/firestore/";
    List<String> files = all(text(folder + "firebase.json"), "\"(?:rules|indexes)\": \"([^\"]+)\"");

    assertThat(files).hasSize(2);
    assertThat(files).allSatisfy(file -> assertThat(Home.ROOT.resolve(folder + file)).exists());
  }

  private static String first(String file, String pattern) {
    List<String> found = all(text(file), pattern);
    assertThat(found).as("%s: %s", file, pattern).isNotEmpty();
    return found.get(0);
  }

  private static List<String> all(String text, String pattern) {
    return Pattern.compile(pattern).matcher(text).results().map(found -> found.group(1)).toList();
  }

  private static String text(String file) {
    try {
      return Files.readString(Home.ROOT.resolve(file));
    } catch (IOException missing) {
      throw new UncheckedIOException(missing);
    }
  }
}
