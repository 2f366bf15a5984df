package dev.tallyroll.repository;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The checkout that is tested, and what its build has made. Immutable. */
record Repository(Path root) {
  private static final int GIT_SECONDS = 30;

  static Repository underTest() {
    return new Repository(Path.of(Objects.requireNonNull(System.getProperty("tallyroll.home"))));
  }

  /**
   * Every file that is in git; gives the test up in a copy of the sources that git knows not of.
   */
  List<Path> trackedFiles() throws Exception {
    assumeTrue(Files.exists(root.resolve(".git")), "not a checkout of git: " + root);
    var git = new ProcessBuilder("git", "-C", root.toString(), "ls-files", "-z");
    var listing = Files.createTempFile("tracked", ".txt");
    try {
      var listed =
          start(git.redirectOutput(listing.toFile())).waitFor(GIT_SECONDS, TimeUnit.SECONDS);
      assumeTrue(listed, "git does not answer within " + GIT_SECONDS + " s");
      return Arrays.stream(Files.readString(listing, UTF_8).split("\0"))
          .filter(name -> !name.isEmpty())
          .map(root::resolve)
          .filter(Files::isRegularFile)
          .toList();
    } finally {
      Files.delete(listing);
    }
  }

  private static Process start(ProcessBuilder git) {
    try {
      return git.redirectError(ProcessBuilder.Redirect.DISCARD).start();
    } catch (IOException missing) {
      assumeTrue(false, "git is not installed");
      throw new IllegalStateException(missing);
    }
  }

  /** The folder that is deployed. */
  Path function() {
    return root.resolve("functions/target/function");
  }

  Path deployed() {
    return function().resolve("tallyroll.jar");
  }

  /** The libraries that are in it, each as its own jar, and those of the local stack. */
  List<Path> libraries() throws IOException {
    return list(root.resolve("deploy/local/target/libs"));
  }

  Path sbom(String format) {
    return root.resolve("functions/target/sbom/tallyroll.cdx." + format);
  }

  static List<Path> list(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }
}
