package dev.tallyroll.local;

import java.util.ArrayDeque;
import java.util.List;
import java.util.stream.Collectors;

/** The last lines that a child printed, for error messages; older ones are dropped. Thread-safe. */
final class LastLines {
  static final int KEPT = 200;
  private static final int SHOWN = 15;

  private final ArrayDeque<String> lines = new ArrayDeque<>();

  synchronized void add(String line) {
    if (lines.size() == KEPT) {
      lines.removeFirst();
    }
    lines.addLast(line);
  }

  synchronized boolean contain(String text) {
    return lines.stream().anyMatch(line -> line.contains(text));
  }

  synchronized List<String> all() {
    return List.copyOf(lines);
  }

  /** The end of it, indented, to be put below a message. */
  synchronized String shown() {
    if (lines.isEmpty()) {
      return "  (it printed nothing)";
    }
    return lines.stream()
        .skip(Math.max(0, lines.size() - SHOWN))
        .map(line -> "  | " + line)
        .collect(Collectors.joining("\n"));
  }
}
