package dev.tallyroll;

import java.util.Optional;

/** Hears of a counter's total. Called by one thread at a time. */
@FunctionalInterface
public interface CounterListener {
  /**
   * The roll-up is now this; called once with what is there at the start, then at each change.
   *
   * @param total empty while there is no roll-up: no shard was written yet, or the counter is
   *     deleted
   */
  void changed(Optional<RolledUpTotal> total);

  /**
   * The listening has ended for good, as when permission was withdrawn: nothing more will be heard.
   * Short interruptions are mended without a word.
   */
  default void failed(RuntimeException failure) {}
}
