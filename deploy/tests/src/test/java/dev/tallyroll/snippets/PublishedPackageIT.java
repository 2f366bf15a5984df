package dev.tallyroll.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Home;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packed npm package, as others' programs judge it. */
@Tag("long") // It downloads 80 MB.
final class PublishedPackageIT {
  @TempDir private static Path folder;
  private static Path judges;
  private static String tarball;

  @BeforeAll
  static void pack() {
    judges = Workspace.ofJudges();
    tarball = folder.resolve(Workspace.pack(folder).get("filename").getAsString()).toString();
  }

  @Test
  void entries_areFoundByNodeAndBundlers() {
    assertThat(judge("npx", "--no-install", "publint", "--strict", tarball)).contains("All good!");
  }

  /** One way is TypeScript's oldest, which looks for files and knows no exports. */
  @Test
  void types_areFoundInEachWayOfTypeScript() {
    assertThat(judge("npx", "--no-install", "attw", "--profile", "strict", tarball))
        .contains("No problems found");
  }

  /** An expression that its engine Hermes does not take would end the whole app. */
  @Test
  void modules_areCompiledForReactNative() throws Exception {
    Path rewritten = Files.createDirectory(folder.resolve("rewritten"));
    judge("tar", "-xzf", tarball, "-C", "" + folder);
    judge("node", "for-hermes.mjs", folder + "/package", "" + rewritten);
    var modules = Home.list(rewritten);

    assertThat(modules).extracting(Path::getFileName).contains(Path.of("modular.js"));
    for (var module : modules) {
      judge("hermes/hermesc", "-w", "-emit-binary", "-out", "out.hbc", "" + module);
    }
  }

  private static String judge(String... command) {
    return Home.run(judges, Map.of(), command);
  }
}
