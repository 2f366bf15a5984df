package dev.tallyroll.simulation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A plausible breakage of the protocol: in one file, one piece of text in place of another.
 *
 * @param breakage what it does, in a few words
 * @param file in the package {@code dev.tallyroll.protocol}; behind {@code shared/}, in the library
 * @param original text that must be there exactly once
 * @param replacement what stands there instead
 */
record Mutant(String breakage, String file, String original, String replacement) {

  /** Where the file's package is, below the sources. */
  String folder() {
    return isInProtocol() ? "dev/tallyroll/protocol" : "dev/tallyroll";
  }

  /** The module whose sources it is in, seen from the module of this test. */
  Path module() {
    return Path.of(isInProtocol() ? "." : "../shared");
  }

  private String name() {
    return file.substring(file.indexOf('/') + 1);
  }

  /** Applies it to a copy of the sources. */
  void apply(Path sources) throws IOException {
    Path path = sources.resolve(folder()).resolve(name());
    String text = Files.readString(path);
    Matcher found = pattern().matcher(text);
    if (!found.find()) {
      throw new AssertionError(breakage + ": expected '" + original + "' in " + file);
    }
    String mutated = text.substring(0, found.start()) + replacement + text.substring(found.end());
    if (found.find()) {
      throw new AssertionError(breakage + ": expected one '" + original + "' in " + file);
    }
    Files.writeString(path, mutated);
  }

  /** White space, of which there may be none, stands for any. */
  private Pattern pattern() {
    return Pattern.compile(
        Stream.of(original.split("\\s+|(?<=[(;{])|(?=[.)?:;}&])"))
            .filter(part -> !part.isEmpty())
            .map(Pattern::quote)
            .collect(Collectors.joining("\\s*")));
  }

  boolean isInProtocol() {
    return !file.startsWith("shared/");
  }

  /** The other classes' steps are not the small worlds', which have steps of their own. */
  boolean isInDecision() {
    return isInProtocol()
        && !Set.of("ShardWrites.java", "Roller.java", "Run.java", "Runs.java", "Sweep.java")
            .contains(file);
  }

  @Override
  public String toString() {
    return breakage;
  }
}
