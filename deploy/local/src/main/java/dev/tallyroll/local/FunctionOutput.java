package dev.tallyroll.local;

import java.util.function.Consumer;

/**
 * Reads what one process of a function prints: hands its log lines on, and shows its warnings and
 * errors, the first ones only, since a function that fails on every event would flood the terminal.
 * Used by one thread.
 */
final class FunctionOutput implements Consumer<String> {
  private static final int MOST_SHOWN = 50;
  private static final int LONGEST_SHOWN = 400;

  private final String name;
  private final Consumer<LogLine> reader;
  private final Consumer<String> log;
  private int bad;

  FunctionOutput(String name, Consumer<LogLine> reader, Consumer<String> log) {
    this.name = name;
    this.reader = reader;
    this.log = log;
  }

  @Override
  public void accept(String line) {
    LogLine.parse(line)
        .ifPresent(
            parsed -> {
              reader.accept(parsed);
              if (parsed.isBad()) {
                show(line);
              }
            });
  }

  private void show(String line) {
    bad++;
    if (bad <= MOST_SHOWN) {
      log.accept("[" + name + "] " + shortened(line));
    } else if (bad == MOST_SHOWN + 1) {
      log.accept("[" + name + "] (more warnings and errors of this process are not shown)");
    }
  }

  /** A stack trace is one long line; all of it is in the last lines of the process. */
  private static String shortened(String line) {
    return line.length() <= LONGEST_SHOWN ? line : line.substring(0, LONGEST_SHOWN) + " ...";
  }
}
