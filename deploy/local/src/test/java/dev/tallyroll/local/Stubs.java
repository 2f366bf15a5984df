package dev.tallyroll.local;

import java.nio.file.Path;
import java.util.Map;

/** Local clouds whose functions are {@link StubFunction}s. Stateless. */
final class Stubs {
  static final Path CLASSES =
      Checkout.fromSystemProperty().root().resolve("deploy/local/target/test-classes");

  private Stubs() {}

  static LocalCloudOptions.Builder options(Recorder recorder) {
    return optionsFor(recorder.address());
  }

  static LocalCloudOptions.Builder optionsFor(String recorder) {
    var stub = StubFunction.class.getName();
    return LocalCloudOptions.builder()
        .functions(CLASSES, stub, stub)
        .settings(Map.of("RECORDER", recorder))
        // The failures that the tests make would else fill the output.
        .log(line -> {})
        .unscheduled();
  }
}
