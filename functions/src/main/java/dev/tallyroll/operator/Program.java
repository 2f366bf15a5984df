package dev.tallyroll.operator;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;

/**
 * What the programs have in common: where they print, and how they end.
 *
 * @param environment gives the value of a variable, or null if it is not set
 * @param out gets what bash or another program reads
 * @param err gets what people read
 */
record Program(UnaryOperator<String> environment, PrintStream out, PrintStream err) {
  /** Refused before any change, as by each command of deploy/gcloud. */
  static final int REFUSED = 2;

  private static final int FAILED = 1;

  /** What a program does. It throws an IllegalArgumentException to refuse. */
  @FunctionalInterface
  interface Work {
    /** Returns the exit status. */
    int run() throws Exception;
  }

  /** One with the environment and the streams of this process. */
  static Program ofProcess() {
    return new Program(
        System::getenv,
        new PrintStream(System.out, true, StandardCharsets.UTF_8),
        new PrintStream(System.err, true, StandardCharsets.UTF_8));
  }

  /** Does the work; a refusal, and what the database answers, is a message and a status. */
  int run(Work work) throws Exception {
    try {
      return work.run();
    } catch (IllegalArgumentException refused) {
      err.println(refused.getMessage());
      return REFUSED;
    } catch (ExecutionException failure) {
      err.println("The database did not do it: " + failure.getCause());
      return FAILED;
    }
  }
}
