package dev.tallyroll.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the files that users copy from. */
@Tag("core")
final class SnippetFilesIT {
  private static final Pattern SNIPPET = Pattern.compile("([a-z-]+/)?\\w+\\.(mjs|java|go)");
  private static final Pattern LINK = Pattern.compile("]\\((" + SNIPPET + ")\\)");

  @Test
  void readme_linksEverySnippet() throws IOException {
    var readme = Files.readString(Workspace.CLIENTS.resolve("README.md"));
    var linked = LINK.matcher(readme).results().map(link -> link.group(1)).toList();

    assertThat(linked)
        .containsExactlyInAnyOrderElementsOf(
            snippets().stream().map(snippet -> name(snippet).toString()).toList());
  }

  private static List<Path> snippets() throws IOException {
    try (var files = Files.walk(Workspace.CLIENTS, 2)) {
      return files.filter(file -> SNIPPET.matcher(name(file).toString()).matches()).toList();
    }
  }

  private static Path name(Path file) {
    return Workspace.CLIENTS.relativize(file);
  }

  @ParameterizedTest
  @ValueSource(strings = {"npm", "examples/likes"})
  void packages_areExactAndNameNoRegistry(String client) throws IOException {
    var folder = Workspace.CLIENTS.resolve(client);
    var wanted =
        JsonParser.parseString(Files.readString(folder.resolve("package.json"))).getAsJsonObject();

    var lock = Files.readString(folder.resolve("package-lock.json"));

    assertThat(lock).contains("\"integrity\"").doesNotContain("\"resolved\": \"http", "registry");
    assertThat(wanted.getAsJsonObject("devDependencies").asMap().values())
        .isNotEmpty()
        .allSatisfy(
            version ->
                assertThat(version.getAsString()).matches("(npm:[^:]+@)?\\d+\\.\\d+\\.\\d+"));
  }
}
