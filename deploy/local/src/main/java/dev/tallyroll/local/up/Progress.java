package dev.tallyroll.local.up;

import java.io.PrintWriter;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * Says what is being waited for, and for how long by now: on a terminal each second, on one line
 * that is gone at the end; elsewhere once. Thread-safe.
 */
final class Progress {
  private static final long PERIOD_MILLIS = 1_000;

  private final PrintWriter err;
  private final boolean terminal;

  Progress(PrintWriter err, boolean terminal) {
    this.err = err;
    this.terminal = terminal;
  }

  /** Does the work meanwhile. */
  <T> T during(String what, Callable<T> work) throws Exception {
    if (!terminal) {
      err.println(what);
      return work.call();
    }
    long started = System.nanoTime();
    Timer clock = new Timer("progress", /* isDaemon= */ true);
    clock.scheduleAtFixedRate(
        new TimerTask() {
          @Override
          public void run() {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - started);
            say("\r" + what + " ... " + seconds + " s");
          }
        },
        0,
        PERIOD_MILLIS);
    try {
      return work.call();
    } finally {
      clock.cancel();
      say("\r\033[K");
    }
  }

  private synchronized void say(String text) {
    err.print(text);
    err.flush();
  }
}
