package dev.tallyroll.local;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.Objects;

/**
 * Ties a child JVM to its launcher: halts the child when the pipe on its standard input closes. The
 * operating system closes the pipe even when the launcher is killed. The first argument names the
 * main class to run; the others are for that class. Uses only the JDK, because it runs on the class
 * path of another program.
 */
final class Leash {
  private static final int LAUNCHER_GONE = 143;
  private static final int MAIN_FAILED = 1;

  private Leash() {}

  public static void main(String[] arguments) throws Exception {
    var watch = new Thread(Leash::haltAtEndOfInput, "leash");
    watch.setDaemon(true);
    watch.start();
    run(arguments[0], Arrays.copyOfRange(arguments, 1, arguments.length));
  }

  private static void run(String mainClass, String[] arguments) throws Exception {
    try {
      Class.forName(mainClass).getMethod("main", String[].class).invoke(null, (Object) arguments);
    } catch (InvocationTargetException e) {
      Objects.requireNonNullElse(e.getCause(), e).printStackTrace();
      System.exit(MAIN_FAILED);
    }
  }

  private static void haltAtEndOfInput() {
    try {
      System.in.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // A broken pipe means the same as a closed one.
    } finally {
      // No exit, which would wait for shutdown hooks that may hang.
      Runtime.getRuntime().halt(LAUNCHER_GONE);
    }
  }
}
