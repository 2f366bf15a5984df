package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Shows that the simulation bites: each mutant of the protocol, compiled from a patched copy of the
 * sources, breaks a promise in one of the worlds that the protocol itself withstands.
 *
 * <p>Writes the list, with the seed that kills each, to {@code target/mutants.md}.
 */
class MutantsTest {
  private static final long SEEDS = 30_000;
  private static final String SURVIVES = "none";
  private static final Path SOURCES = Path.of("src/main/java");

  @TempDir Path folder;

  @Test
  void everyMutant_isKilled() throws IOException {
    List<String> rows = Mutants.ALL.parallelStream().map(this::row).toList();
    String list = "| mutant | killed by seed |\n|---|---|\n" + String.join("", rows);
    Files.writeString(Path.of("target/mutants.md"), list);
    assertThat(rows).noneMatch(row -> row.contains(SURVIVES));
  }

  private String row(Mutant mutant) {
    try {
      long seed = firstBroken(mutant, Files.createTempDirectory(folder, "mutant"));
      return "| %s | %s |\n".formatted(mutant, seed < 0 ? SURVIVES : seed);
    } catch (Exception failure) {
      throw new AssertionError(mutant.toString(), failure);
    }
  }

  private static long firstBroken(Mutant mutant, Path folder) throws Exception {
    Path sources = folder.resolve("sources");
    Path classes = Files.createDirectories(folder.resolve("classes"));
    copy(SOURCES.resolve("dev/tallyroll/protocol"), sources.resolve("dev/tallyroll/protocol"), 1);
    mutant.apply(sources);
    compile(sources, classes);
    URL[] path = {
      classes.toUri().toURL(),
      location(CounterPath.class).toUri().toURL(),
      location(Seeds.class).toUri().toURL()
    };
    try (URLClassLoader loader = new URLClassLoader(path, ClassLoader.getPlatformClassLoader())) {
      return (long)
          loader
              .loadClass(Seeds.class.getName())
              .getMethod("firstBroken", long.class)
              .invoke(null, SEEDS);
    }
  }

  private static void copy(Path from, Path to, int depth) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.walk(from, depth)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  private static void compile(Path sources, Path classes) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
        Stream<Path> all = Files.walk(sources)) {
      List<Path> java = all.filter(Files::isRegularFile).toList();
      List<String> options = List.of("-d", classes.toString(), "-cp", classPath(), "-nowarn");
      boolean compiled =
          compiler
              .getTask(null, files, null, options, null, files.getJavaFileObjectsFromPaths(java))
              .call();
      assertThat(compiled).as(sources.toString()).isTrue();
    }
  }

  private static String classPath() throws Exception {
    return location(CounterPath.class) + File.pathSeparator + location(NullMarked.class);
  }

  private static Path location(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
