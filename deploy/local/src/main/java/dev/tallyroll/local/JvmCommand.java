package dev.tallyroll.local;

import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A Java program to run in a child JVM, in an environment that holds exactly what is given, so that
 * nothing the launcher happens to have set reaches it. Immutable.
 *
 * @param name what the program is called in messages
 * @param program its class path and main class
 * @param options of the JVM itself
 * @param arguments of the program
 * @param environment all of it
 */
record JvmCommand(
    String name,
    Program program,
    List<String> options,
    List<String> arguments,
    Map<String, String> environment) {

  JvmCommand {
    options = List.copyOf(options);
    arguments = List.copyOf(arguments);
    environment = Map.copyOf(environment);
  }

  /** What to run: where its classes are, and the class whose {@code main} starts it. */
  record Program(List<Path> classPath, String mainClass) {
    Program {
      classPath = List.copyOf(classPath);
    }
  }

  List<String> commandLine() {
    var line = new ArrayList<String>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(options);
    line.add("-cp");
    line.add(
        Stream.concat(program.classPath().stream(), Stream.of(homeOf(Leash.class)))
            .map(Path::toString)
            .collect(Collectors.joining(File.pathSeparator)));
    line.add(Leash.class.getName());
    line.add(program.mainClass());
    line.addAll(arguments);
    return List.copyOf(line);
  }

  static Path homeOf(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new LocalCloudException(
          "the folder or jar of " + type.getName() + " has no usable path", e);
    }
  }
}
