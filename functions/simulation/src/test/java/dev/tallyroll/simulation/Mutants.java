package dev.tallyroll.simulation;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Shows that simulated worlds find mistakes: each mutant of the functions, compiled from a patched
 * copy of the source, breaks a promise in one of the worlds in which the protocol keeps all.
 *
 * <p>Plays the world that the list names ({@code noticed.txt}). Where that notices nothing, it
 * looks for the first one that does, writes the list anew below {@code target}, and fails. With
 * {@code -Dmutants.only=PATTERN}, plays only those whose files or names hold the pattern; with
 * {@code -Dmutants.search}, looks for the first world and the shortest history of each.
 */
public final class Mutants {
  private static final long SEEDS = Long.getLong("mutants.seeds", 30_000);
  private static final Pattern ONLY = Pattern.compile(System.getProperty("mutants.only", ""));
  private static final boolean SEARCH = Boolean.getBoolean("mutants.search");
  private static final Path LIST =
      Path.of("src/test/resources/dev/tallyroll/simulation/noticed.txt");

  private static final String CLASS_PATH = System.getProperty("java.class.path");

  /** Loads the libraries once for all mutants. It must have no class of ours. */
  private static final ClassLoader LIBRARIES =
      new URLClassLoader(
          urls(CLASS_PATH, Mutants::isLibrary), ClassLoader.getPlatformClassLoader());

  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

  /** One for each thread, for all mutants: it has read the libraries' contents. */
  private static final ThreadLocal<StandardJavaFileManager> FILES =
      ThreadLocal.withInitial(() -> COMPILER.getStandardFileManager(null, null, null));

  /** The mutants: file and breakage, and below them both texts, as in a patch. */
  private final Path mutants;

  private final String file;

  private final String seeds;

  private final Path folder;

  /**
   * Those of a module whose folder is beside the functions' others, and the working directory.
   *
   * @param file of the mutants
   * @param seeds plays the worlds
   * @param folder for compiled classes
   */
  public Mutants(String file, Class<?> seeds, Path folder) {
    this.file = file;
    this.mutants = Path.of("src/test/resources/dev/tallyroll/simulation", file);
    this.seeds = seeds.getName();
    this.folder = folder;
  }

  /**
   * A plausible mistake: one text replaces another in one file.
   *
   * @param breakage the mistake in a few words
   * @param file name in the package {@code dev.tallyroll.protocol}; behind {@code runs/} in that of
   *     runs, behind {@code platform/} in that of the platform, behind {@code shared/} in the
   *     library, behind {@code store/} in the stores, behind {@code functions/} in the package of
   *     the entry points, behind {@code fold/} in that of FOLD
   * @param original text that the file must have exactly once
   * @param replacement the text in its place
   */
  private record Mutant(String breakage, String file, String original, String replacement) {
    private static final Map<String, String> FOLDERS =
        Map.of(
            "", "../src/main/java/dev/tallyroll/protocol",
            "shared", "../../shared/src/main/java/dev/tallyroll",
            "runs", "../src/main/java/dev/tallyroll/runs",
            "platform", "../src/main/java/dev/tallyroll/platform",
            "store", "../src/main/java/dev/tallyroll/store",
            "functions", "../src/main/java/dev/tallyroll/functions",
            "fold", "../fold/src/main/java/dev/tallyroll/fold");

    static Mutant parse(String text) {
      List<String> lines = text.lines().toList();
      String[] name = lines.get(0).split(": ", 2);
      return new Mutant(
          name[1], name[0], lines.get(1).substring(1).strip(), lines.get(2).substring(1).strip());
    }

    /** Where the file is. */
    String place() {
      return file.contains("/") ? file.substring(0, file.indexOf('/')) : "";
    }

    /** Whether only users of the library run the file's code. */
    boolean isOfTheLibrary() {
      return file.startsWith("shared/firestore/");
    }

    /** The original file, from the folder of this module. */
    Path source() {
      return Path.of(FOLDERS.get(place()), file.substring(file.indexOf('/') + 1));
    }

    /** The text of the file with the mistake. */
    String text() throws IOException {
      String text = Files.readString(source());
      Matcher found = pattern().matcher(text);
      require(found.results().count() == 1, "once '" + original + "' in " + file, "another number");
      return found.replaceFirst(Matcher.quoteReplacement(replacement));
    }

    /** The pattern of the original text, with any white space or none between its parts. */
    private Pattern pattern() {
      return Pattern.compile(
          Stream.of(original.split("\\s+|(?<=[(;{])|(?=[.)?:;}&])"))
              .filter(part -> !part.isEmpty())
              .map(Pattern::quote)
              .collect(Collectors.joining("\\s*")));
    }

    /** Whether small worlds run the file's code. */
    boolean isInSmallWorlds() {
      return Set.of(
              "Change.java",
              "Cycle.java",
              "Decisions.java",
              "RollerPolicy.java",
              "KnownCounters.java",
              "Poll.java",
              "ShardWrites.java",
              "Sweep.java",
              "runs/Timing.java",
              "shared/internal/Sum.java")
          .contains(file);
    }
  }

  /** The worlds that find a mutant: a seed, and a number of steps; -1 for none. */
  private record Noticed(long seed, long steps) {
    private static final Noticed NOWHERE = new Noticed(-1, -1);

    static Noticed listed(List<String> list, Mutant mutant) {
      return list.stream()
          .map(row -> row.replace("| - ", "| -1 ").split(" *\\| *"))
          .filter(cells -> cells.length > 1 && cells[1].equals(mutant.breakage))
          .map(cells -> new Noticed(Long.parseLong(cells[2]), Long.parseLong(cells[3])))
          .findFirst()
          .orElse(NOWHERE);
    }

    String row(Mutant mutant) {
      return "| %s | %d | %d |".formatted(mutant.breakage, seed, steps).replace("| -1 ", "| - ");
    }
  }

  /**
   * Plays them all.
   *
   * @throws AssertionError if one is not noticed, or elsewhere than the list says
   */
  public void play() throws IOException {
    List<String> list = Files.readAllLines(LIST);
    List<Mutant> all = read();
    Map<Mutant, Noticed> noticed = new ConcurrentHashMap<>();
    OwnPool.run(
        () ->
            all.parallelStream()
                .forEach(
                    mutant -> noticed.put(mutant, play(mutant, Noticed.listed(list, mutant)))));
    List<String> rows =
        all.stream()
            .map(mutant -> noticed.getOrDefault(mutant, Noticed.NOWHERE).row(mutant))
            .toList();
    Files.write(Path.of("target", file.replace(".txt", ".md")), rows);
    require(!all.isEmpty() && !noticed.containsValue(Noticed.NOWHERE), "all noticed", rows);
    require(list.containsAll(rows), "these rows in the list", rows);
  }

  /**
   * Fails if the code has moved away from a mutant. Compiles and plays none, so it takes no time.
   */
  public void checkTexts() throws IOException {
    require(!read().isEmpty(), "a mutant", "none");
  }

  /** Reads all, and checks that each original text is in its file once. */
  private List<Mutant> read() throws IOException {
    List<Mutant> all =
        Stream.of(Files.readString(mutants).split("\n\n"))
            .map(Mutant::parse)
            .filter(mutant -> ONLY.matcher(mutant.file + ": " + mutant.breakage).find())
            .toList();
    for (Mutant mutant : all) {
      mutant.text();
    }
    return all;
  }

  private static void require(boolean isSo, String expected, Object found) {
    if (!isSo) {
      throw new AssertionError("expected " + expected + "; found " + found);
    }
  }

  private Noticed play(Mutant mutant, Noticed listed) {
    try (URLClassLoader loader = load(mutant, Files.createTempDirectory(folder, "mutant"))) {
      if (SEARCH) {
        long steps = mutant.isInSmallWorlds() ? steps(loader, Long.MAX_VALUE) : -1;
        return new Noticed(seed(loader, mutant), steps);
      }
      return again(loader, mutant, listed);
    } catch (IOException | ReflectiveOperationException failure) {
      throw new AssertionError(mutant.toString(), failure);
    }
  }

  /**
   * Plays the listed worlds; where they notice nothing any more, looks for another. One is enough:
   * to visit small worlds to their end takes longest.
   */
  private Noticed again(ClassLoader loader, Mutant mutant, Noticed listed)
      throws ReflectiveOperationException {
    if (listed.seed >= 0 && seed(loader, mutant, listed.seed, listed.seed) >= 0) {
      return listed;
    }
    if (listed.steps >= 0 && steps(loader, listed.steps) >= 0) {
      return new Noticed(-1, listed.steps);
    }
    long seed = seed(loader, mutant);
    return seed >= 0 || !mutant.isInSmallWorlds()
        ? new Noticed(seed, -1)
        : new Noticed(-1, steps(loader, Long.MAX_VALUE));
  }

  private long seed(ClassLoader loader, Mutant mutant) throws ReflectiveOperationException {
    long seed = seed(loader, mutant, 1, SEEDS);
    return seed >= 0 ? seed : seed(loader, mutant, Script.FIRST, Script.LAST);
  }

  private static long steps(ClassLoader loader, long most) throws ReflectiveOperationException {
    Class<?> worlds = loader.loadClass("dev.tallyroll.protocol.Exploration");
    return (long) worlds.getMethod("shortestBroken", long.class).invoke(null, most);
  }

  private long seed(ClassLoader loader, Mutant mutant, long first, long last)
      throws ReflectiveOperationException {
    return (long)
        loader
            .loadClass(seeds)
            .getMethod("firstBroken", long.class, long.class, boolean.class)
            .invoke(null, first, last, mutant.isOfTheLibrary());
  }

  /** Compiles the mutant; loads its class from the folder, and all others from their places. */
  private static URLClassLoader load(Mutant mutant, Path folder) throws IOException {
    Path source = folder.resolve(mutant.source().getFileName());
    Files.writeString(source, mutant.text());
    StandardJavaFileManager files = FILES.get();
    boolean compiled =
        COMPILER
            .getTask(
                null,
                files,
                null,
                List.of("-d", folder.toString(), "-cp", CLASS_PATH, "-nowarn", "-proc:none"),
                null,
                files.getJavaFileObjects(source))
            .call();
    require(compiled, "a mutant that compiles", mutant);
    String path = folder + File.pathSeparator + CLASS_PATH;
    return new URLClassLoader(urls(path, entry -> !isLibrary(entry)), LIBRARIES);
  }

  private static boolean isLibrary(String entry) {
    return entry.endsWith(".jar") && !entry.matches(".*[/\\\\]tallyroll[^/\\\\]*");
  }

  private static URL[] urls(String classPath, Predicate<String> wanted) {
    return Stream.of(classPath.split(File.pathSeparator))
        .filter(wanted)
        .map(Mutants::url)
        .toArray(URL[]::new);
  }

  private static URL url(String entry) {
    try {
      return Path.of(entry).toUri().toURL();
    } catch (MalformedURLException impossible) {
      throw new AssertionError(impossible);
    }
  }
}
