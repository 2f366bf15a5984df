package dev.tallyroll.local;

import java.nio.file.Path;
import java.util.Map;

/** Local clouds whose functions are {@link StubFunction}s. Stateless. */
final class Stubs {
  static final Path CLASSES =
      Checkout.fromSystemProperty().root().resolve("deploy/local/target/test-classes");

  private Stubs() {}

  static LocalCloudOptions options(Recorder recorder) {
    return optionsFor(recorder.address());
  }

  static LocalCloudOptions optionsFor(String recorder) {
    var stub = StubFunction.class.getName();
    return new LocalCloudOptions()
        .functions(CLASSES, stub, stub)
        .settings(Map.of("RECORDER", recorder))
        // The failures that the tests make would else fill the output.
        .log(line -> {})
        .unscheduled();
  }
}
