package dev.tallyroll.local;

import dev.tallyroll.local.ChildProcess.Program;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One instance of a function, served by the official invoker in a child JVM, always on the same
 * port. It can be killed, as in a crash, and started again. Thread-safe.
 */
public final class FunctionServer implements AutoCloseable {
  private static final String INVOKER_MAIN = "com.google.cloud.functions.invoker.runner.Invoker";

  /** The invoker itself answers for this path; every other path would call the function. */
  private static final String NOT_THE_FUNCTION = "/favicon.ico";

  private final HttpClient http = Loopback.client();
  private final Object restarting = new Object();
  private final Function function;
  private final Map<String, String> environment;
  private final int port;
  private final Consumer<String> printed;
  private final FunctionOutput output;
  private final Supplier<Operations> operations;
  private volatile ChildProcess child;
  private boolean closed;

  /**
   * The function to serve. Immutable.
   *
   * @param name of the service
   * @param invoker the invoker's jar
   * @param classPath the function's jar or classes
   * @param target the function's class
   * @param jvmOptions used unless the environment has such options
   */
  record Function(String name, Path invoker, String classPath, String target, String jvmOptions) {
    String title() {
      return "the function " + name;
    }

    /** The same function, from another jar or from a folder of classes. */
    Function of(String otherClassPath) {
      return new Function(name, invoker, otherClassPath, target, jvmOptions);
    }
  }

  /**
   * The work of sweeps, as the function logs it. Immutable.
   *
   * @param parts how many parts of sweeps have ended; a small database takes one
   * @param complete how many of these parts came to the end of the database
   */
  public record Sweeps(long parts, long complete, List<Drift> drift) {
    public Sweeps {
      drift = List.copyOf(drift);
    }
  }

  /**
   * A total that a sweep has corrected. Immutable.
   *
   * @param counter its path
   * @param was the total before, or "absent"
   * @param is the total after the correction
   */
  public record Drift(String counter, String was, String is) {}

  /** Launches the function; does not wait until it works. Its operations are not counted. */
  FunctionServer(Function function, Map<String, String> environment, int port) {
    this(function, environment, port, line -> {}, line -> {}, () -> Operations.NONE);
  }

  /**
   * Launches the function; does not wait until it works.
   *
   * @param environment its whole environment, without the service's name
   * @param log takes its warnings and errors
   * @param printed takes each line that it prints
   * @param operations tells its Firestore operations so far
   */
  FunctionServer(
      Function function,
      Map<String, String> environment,
      int port,
      Consumer<String> log,
      Consumer<String> printed,
      Supplier<Operations> operations) {
    this.function = function;
    this.environment = new TreeMap<>(environment);
    this.port = port;
    this.output = new FunctionOutput(function.name(), log);
    this.printed = printed;
    this.operations = operations;
    this.environment.put("K_SERVICE", function.name());
    this.environment.putIfAbsent(ChildProcess.JVM_OPTIONS, function.jvmOptions());
    this.child = process();
  }

  private ChildProcess process() {
    output.newProcess();
    return ChildProcess.start(
        function.title(),
        new Program(function.invoker().toString(), INVOKER_MAIN),
        List.of(
            "--classpath", function.classPath(),
            "--target", function.target(),
            "--port", String.valueOf(port)),
        environment,
        line -> {
          printed.accept(line);
          output.take(line);
        });
  }

  void awaitReady() {
    child.awaitAnswer(http, Loopback.uri(port, NOT_THE_FUNCTION));
  }

  /** Fails if it was another program that answered {@link #awaitReady}. */
  void requireAlive() {
    child.requireAlive(Loopback.uri(port, NOT_THE_FUNCTION));
  }

  /** Ends its process at once (SIGKILL), in the middle of its work. */
  public void kill() {
    child.kill();
  }

  /** Asks its process to end (SIGTERM), as the platform does ten seconds before it ends it. */
  public void terminate() {
    child.terminate();
  }

  /**
   * Kills the process if it still runs, starts a new one on the same port, and waits until that
   * works. Concurrent restarts follow one after another.
   */
  public void restart() {
    synchronized (restarting) {
      kill();
      synchronized (this) {
        if (closed) {
          throw new LocalCloudException(function.title() + " was closed and cannot start again");
        }
        child = process();
      }
      awaitReady();
    }
  }

  public boolean isAlive() {
    return child.isAlive();
  }

  public long pid() {
    return child.pid();
  }

  public URI address() {
    return Loopback.uri(port, "/");
  }

  /** The Firestore operations of all its processes, as counted on the wire. */
  public Operations operations() {
    return operations.get();
  }

  /** The work of its sweeps since the start, over all its processes. */
  public Sweeps sweeps() {
    return output.sweeps();
  }

  /** The last lines that the current process printed, 200 at most. */
  public List<String> lastLines() {
    return child.lastLines();
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    child.close();
  }
}
