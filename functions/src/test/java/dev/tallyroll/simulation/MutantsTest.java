package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.protocol.Exploration;
import dev.tallyroll.protocol.Sweep;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Shows that the simulation bites: each mutant of the protocol, compiled from a patched copy of the
 * source, breaks a promise in one of the worlds that the protocol itself withstands.
 *
 * <p>Plays the world that the list names ({@code .github/MUTANTS.md}), and looks for another only
 * where that notices nothing; writes the list anew to {@code target/mutants.md}. With {@code
 * -Dmutants.only=TEXT}, plays only those whose names hold the text; with {@code -Dmutants.search},
 * looks for the first world and the shortest history of each.
 */
class MutantsTest {
  private static final long SEEDS = Long.getLong("mutants.seeds", 30_000);
  private static final String ONLY = System.getProperty("mutants.only", "");
  private static final boolean SEARCH = Boolean.getBoolean("mutants.search");
  private static final Path LIST = Path.of("../.github/MUTANTS.md");
  private static final String CLASS_PATH = System.getProperty("java.class.path");
  private static final ClassLoader LIBRARIES = libraries();

  @TempDir Path folder;

  /** What notices a mutant: a seed, and a number of steps; -1 where that does not. */
  private record Noticed(long seed, long steps) {
    private static final Noticed NOWHERE = new Noticed(-1, -1);

    /** As the list has it. */
    static Noticed of(String row) {
      List<String> cells = List.of(row.split("\\s*\\|\\s*", -1));
      return new Noticed(number(cells.get(2)), number(cells.get(3)));
    }

    private static long number(String cell) {
      return cell.equals("-") ? -1 : Long.parseLong(cell);
    }

    boolean nowhere() {
      return seed < 0 && steps < 0;
    }

    String row(Mutant mutant) {
      return "| %s | %s | %s |%n".formatted(mutant, cell(seed), cell(steps));
    }

    private static String cell(long number) {
      return number < 0 ? "-" : Long.toString(number);
    }
  }

  @Test
  void everyMutant_isKilled() throws IOException {
    List<String> list = Files.readAllLines(LIST);
    List<Mutant> mutants =
        Mutant.all().stream().filter(mutant -> mutant.toString().contains(ONLY)).toList();
    Map<Mutant, Noticed> noticed = new ConcurrentHashMap<>();
    mutants.parallelStream()
        .forEach(mutant -> noticed.put(mutant, play(mutant, listed(list, mutant))));
    Files.writeString(
        Path.of("target/mutants.md"),
        mutants.stream()
            .map(mutant -> noticed.getOrDefault(mutant, Noticed.NOWHERE).row(mutant))
            .collect(Collectors.joining()));
    assertThat(noticed)
        .allSatisfy((mutant, where) -> assertThat(where).matches(it -> !it.nowhere()));
  }

  private static Noticed listed(List<String> list, Mutant mutant) {
    return list.stream()
        .filter(row -> row.startsWith("| " + mutant + " |"))
        .map(Noticed::of)
        .findFirst()
        .orElse(Noticed.NOWHERE);
  }

  private Noticed play(Mutant mutant, Noticed listed) {
    try (URLClassLoader loader = load(mutant, Files.createTempDirectory(folder, "mutant"))) {
      if (!SEARCH && listed.seed >= 0 && seed(loader, mutant, listed.seed, listed.seed) >= 0) {
        return listed;
      }
      long steps = mutant.isInDecision() ? steps(loader) : -1;
      if (!SEARCH && steps >= 0) {
        return new Noticed(listed.seed, steps);
      }
      return new Noticed(seed(loader, mutant, 1, SEEDS), steps);
    } catch (Exception failure) {
      throw new AssertionError(mutant.toString(), failure);
    }
  }

  private static long steps(ClassLoader loader) throws ReflectiveOperationException {
    Class<?> worlds = loader.loadClass(Exploration.class.getName());
    return (long) worlds.getMethod("shortestBroken").invoke(null);
  }

  private static long seed(ClassLoader loader, Mutant mutant, long first, long last)
      throws ReflectiveOperationException {
    return (long)
        loader
            .loadClass(Seeds.class.getName())
            .getMethod("firstBroken", long.class, long.class, boolean.class)
            .invoke(null, first, last, !mutant.isInProtocol());
  }

  /** Takes the broken class from the folder, and all others from where they are. */
  private static URLClassLoader load(Mutant mutant, Path folder) throws Exception {
    Path source = folder.resolve(mutant.source().getFileName());
    Files.writeString(source, mutant.text());
    String[] arguments = {
      "-d", folder.toString(), "-cp", CLASS_PATH, "-nowarn", "-proc:none", source.toString()
    };
    int failed = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments);
    assertThat(failed).as(mutant.toString()).isZero();
    URL[] path = {
      url(folder),
      url(location(CounterPath.class)),
      url(location(Sweep.class)),
      url(location(Seeds.class))
    };
    return new URLClassLoader(path, LIBRARIES);
  }

  /** What others have written: loaded once for all mutants, so nothing of it may be ours. */
  private static ClassLoader libraries() {
    URL[] jars =
        Stream.of(CLASS_PATH.split(File.pathSeparator))
            .filter(entry -> entry.endsWith(".jar") && !entry.contains("tallyroll-"))
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
