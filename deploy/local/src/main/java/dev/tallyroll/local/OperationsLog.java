package dev.tallyroll.local;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Adds up the operations of a function over its processes. Each process logs how many it has done
 * since its start, so its last line counts; what it did after that line and before a crash is not
 * known. Thread-safe.
 */
final class OperationsLog {
  private static final String MESSAGE = "operations";

  private final List<AtomicReference<Operations>> processes = new CopyOnWriteArrayList<>();

  /** Where the lines of one process go, from its start on. */
  Consumer<LogLine> newProcess() {
    var last = new AtomicReference<>(Operations.NONE);
    processes.add(last);
    return line -> {
      if (line.message().equals(MESSAGE)) {
        last.set(
            new Operations(
                line.number("reads"),
                line.number("sums"),
                line.number("writes"),
                line.number("deletes")));
      }
    };
  }

  Operations total() {
    return processes.stream().map(AtomicReference::get).reduce(Operations.NONE, Operations::plus);
  }
}
