package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.protocol.SmallWorlds;
import dev.tallyroll.protocol.Sweep;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Shows that the simulation bites: each mutant of the protocol, compiled from a patched copy of the
 * sources, breaks a promise in one of the worlds that the protocol itself withstands.
 *
 * <p>Writes the list, with the seed that kills each, to {@code target/mutants.md}. With {@code
 * -Dmutants.only=TEXT}, plays only those whose names hold the text.
 */
class MutantsTest {
  private static final long SEEDS = 30_000;

  /** Where the small worlds have shown the breakage already. */
  private static final long FEW_SEEDS = 10_000;

  private static final String ONLY = System.getProperty("mutants.only", "");
  private static final String SURVIVES = "none";
  private static final String CLASS_PATH = System.getProperty("java.class.path");
  private static final ClassLoader LIBRARIES = libraries();
  private static final Path SOURCES = Path.of("src/main/java");

  @TempDir Path folder;

  @Test
  void everyMutant_isKilled() throws IOException {
    List<String> rows =
        Mutants.ALL.parallelStream()
            .filter(mutant -> mutant.toString().contains(ONLY))
            .map(this::row)
            .toList();
    String list =
        "| mutant | simulation: first seed | small worlds: steps |\n|---|---|---|\n"
            + String.join("", rows);
    Files.writeString(Path.of("target/mutants.md"), list);
    assertThat(rows).noneMatch(row -> row.contains(SURVIVES));
  }

  private String row(Mutant mutant) {
    try {
      try (URLClassLoader loader = load(mutant, Files.createTempDirectory(folder, "mutant"))) {
        long steps =
            mutant.isInDecision()
                ? (long)
                    loader
                        .loadClass(SmallWorlds.class.getName())
                        .getMethod("shortestBroken")
                        .invoke(null)
                : -1;
        long seed =
            (long)
                loader
                    .loadClass(Seeds.class.getName())
                    .getMethod("firstBroken", long.class, boolean.class)
                    .invoke(null, steps < 0 ? SEEDS : FEW_SEEDS, !mutant.isInProtocol());
        String killed = seed < 0 && steps < 0 ? SURVIVES : seed < 0 ? "-" : "" + seed;
        return "| %s | %s | %s |\n".formatted(mutant, killed, steps < 0 ? "-" : steps);
      }
    } catch (Exception failure) {
      throw new AssertionError(mutant.toString(), failure);
    }
  }

  private static URLClassLoader load(Mutant mutant, Path folder) throws Exception {
    Path sources = folder.resolve("sources");
    Path classes = Files.createDirectories(folder.resolve("classes"));
    copy(
        mutant.module().resolve(SOURCES).resolve(mutant.folder()),
        sources.resolve(mutant.folder()),
        1);
    mutant.apply(sources);
    compile(sources, classes);
    URL[] path = {
      url(classes),
      url(location(CounterPath.class)),
      url(location(Sweep.class)),
      url(location(Seeds.class))
    };
    return new URLClassLoader(path, LIBRARIES);
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
      List<String> options =
          List.of("-d", classes.toString(), "-cp", CLASS_PATH, "-nowarn", "-proc:none");
      boolean compiled =
          compiler
              .getTask(null, files, null, options, null, files.getJavaFileObjectsFromPaths(java))
              .call();
      assertThat(compiled).as(sources.toString()).isTrue();
    }
  }

  /** What others have written: loaded once for all mutants. */
  private static ClassLoader libraries() {
    URL[] jars =
        Stream.of(CLASS_PATH.split(File.pathSeparator))
            .filter(entry -> entry.endsWith(".jar"))
            .map(entry -> url(Path.of(entry)))
            .toArray(URL[]::new);
    return new URLClassLoader(jars, ClassLoader.getPlatformClassLoader());
  }

  private static URL url(Path path) {
    try {
      return path.toUri().toURL();
    } catch (MalformedURLException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static Path location(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
