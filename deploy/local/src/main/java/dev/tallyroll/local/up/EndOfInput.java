package dev.tallyroll.local.up;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.CountDownLatch;

/**
 * A request to end that leaves the children alone, as a signal to the whole group of processes
 * would not. Stateless.
 */
final class EndOfInput {
  /** Set by the script, which then closes the input when it is interrupted. */
  private static final String PROPERTY = "tallyroll.ends-with-input";

  private EndOfInput() {}

  /** Opens when the input ends; never, unless the script has asked for it. */
  static CountDownLatch latch(InputStream input) {
    CountDownLatch ended = new CountDownLatch(1);
    if (Boolean.getBoolean(PROPERTY)) {
      Thread reader = new Thread(() -> read(input, ended), "end-of-input");
      reader.setDaemon(true);
      reader.start();
    }
    return ended;
  }

  private static void read(InputStream input, CountDownLatch ended) {
    try {
      input.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // A broken pipe means the same as a closed one.
    } finally {
      ended.countDown();
    }
  }
}
