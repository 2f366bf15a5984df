package dev.tallyroll.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** The checkout that is tested. Stateless. */
final class Home {

  static final Path ROOT =
      Path.of(Objects.requireNonNull(System.getProperty("tallyroll.home"), "tallyroll.home"));
  static final Path SCRIPTS = ROOT.resolve("deploy/gcloud");

  /** A gcloud and a curl of ours; nobody is signed in unless FAKE names a project. */
  static final Path FAKES = SCRIPTS.resolve("src/test/resources/fake");

  static final Path FIRESTORE = ROOT.resolve("deploy/firestore");

  private Home() {}

  /** One of the scripts, with the options that all of them want. */
  static List<String> command(String script, Path stage) {
    return List.of(
        SCRIPTS.resolve(script).toString(),
        "--project=p",
        "--region=us-central1",
        "--stage=" + stage);
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
