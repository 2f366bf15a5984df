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

  private static final String PRINTED = "printed rules";

  private final List<String> lines = new ArrayList<>();

  /** Each line's file, and its number there. */
  private final List<String> places = new ArrayList<>();

  private SecurityRules() {}

  /**
   * Reads and joins files.
   *
   * @throws TypeConversionException if one cannot be read or joined; the message names it
   */
  public static SecurityRules of(List<Path> files) {
    return of(
        Source.of(files.get(0)), files.subList(1, files.size()).stream().map(Source::of).toList());
  }

  /**
   * Joins printed rules and files.
   *
   * @param printed whole texts, at least one
   * @throws TypeConversionException as above
   */
  public static SecurityRules of(List<String> printed, List<Path> further) {
    List<Source> others = new ArrayList<>();
    printed.subList(1, printed.size()).forEach(text -> others.add(new Source(PRINTED, text)));
    further.forEach(file -> others.add(Source.of(file)));
    return of(new Source(PRINTED, printed.get(0)), others);
  }

  private static SecurityRules of(Source first, List<Source> others) {
    var rules = new SecurityRules();
    String text = first.text();
    if (others.isEmpty()) {
      rules.add(first, 0, text.length());
      return rules;
    }
    Matcher whole = first.whole();
    rules.add(first, 0, whole.end(2));
    for (Source further : others) {
      if (further.text().contains("service cloud.firestore")) {
        Matcher matches = further.whole();
        rules.add(further, matches.start(2), matches.end(2));
      } else {
        rules.add(further, 0, further.text().length());
      }
    }
    rules.add(first, whole.start(3), text.length());
    return rules;
  }

  /** A file, or rules that were printed. */
  private record Source(String name, String text) {
    static Source of(Path file) {
      try {
        return new Source(file.toString(), Files.readString(file));
      } catch (IOException unreadable) {
        throw new TypeConversionException(
            "--rules: expected files that can be read; found " + unreadable);
      }
    }

    Matcher whole() {
      Matcher whole = WHOLE.matcher(text);
      check(
          whole.matches(),
          name,
          "match /databases/{database}/documents { in rules that are joined with others",
          "none");
      return whole;
    }
  }

  private void add(Source source, int start, int end) {
    String text = source.text();
    int number = 1 + (int) text.substring(0, start).chars().filter(each -> each == '\n').count();
    for (String line : text.substring(start, end).split("\n", -1)) {
      lines.add(line);
      places.add(source.name() + ":" + number++);
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
