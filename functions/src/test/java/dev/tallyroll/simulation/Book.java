package dev.tallyroll.simulation;

import dev.tallyroll.protocol.Journal;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads what the code logs: where nothing goes wrong there is nothing to warn of, and it adds up.
 */
final class Book implements Journal {
  private final Map<String, Integer> sums = new TreeMap<>();
  private @Nullable String warning;

  @Override
  public void write(Severity severity, String message, Map<String, ?> fields) {
    if (severity != Severity.INFO && warning == null) {
      warning = message + " " + fields;
    }
    fields.forEach(
        (name, value) -> {
          if (value instanceof Integer number) {
            sums.merge(message + "." + name, number, Integer::sum);
          }
        });
  }

  int sum(String field) {
    return sums.getOrDefault(field, 0);
  }

  /** Of a world without faults, in which nothing is under way. */
  void checkFaultless() {
    if (warning != null) {
      throw new AssertionError("a warning although nothing went wrong: " + warning);
    }
    int ended = sum("tick.writes") + sum("tick.unchanged") + sum("tick.settled");
    if (sum("tick.sums") != ended + sum("tick.refused")) {
      throw new AssertionError("reports of ticks do not add up: " + sums);
    }
  }
}
