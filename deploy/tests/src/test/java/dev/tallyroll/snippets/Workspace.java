package dev.tallyroll.snippets;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tallyroll.Home;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A folder below target with a snippet, its driver, and the packages that they need. So no test
 * leaves files in the sources. Each folder is made once. Thread-safe.
 */
public final class Workspace {
  static final Path CLIENTS = Home.ROOT.resolve("deploy/clients");
  private static final Path DRIVERS = Path.of("src", "test", "resources", "clients");

  /** Debian's folder of packages for Go. */
  private static final Path GO_PACKAGES = Path.of("/usr/share/gocode");

  private static final Map<String, Path> READY = new ConcurrentHashMap<>();

  private Workspace() {}

  /** A folder with the package, the recipes, and the npm packages of the package's lock file. */
  public static Path ofNpm() {
    Home.needs("node");
    Home.needs("npm");
    return READY.computeIfAbsent("npm", Workspace::install);
  }

  /** A folder with the app of likes, beside the package; its start installs what it needs. */
  public static Path ofLikes() {
    ofNpm();
    return READY.computeIfAbsent(
        "likes",
        client -> {
          copySnippets(client, folder(client));
          return folder(client);
        });
  }

  private static Path install(String client) {
    var folder = folder(client);
    copySnippets(client, folder);
    copy(CLIENTS.resolve("recipes.mjs"), folder);
    copy(DRIVERS.resolve("drive.mjs"), folder);
    copy(DRIVERS.resolve("recipes-drive.mjs"), folder);
    var lock = folder.resolve("package-lock.json");
    var installed = folder.resolve("node_modules/installed.json");
    if (!Files.exists(installed) || !read(installed).equals(read(lock))) {
      Home.run(folder, Map.of(), "npm", "ci", "--ignore-scripts", "--prefer-offline");
      copyTo(lock, installed);
    }
    return folder;
  }

  /** A program of the tests. */
  static Path driver(String name) {
    return DRIVERS.resolve(name);
  }

  /** A folder of the Java snippet's classes, compiled on the class path of these tests. */
  static Path ofJava() {
    return READY.computeIfAbsent("java", Workspace::compile);
  }

  private static Path compile(String client) {
    var folder = folder(client);
    copySnippets(client, folder);
    copy(DRIVERS.resolve("Drive.java"), folder);
    var classPath = Map.of("CLASSPATH", System.getProperty("java.class.path"));
    Home.run(
        folder,
        classPath,
        Home.jdk("javac"),
        "--release=17",
        "-Xlint:all,-path,-classfile",
        "-Werror",
        "-proc:none",
        "ShardedCounter.java",
        "Drive.java");
    return folder;
  }

  /** A folder with the Go program {@code drive}. */
  static Path ofGo() {
    Home.needs("go");
    assumeTrue(
        Files.isDirectory(GO_PACKAGES.resolve("src/cloud.google.com/go/firestore")),
        "golang-google-cloud-dev is not installed");
    return READY.computeIfAbsent("go", Workspace::build);
  }

  private static Path build(String client) {
    var folder = folder(client);
    copySnippets(client, folder.resolve("src/counter"));
    copy(DRIVERS.resolve("drive.go"), folder.resolve("src/driver"));
    Map<String, String> environment =
        Map.ofEntries(
            Map.entry("GO111MODULE", "off"),
            Map.entry("GOPATH", folder + ":" + GO_PACKAGES),
            Map.entry("GOCACHE", folder.resolve("cache").toString()),
            Map.entry("CGO_ENABLED", "0"));
    Home.run(folder, environment, "go", "vet", "counter");
    Home.run(folder, environment, "go", "build", "-o", "drive", "driver");
    return folder;
  }

  private static Path folder(String client) {
    return Path.of("target", "clients", client).toAbsolutePath();
  }

  private static void copySnippets(String client, Path folder) {
    try (var files = Files.list(CLIENTS.resolve(client))) {
      files.filter(Files::isRegularFile).forEach(file -> copy(file, folder));
    } catch (IOException failure) {
      throw new UncheckedIOException("could not list the client " + client, failure);
    }
  }

  private static void copy(Path file, Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException failure) {
      throw new UncheckedIOException("could not make " + folder, failure);
    }
    copyTo(file, folder.resolve(file.getFileName()));
  }

  private static void copyTo(Path file, Path target) {
    try {
      Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException failure) {
      throw new UncheckedIOException("could not copy " + file, failure);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException failure) {
      throw new UncheckedIOException("could not read " + file, failure);
    }
  }
}
