package dev.tallyroll.operator;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Increments of a counter, and reads of its total, each with Firestore's own time.
 *
 * <p>A file has one a line, with a tab between the words; a line that begins with {@code #} says
 * nothing:
 *
 * <pre>{@code
 * increment TIME NUMBER             a commit's time, and what it added
 * total TIME NUMBER AS_OF UPDATED   a read of the roll-up: its read time, count, as_of and update time
 * total TIME                        a read that found no roll-up
 * warm TIME                         from then on the functions had started, and a total may be late
 * late SECONDS                      so long after an increment, a read has to show it; else 10
 * slack SECONDS                     a sum may lack commits of so long before its as_of; else 0
 * }</pre>
 *
 * @param increments in the order of their times
 * @param reads in the order of their times
 * @param warm the beginning of all times if no line says it
 */
record History(
    List<Increment> increments, List<Read> reads, Instant warm, Duration late, Duration slack) {
  private static final Duration LATE = Duration.ofSeconds(10);

  /** A commit that added a number. */
  record Increment(Instant commit, long number) {
    String line() {
      return String.join("\t", "increment", commit.toString(), Long.toString(number));
    }
  }

  /** A read of the roll-up; its total is empty if there was none. */
  record Read(Instant at, Optional<Total> total) {
    String line() {
      return "total\t" + at + total.map(Total::words).orElse("");
    }
  }

  /** A version of the total. */
  record Total(long count, Instant asOf, Instant updated) {
    private String words() {
      return "\t" + count + "\t" + asOf + "\t" + updated;
    }
  }

  /**
   * Reads the lines of a file.
   *
   * @throws IllegalArgumentException if this is no history; the message has the number of the line
   */
  static History parse(List<String> lines) {
    List<Increment> increments = new ArrayList<>();
    List<Read> reads = new ArrayList<>();
    Instant warm = Instant.MIN;
    Duration late = LATE;
    Duration slack = Duration.ZERO;
    for (int i = 0; i < lines.size(); i++) {
      Line line = new Line(i + 1, lines.get(i));
      switch (line.kind()) {
        case "" -> {}
        case "increment 3" -> increments.add(new Increment(line.time(1), line.number(2)));
        case "total 2" -> reads.add(new Read(line.time(1), Optional.empty()));
        case "total 5" ->
            reads.add(
                new Read(
                    line.time(1),
                    Optional.of(new Total(line.number(2), line.time(3), line.time(4)))));
        case "warm 2" -> warm = line.time(1);
        case "late 2" -> late = line.seconds(1);
        case "slack 2" -> slack = line.seconds(1);
        default ->
            throw line.refuse("increment, total, warm, late or slack, with tabs between the words");
      }
    }
    if (increments.isEmpty()) {
      throw new IllegalArgumentException("expected a history with increments; found none");
    }
    increments.sort(Comparator.comparing(Increment::commit));
    reads.sort(Comparator.comparing(Read::at));
    return new History(List.copyOf(increments), List.copyOf(reads), warm, late, slack);
  }

  /** Until when a read may lack an increment. */
  Instant due(Increment increment) {
    Instant from = increment.commit().isBefore(warm) ? warm : increment.commit();
    return from.plus(late);
  }

  private record Line(int number, String text) {
    /** The first word, and how many there are; empty for a line that says nothing. */
    String kind() {
      String[] words = words();
      return text.isBlank() || text.startsWith("#") ? "" : words[0] + " " + words.length;
    }

    private String[] words() {
      return text.split("\t", -1);
    }

    Instant time(int word) {
      try {
        return Instant.parse(words()[word]);
      } catch (DateTimeException malformed) {
        throw refuse("a time such as 2026-11-27T10:00:00.5Z");
      }
    }

    long number(int word) {
      try {
        return Long.parseLong(words()[word]);
      } catch (NumberFormatException malformed) {
        throw refuse("a whole number");
      }
    }

    Duration seconds(int word) {
      if (!words()[word].matches("[0-9]{1,9}(\\.[0-9]{1,9})?")) {
        throw refuse("seconds");
      }
      return Duration.ofNanos(new BigDecimal(words()[word]).movePointRight(9).longValueExact());
    }

    IllegalArgumentException refuse(String expected) {
      return new IllegalArgumentException(
          "line %d: expected %s; found '%s'".formatted(number, expected, text));
    }
  }
}
