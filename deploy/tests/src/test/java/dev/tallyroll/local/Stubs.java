package dev.tallyroll.local;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/**
 * Local clouds whose functions are {@link StubFunction}s. As a program, it starts one, prints its
 * processes, and runs until it is ended. Stateless.
 */
final class Stubs {
  static final Path CLASSES =
      Checkout.fromSystemProperty().root().resolve("deploy/tests/target/test-classes");

  private Stubs() {}

  static LocalCloudOptions options(Recorder recorder) {
    return optionsFor(recorder.address());
  }

  private static LocalCloudOptions optionsFor(String recorder) {
    var stub = StubFunction.class.getName();
    return new LocalCloudOptions()
        .functions(CLASSES, stub, stub)
        .settings(Map.of("RECORDER", recorder))
        // Keeps the deliberate failures of tests out of the output.
        .log(line -> {})
        .schedule(Duration.ZERO);
  }

  public static void main(String[] arguments) throws InterruptedException {
    var cloud = LocalCloud.start(optionsFor(arguments[0]));
    System.out.println(cloud.pids().stream().map(String::valueOf).collect(Collectors.joining(" ")));
    new CountDownLatch(1).await();
  }
}
