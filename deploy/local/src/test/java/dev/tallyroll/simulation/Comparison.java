package dev.tallyroll.simulation;

import dev.tallyroll.CounterPath;
import java.util.ArrayList;
import java.util.List;

/** Makes the same calls on both sides, as long as the answers are the same. */
final class Comparison {
  private final Side simulated;
  private final Side emulated;
  private final List<String> done = new ArrayList<>();

  Comparison(Side simulated, Side emulated) {
    this.simulated = simulated;
    this.emulated = emulated;
  }

  /** What was called and answered, to be read after a failure. */
  List<String> done() {
    return done;
  }

  void run(RandomCalls calls, int number) throws Exception {
    CounterPath counter = calls.counter();
    simulated.start(counter);
    emulated.start(counter);
    for (int i = 0; i < number; i++) {
      make(calls.next());
    }
    for (RandomCalls.Call call : calls.last()) {
      make(call);
    }
  }

  private void make(RandomCalls.Call call) throws Exception {
    done.add(call.text());
    String expected = call.play().on(emulated);
    String found = call.play().on(simulated);
    if (!found.equals(expected)) {
      throw new AssertionError(
          "%s:\nexpected, as from the emulator: %s\nfound in the simulation: %s"
              .formatted(call.text(), expected, found));
    }
    done.add("  " + found);
  }
}
