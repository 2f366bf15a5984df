package dev.tallyroll.simulation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
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
  private static final String IN_SHARED = "shared/";

  /** All of {@code mutants.txt}: file and breakage, and below them both texts, as in a patch. */
  static List<Mutant> all() throws IOException {
    try (InputStream text = Mutant.class.getResourceAsStream("mutants.txt")) {
      return Stream.of(new String(Objects.requireNonNull(text).readAllBytes(), UTF_8).split("\n\n"))
          .map(Mutant::parse)
          .toList();
    }
  }

  private static Mutant parse(String text) {
    List<String> lines = text.lines().toList();
    String[] name = lines.get(0).split(": ", 2);
    return new Mutant(
        name[1], name[0], lines.get(1).substring(1).strip(), lines.get(2).substring(1).strip());
  }

  /** The file as it is, below the module of this test. */
  Path source() {
    return isInProtocol()
        ? Path.of("src/main/java/dev/tallyroll/protocol", file)
        : Path.of("../shared/src/main/java/dev/tallyroll", file.substring(IN_SHARED.length()));
  }

  /** The text of the file, broken. */
  String text() throws IOException {
    String text = Files.readString(source());
    Matcher found = pattern().matcher(text);
    if (!found.find()) {
      throw new AssertionError(breakage + ": expected '" + original + "' in " + file);
    }
    String broken = text.substring(0, found.start()) + replacement + text.substring(found.end());
    if (found.find()) {
      throw new AssertionError(breakage + ": expected one '" + original + "' in " + file);
    }
    return broken;
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
    return !file.startsWith(IN_SHARED);
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
