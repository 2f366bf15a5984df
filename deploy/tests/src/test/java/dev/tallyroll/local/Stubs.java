package dev.tallyroll.local;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * Local clouds whose functions are {@link StubFunction}s. As a program, it starts one, prints its
 * processes, and runs until it is ended. Stateless.
 */
final class Stubs {
  static final Path CLASSES =
      Checkout.fromSystemProperty().root().resolve("deploy/tests/target/test-classes");

  private Stubs() {}

  static LocalCloudOptions options(Recorder recorder) {
    var stub = StubFunction.class.getName();
    return new LocalCloudOptions()
        .functions(CLASSES, stub, stub)
        .settings(Map.of("RECORDER", recorder.address()))
        // Keeps the deliberate failures of tests out of the output.
        .log(line -> {})
        .schedule(Duration.ZERO);
  }
}
