package dev.tallyroll.local.up;

import dev.tallyroll.local.Operations;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * The live table: drawn over itself on a terminal, line after line elsewhere. Used by one thread.
 */
final class Table {
  private static final String HEADING =
      String.format(
          "%-14s %10s %10s %8s %8s  %s", "counter", "total", "exact", "rate/s", "lag s", "state");

  /** One counter at one moment. */
  record Row(String counter, long total, long exact, double rate, double lag, boolean live) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "%-14s %10d %10d %8.1f %8.2f  %s",
          counter,
          total,
          exact,
          rate,
          lag,
          live ? "live" : "quiet");
    }
  }

  private final PrintStream out;
  private final boolean terminal;
  private int drawn;

  Table(PrintStream out, boolean terminal) {
    this.out = out;
    this.terminal = terminal;
  }

  /** How often to draw: what scrolls away is drawn less often. */
  Duration period() {
    return Duration.ofSeconds(terminal ? 1 : 5);
  }

  void draw(List<Row> rows, Operations done) {
    if (terminal && drawn > 0) {
      out.print("\033[" + drawn + "A\033[J");
    }
    out.println(HEADING);
    rows.forEach(out::println);
    out.println(line(done));
    out.flush();
    drawn = rows.size() + 2;
  }

  /** Also read by the benchmark. */
  static String line(Operations done) {
    return "functions so far: reads %d, sums %d, writes %d, deletes %d"
        .formatted(done.reads(), done.sums(), done.writes(), done.deletes());
  }
}
