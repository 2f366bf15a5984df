package dev.tallyroll.protocol;

import java.time.Duration;

/**
 * How runs go about it.
 *
 * @param run how long one lasts at the most
 * @param idleExit how long it stays on after its last live counter has settled
 */
public record RunSettings(Timing timing, Lanes lanes, Duration run, Duration idleExit) {
  /** How often a run says that it is alive. */
  static final Duration KEEP_UP = Duration.ofSeconds(10);

  /** How long that is believed: a crashed run keeps wake-ups away for no longer. */
  static final Duration ALIVE = Duration.ofSeconds(25);
}
