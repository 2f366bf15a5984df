package dev.tallyroll.local;

import dev.tallyroll.local.JvmCommand.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.jar.Attributes;
import java.util.jar.JarFile;

/** Finds jars in folders, and in a jar the class to run. Stateless. */
final class Jars {
  private static final int DEEPEST = 4;

  private Jars() {}

  /**
   * The files below a folder whose path relative to it matches, of the newest version where there
   * are several.
   */
  static List<Path> matching(Path folder, String glob) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    var matcher = folder.getFileSystem().getPathMatcher("glob:" + glob);
    try (var files = Files.walk(folder, DEEPEST, FileVisitOption.FOLLOW_LINKS)) {
      var all =
          files
              .filter(Files::isRegularFile)
              .filter(file -> matcher.matches(folder.relativize(file)))
              .toList();
      // All jars of one folder belong together, except where the version is in the jar's own name.
      return all.stream()
          .max(
              Comparator.comparing(
                  file -> Versions.of(folder.relativize(file).toString()), Versions.ORDER))
          .map(newest -> glob.contains("/") ? siblings(all, newest) : List.of(newest))
          .orElse(List.of());
    } catch (IOException | UncheckedIOException e) {
      throw new LocalCloudException("could not look for " + glob + " in " + folder, e);
    }
  }

  private static List<Path> siblings(List<Path> all, Path newest) {
    return all.stream()
        .filter(file -> Objects.equals(file.getParent(), newest.getParent()))
        .sorted()
        .toList();
  }

  /**
   * The program that the jars make: with the main class that a manifest names, else with the
   * default.
   */
  static Program program(List<Path> jars, String defaultMainClass) {
    var mainClass = jars.stream().flatMap(jar -> mainClass(jar).stream()).findFirst();
    return new Program(jars, mainClass.orElse(defaultMainClass));
  }

  private static Optional<String> mainClass(Path jar) {
    try (var file = new JarFile(jar.toFile())) {
      return Optional.ofNullable(file.getManifest())
          .map(manifest -> manifest.getMainAttributes().getValue(Attributes.Name.MAIN_CLASS));
    } catch (IOException e) {
      throw new LocalCloudException("expected a readable jar, found " + jar, e);
    }
  }
}
