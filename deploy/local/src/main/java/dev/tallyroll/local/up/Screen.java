package dev.tallyroll.local.up;

import dev.tallyroll.local.up.AllCounters.State;
import dev.tallyroll.local.up.AllCounters.Verdict;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The live table. On a terminal, each table covers the last one, in the present size of the
 * terminal; elsewhere, tables follow one another. Used by one thread.
 */
final class Screen {
  private static final int WIDTH = 80;
  private static final int HEIGHT = 24;
  private static final int SHORTEST_NAME = 14;
  private static final int LONGEST_NAME = 40;

  /** The width of all columns after the name; and without the two optional ones. */
  private static final int ALL_COLUMNS = 56;

  private static final int FEW_COLUMNS = 36;

  /** The heading, the number of the counters left out, the line below, and the cursor's line. */
  private static final int OTHER_LINES = 4;

  private static final String WRAP_OFF = "\033[?7l";
  private static final String WRAP_ON = "\033[?7h";
  private static final double FRESH_SECONDS = 1.5;
  private static final double LATE_SECONDS = 5;

  private final PrintWriter out;
  private final boolean terminal;
  private final boolean colours;
  private int drawn;

  /** The characters in a line, and the lines, of a terminal. */
  record Size(int width, int height) {
    static final Size DEFAULT = new Size(WIDTH, HEIGHT);

    /** Asks the terminal each time, because its size may have changed. */
    private static Size ofTerminal() {
      try {
        Process stty =
            new ProcessBuilder("stty", "size")
                .redirectInput(Path.of("/dev/tty").toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String answer = new String(stty.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (stty.waitFor(1, TimeUnit.SECONDS) && answer.matches("[1-9][0-9]* [1-9][0-9]*\\s*")) {
          String[] parts = answer.strip().split(" ", 2);
          return new Size(Integer.parseInt(parts[1]), Integer.parseInt(parts[0]));
        }
      } catch (IOException e) {
        return DEFAULT; // There is no stty, or no terminal to ask.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return DEFAULT;
    }
  }

  Screen(PrintWriter out, boolean terminal, boolean colours) {
    this.out = out;
    this.terminal = terminal;
    this.colours = terminal && colours;
  }

  /** Whether the environment allows colours: NO_COLOR is empty, and the terminal is not dumb. */
  static boolean wantsColours(Map<String, String> environment) {
    return environment.getOrDefault("NO_COLOR", "").isEmpty()
        && !environment.getOrDefault("TERM", "").equals("dumb");
  }

  /** Draws the table, on a terminal over the last one. */
  void draw(List<State> counters, String below) {
    if (terminal && drawn > 0) {
      out.print("\033[" + drawn + "A\033[J");
    }
    List<String> lines = lines(counters, below, terminal ? Size.ofTerminal() : Size.DEFAULT);
    out.print(terminal ? WRAP_OFF : "");
    lines.forEach(out::println);
    out.print(terminal ? WRAP_ON : "");
    out.flush();
    drawn = lines.size();
  }

  /** The lines to draw. They fit on the terminal. */
  List<String> lines(List<State> counters, String below, Size size) {
    int rows = terminal ? Math.max(1, size.height() - OTHER_LINES) : counters.size();
    List<State> shown = counters.stream().limit(rows).toList();
    int longest =
        shown.stream().mapToInt(each -> printable(each.counter()).length()).max().orElse(0);
    boolean all = size.width() >= ALL_COLUMNS + SHORTEST_NAME;
    int room = size.width() - (all ? ALL_COLUMNS : FEW_COLUMNS);
    int name =
        Math.max(1, Math.min(room, Math.max(SHORTEST_NAME, Math.min(longest, LONGEST_NAME))));
    List<String> lines = new ArrayList<>();
    lines.add(row(name, all, "counter", "total", "exact", "rate/s", "lag s", "state", "right"));
    shown.forEach(state -> lines.add(row(name, all, state)));
    if (shown.size() < counters.size()) {
      lines.add("and " + (counters.size() - shown.size()) + " more");
    }
    lines.add(below);
    return lines;
  }

  /** Shows control characters by numbers, because an id could move the cursor or end a line. */
  static String printable(String id) {
    StringBuilder shown = new StringBuilder();
    id.codePoints()
        .forEach(
            each -> {
              if (Character.isISOControl(each)) {
                shown.append(String.format(Locale.ROOT, "\\u%04x", each));
              } else {
                shown.appendCodePoint(each);
              }
            });
    return shown.toString();
  }

  private String row(int name, boolean all, State state) {
    return row(
        name,
        all,
        printable(state.counter()),
        number(state.total()),
        number(state.exact()),
        String.format(Locale.ROOT, "%.1f", state.rate()),
        colour(
            state.lag() <= FRESH_SECONDS ? 32 : state.lag() <= LATE_SECONDS ? 33 : 31,
            String.format(Locale.ROOT, "%7.2f", state.lag())),
        colour(
            state.live() ? 36 : 2,
            String.format("%-6s", state.polled() ? "polled" : state.live() ? "live" : "quiet")),
        colour(
            state.right() == Verdict.YES ? 32 : state.right() == Verdict.NO ? 31 : 33,
            state.held()
                ? "held"
                : state.right().name().toLowerCase(Locale.ROOT).replace('_', ' ')));
  }

  /** A line of cells, in the heading's order. A narrow line lacks exact and rate. */
  private static String row(int name, boolean all, String... cells) {
    String clipped = cells[0].length() <= name ? cells[0] : cells[0].substring(0, name - 1) + "…";
    String more = all ? String.format("%10s %8s ", cells[2], cells[3]) : "";
    return String.format(
        "%-" + name + "s %10s %s%7s  %-6s  %s",
        clipped,
        cells[1],
        more,
        cells[4],
        cells[5],
        cells[6]);
  }

  private static String number(@Nullable Number number) {
    return number == null ? "-" : number.toString();
  }

  private String colour(int code, String text) {
    return colours ? "\033[" + code + "m" + text + "\033[0m" : text;
  }
}
