package dev.tallyroll.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counters;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.local.LocalCloud;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * What the README shows, as it stands there: Java as a project whose only dependency is the
 * library, JavaScript with the Web SDK; both on the emulator with the real functions.
 */
@On(Site.SHARED)
final class ReadmeIT {
  private static final Path HOME = Workspace.CLIENTS.resolve("../..").normalize();

  @Test
  void java_runsWithTheLibraryAlone(LocalCloud cloud) throws Exception {
    assertThat(snippets("java")).hasSize(2);
    String counter = id();
    String counting = snippets("java").get(0).replace("\"likes\"", '"' + counter + '"');
    String listing = snippets("java").get(1).replace("\"prices\"", '"' + id() + '"');
    Path folder = Files.createDirectories(Path.of("target", "readme").toAbsolutePath());
    String program =
        imports(counting)
            + imports(listing)
            + "class Readme {\n  public static void main(String[] arguments) throws Exception {\n"
            + "String userId = \"u\";\n"
            + code(counting)
            + "var firestore = FirestoreOptions.getDefaultInstance().getService();\n"
            + code(listing)
            + "if (sure < 1) throw new AssertionError(sure);\n"
            + "if (page.documents().size() != 1) throw new AssertionError(page);\n"
            + "System.exit(0);\n  }\n}\n";
    Files.writeString(folder.resolve("Readme.java"), program);

    Map<String, String> environment = new HashMap<>(cloud.addresses());
    environment.put("CLASSPATH", library());
    Workspace.run(folder, environment, List.of(Workspace.ofJdk("java"), "Readme.java"));

    Firestore firestore = cloud.openFirestore();
    try {
      assertThat(Counters.of(firestore).counter(counter).exactTotal().get().longValue())
          .as("an increment and a named one")
          .isEqualTo(2);
    } finally {
      firestore.shutdown();
    }
  }

  /** The jar of the library and what it depends on, as its users get it. */
  private static String library() throws Exception {
    try (var jars = Files.list(HOME.resolve("shared/target"))) {
      Path jar =
          jars.filter(file -> file.toString().matches(".*/tallyroll-shared-[^/]*\\.jar"))
              .findFirst()
              .orElseThrow();
      return jar
          + File.pathSeparator
          + Files.readString(HOME.resolve("shared/target/runtime.classpath")).strip();
    }
  }

  @Test
  void javaScript_countsAndShows(LocalCloud cloud) throws Exception {
    assertThat(snippets("js")).hasSize(2);
    String counter = id();
    Firestore firestore = cloud.openFirestore();
    try {
      Counters.of(firestore).counter(counter).create(1).get();
    } finally {
      firestore.shutdown();
    }
    String program =
        """
        import {initializeApp} from 'firebase/app';
        import {connectFirestoreEmulator, doc, getFirestore, increment, onSnapshot, updateDoc} from 'firebase/firestore';
        const db = getFirestore(initializeApp({projectId: process.env.GOOGLE_CLOUD_PROJECT}));
        const [host, port] = process.env.FIRESTORE_EMULATOR_HOST.split(':');
        connectFirestoreEmulator(db, host, Number(port));
        const numShards = 1;
        const show = (total) => total === 1 && process.exit(0);
        """
            + snippets("js").get(1)
            + snippets("js").get(0);
    Path folder = Workspace.ofNpm("web");
    Files.writeString(
        folder.resolve("readme.mjs"), program.replace("'likes'", "'" + counter + "'"));

    Workspace.run(folder, cloud.addresses(), List.of("node", "readme.mjs"));
  }

  private static String id() {
    return UUID.randomUUID().toString();
  }

  private static List<String> snippets(String language) throws Exception {
    var fence = Pattern.compile("(?ms)^```" + language + "$(.*?)^```$");
    return fence
        .matcher(Files.readString(HOME.resolve("README.md")))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  private static String imports(String snippet) {
    return lines(snippet, true);
  }

  private static String code(String snippet) {
    return lines(snippet, false);
  }

  private static String lines(String snippet, boolean imports) {
    return snippet
        .lines()
        .filter(line -> line.startsWith("import ") == imports)
        .collect(Collectors.joining("\n", "", "\n"));
  }
}
