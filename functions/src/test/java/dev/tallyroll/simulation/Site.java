package dev.tallyroll.simulation;

import dev.tallyroll.Layout;
import dev.tallyroll.protocol.Journal;

/** Where simulated functions run. */
interface Site {
  /** A new instance. */
  Instance process();

  SimulatedFirestore connect(Instance process, Layout layout);

  Journal journal();

  /** Keeps a line of what happened. */
  void note(String line);
}
