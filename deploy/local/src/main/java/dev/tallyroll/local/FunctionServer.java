package dev.tallyroll.local;

import dev.tallyroll.local.JvmCommand.Program;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One function, served by the official invoker in a child JVM, always on the same port. It can be
 * killed, as by a crash, and started again. Thread-safe.
 */
public final class FunctionServer implements AutoCloseable {
  private static final String INVOKER_MAIN = "com.google.cloud.functions.invoker.runner.Invoker";
  private static final List<String> JVM_OPTIONS = List.of("-Xmx512m");

  /** The invoker answers it itself; every other path would call the function. */
  private static final String NOT_THE_FUNCTION = "/favicon.ico";

  private final String name;
  private final JvmCommand command;
  private final int port;
  private final HttpClient http;
  private final Consumer<String> log;
  private final OperationsLog operations = new OperationsLog();
  private final SweepLog sweeps = new SweepLog();
  private @Nullable ChildProcess child;
  private boolean closed;

  private FunctionServer(Function function, int port, Consumer<String> log) {
    this.name = function.name();
    this.command = function.command(port);
    this.port = port;
    this.http = Loopback.client();
    this.log = log;
  }

  /**
   * What to serve. Immutable.
   *
   * @param name of the service
   * @param invoker the invoker's jar
   * @param classPath the function's jar or classes
   * @param target the function's class
   * @param environment all of it, but the service's name
   */
  record Function(
      String name, Path invoker, String classPath, String target, Map<String, String> environment) {
    JvmCommand command(int port) {
      var arguments =
          List.of("--classpath", classPath, "--target", target, "--port", String.valueOf(port));
      var complete = new TreeMap<>(environment);
      complete.put("K_SERVICE", name);
      var program = new Program(List.of(invoker), INVOKER_MAIN);
      return new JvmCommand("the function " + name, program, JVM_OPTIONS, arguments, complete);
    }
  }

  /** Starts it; does not wait. */
  static FunctionServer launch(Function function, int port, Consumer<String> log) {
    var server = new FunctionServer(function, port, log);
    server.launch();
    return server;
  }

  FunctionServer awaitReady() {
    new Readiness(http).await(child(), command.name(), Loopback.uri(port, NOT_THE_FUNCTION));
    return this;
  }

  /** Ends its process at once (SIGKILL), with whatever it was doing. */
  public void kill() {
    child().kill();
  }

  /**
   * Starts a new process on the same port, after killing the old one if it still runs; waits until
   * it serves.
   */
  public void restart() {
    kill();
    launch();
    awaitReady();
  }

  public boolean isAlive() {
    return child().isAlive();
  }

  public long pid() {
    return child().pid();
  }

  public URI address() {
    return Loopback.uri(port, "/");
  }

  /** What all its processes did in Firestore, by their own account, at most about a second old. */
  public Operations operations() {
    return operations.total();
  }

  /** What its sweeps have done since the start, over all its processes. */
  public Sweeps sweeps() {
    return sweeps.soFar();
  }

  /** The last lines that the current process printed, 200 at most. */
  public List<String> lastLines() {
    return child().lastLines().all();
  }

  private synchronized void launch() {
    if (closed) {
      throw new LocalCloudException(command.name() + " was closed and cannot start again");
    }
    var read = operations.newProcess().andThen(sweeps);
    child = ChildProcess.start(command, new FunctionOutput(name, read, log));
  }

  synchronized ChildProcess child() {
    if (child == null) {
      throw new IllegalStateException("a function server is launched before it is handed out");
    }
    return child;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    child().close();
  }
}
