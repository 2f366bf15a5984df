package dev.tallyroll.local;

import static dev.tallyroll.local.Invocation.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/**
 * Security rules: a file, with what further files say of the documents below its own matches. A
 * further file has matches only, or is whole, as {@code deploy/gcloud/rules} prints it. Used by one
 * thread while it is read, then immutable.
 */
public final class SecurityRules {
  /** Up to the line that opens the documents, what stands inside, and the two last braces. */
  private static final Pattern WHOLE =
      Pattern.compile(
          "(?s)(.*?\\bmatch\\s*/databases/\\{\\w+}/documents\\s*\\{[^\n]*\n)(.*)(}[^}]*}[^}]*)");

  /** The line and column in a message of the rules' compiler. */
  private static final Pattern PLACE = Pattern.compile("(?m)^L(\\d+):\\d+ ");

  private final List<String> lines = new ArrayList<>();

  /** Of each line, its file and its number there. */
  private final List<String> places = new ArrayList<>();

  private SecurityRules() {}

  /**
   * Reads and joins files.
   *
   * @throws TypeConversionException if one cannot be read or joined; the message names it
   */
  public static SecurityRules of(List<Path> files) {
    Path first = files.get(0);
    return of(first.toString(), read(first), files.subList(1, files.size()));
  }

  /**
   * Joins printed rules and files.
   *
   * @throws TypeConversionException as above
   */
  public static SecurityRules of(String printed, List<Path> further) {
    return of("printed rules", printed, further);
  }

  private static SecurityRules of(String first, String text, List<Path> others) {
    var rules = new SecurityRules();
    if (others.isEmpty()) {
      rules.add(first, text, 0, text.length());
      return rules;
    }
    Matcher whole = whole(first, text);
    rules.add(first, text, 0, whole.end(2));
    for (Path file : others) {
      String further = read(file);
      if (further.contains("service cloud.firestore")) {
        Matcher matches = whole(file.toString(), further);
        rules.add(file.toString(), further, matches.start(2), matches.end(2));
      } else {
        rules.add(file.toString(), further, 0, further.length());
      }
    }
    rules.add(first, text, whole.start(3), text.length());
    return rules;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new TypeConversionException(
          "--rules: expected files that can be read; found " + unreadable);
    }
  }

  private static Matcher whole(String file, String text) {
    Matcher whole = WHOLE.matcher(text);
    check(
        whole.matches(),
        file,
        "match /databases/{database}/documents { in rules that are joined with others",
        "none");
    return whole;
  }

  private void add(String file, String text, int start, int end) {
    int number = 1 + (int) text.substring(0, start).chars().filter(each -> each == '\n').count();
    for (String line : text.substring(start, end).split("\n", -1)) {
      lines.add(line);
      places.add(file + ":" + number++);
    }
  }

  /** All of them, as the emulator takes them. */
  public String text() {
    return String.join("\n", lines);
  }

  /** A message of the compiler about this text, with the files' names and lines. */
  String inFiles(String message) {
    return PLACE
        .matcher(message)
        .replaceAll(
            place -> {
              int line = Math.min(Integer.parseInt(place.group(1)), places.size());
              return Matcher.quoteReplacement(places.get(line - 1) + ": ");
            });
  }
}
