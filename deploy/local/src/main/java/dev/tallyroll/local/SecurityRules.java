package dev.tallyroll.local;

import static dev.tallyroll.local.Invocation.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.TypeConversionException;

/**
 * Security rules: a file, with the matches of further files below its own. A further file has
 * matches only, or is whole: then its block of the documents is taken, without the lines around it,
 * and the functions outside of that. Used by one thread while it is read, then immutable.
 */
public final class SecurityRules {
  private static final Pattern NO_CODE =
      Pattern.compile(
          "(?s)//[^\n]*|/\\*.*?\\*/|'(?:\\\\.|[^'\\\\\n])*'|\"(?:\\\\.|[^\"\\\\\n])*\"");

  private static final Pattern SERVICE = Pattern.compile("\\bservice\\s+cloud\\.firestore\\b");
  private static final Pattern DOCUMENTS =
      Pattern.compile("\\bmatch\\s*/databases/\\{database}/documents\\s*\\{");
  private static final Pattern MATCH = Pattern.compile("\\bmatch\\s*/");
  private static final Pattern FUNCTION =
      Pattern.compile("\\bfunction\\s+(\\w+)\\s*\\([^)]*\\)\\s*\\{");

  /** A place in a message of the rules' compiler. */
  private static final Pattern PLACE = Pattern.compile("(?m)^L(\\d+):\\d+ ");

  private final List<String> lines = new ArrayList<>();

  /** Of each line, its file and its number there. */
  private final List<String> places = new ArrayList<>();

  /** The functions for all matches, by their names. */
  private final Map<String, Function> functions = new HashMap<>();

  private record Function(Path file, String text) {}

  /**
   * Part of a file.
   *
   * @param code of the whole file: blanks are in the place of comments and texts
   */
  private record Part(Path file, String text, String code, int start, int end) {
    Part with(int newStart, int newEnd) {
      return new Part(file, text, code, newStart, newEnd);
    }

    /** The number of the line at a place in the file. */
    int line(int place) {
      return 1 + (int) text.substring(0, place).chars().filter(each -> each == '\n').count();
    }

    /** Where the block ends that begins before a place. */
    int endOfBlock(int place) {
      int depth = 1;
      for (int i = place; i < end; i++) {
        depth += depth(code.charAt(i));
        if (depth == 0) {
          return i;
        }
      }
      throw new IllegalStateException("unbalanced"); // checked before
    }

    private static int depth(char each) {
      return each == '{' ? 1 : each == '}' ? -1 : 0;
    }

    /** The functions that are in no block of this part but those that begin it. */
    List<MatchResult> functions(int most) {
      return FUNCTION
          .matcher(code)
          .region(start, end)
          .results()
          .filter(
              found ->
                  code.substring(start, found.start()).chars().map(each -> depth((char) each)).sum()
                      <= most)
          .toList();
    }
  }

  private SecurityRules() {}

  /**
   * Reads and joins files.
   *
   * @throws TypeConversionException if one cannot be read or joined; the message names it
   */
  public static SecurityRules of(List<Path> files) {
    SecurityRules rules = new SecurityRules();
    Part first = read(files.get(0));
    if (files.size() == 1) {
      rules.add(first);
      return rules;
    }
    Part matches = documents(first);
    rules.know(first.with(0, matches.start()), 1);
    rules.know(matches, 0);
    rules.know(first.with(matches.end() + 1, first.end()), 0);
    rules.add(first.with(0, matches.end()));
    files.stream().skip(1).forEach(file -> rules.join(read(file)));
    rules.add(first.with(matches.end(), first.end()));
    return rules;
  }

  private static Part read(Path file) {
    try {
      String text = Files.readString(file);
      String code = NO_CODE.matcher(text).replaceAll(found -> blank(found.group()));
      Part all = new Part(file, text, code, 0, text.length());
      int depth = 0;
      for (int i = 0; i < code.length(); i++) {
        depth += Part.depth(code.charAt(i));
        check(depth >= 0, file.toString(), "a { before each }", "} in line " + all.line(i));
      }
      check(depth == 0, file.toString(), "a } for each {", depth + " more {");
      return all;
    } catch (IOException unreadable) {
      throw new TypeConversionException(
          "--rules: expected files that can be read; found " + unreadable);
    }
  }

  private static String blank(String text) {
    return text.replaceAll("[^\n]", " ");
  }

  /** What a whole file says of the documents. */
  private static Part documents(Part all) {
    List<MatchResult> found = DOCUMENTS.matcher(all.code()).results().toList();
    check(
        found.size() == 1,
        all.file().toString(),
        "one match /databases/{database}/documents { in rules that are joined with others",
        found.size());
    int start = found.get(0).end();
    return all.with(start, all.endOfBlock(start));
  }

  private void join(Part all) {
    if (!SERVICE.matcher(all.code()).find()) {
      addMatches(all);
      return;
    }
    Part matches = documents(all);
    Part before = all.with(0, matches.start());
    Part after = all.with(matches.end() + 1, all.end());
    for (Part beside : List.of(before, after)) {
      check(
          MATCH.matcher(beside.code()).region(beside.start(), beside.end()).results().count()
              == (beside.equals(before) ? 1 : 0),
          all.file().toString(),
          "no match beside match /databases/{database}/documents",
          "one");
      for (MatchResult function : beside.functions(1)) {
        addMatches(all.with(function.start(), all.endOfBlock(function.end()) + 1));
      }
    }
    addMatches(matches);
  }

  /** Adds matches and functions; leaves out functions that are there already. */
  private void addMatches(Part part) {
    StringBuilder text = new StringBuilder(part.text());
    for (MatchResult found : part.functions(0)) {
      int end = part.endOfBlock(found.end()) + 1;
      if (!know(part, found, end)) {
        text.replace(found.start(), end, blank(text.substring(found.start(), end)));
      }
    }
    add(new Part(part.file(), text.toString(), part.code(), part.start(), part.end()));
  }

  private void know(Part part, int most) {
    for (MatchResult found : part.functions(most)) {
      var unused = know(part, found, part.endOfBlock(found.end()) + 1);
    }
  }

  /** Returns whether the function is new. */
  private boolean know(Part part, MatchResult found, int end) {
    String text = part.text().substring(found.start(), end).replaceAll("\\s+", " ");
    Function before = functions.putIfAbsent(found.group(1), new Function(part.file(), text));
    check(
        before == null || before.text().equals(text),
        part.file().toString(),
        "the function %s as %s has it, or another name"
            .formatted(found.group(1), before == null ? "" : before.file()),
        text);
    return before == null;
  }

  private void add(Part part) {
    int number = part.line(part.start());
    for (String line : part.text().substring(part.start(), part.end()).split("\n", -1)) {
      lines.add(line);
      places.add(part.file() + ":" + number++);
    }
  }

  String text() {
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
