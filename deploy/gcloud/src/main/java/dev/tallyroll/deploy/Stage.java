package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.stream.Stream;

/**
 * The folder with the copies that are deployed: of one deployment, marked as its own, and locked as
 * long as this is open. Nothing outside of it is written, and nothing of a folder without its mark.
 */
final class Stage implements Closeable {
  private static final String MARKER = ".tallyroll-stage";
  private static final int DIGITS_OF_HASH = 40;

  private final Path folder;
  private final FileChannel lock;

  private Stage(Path folder, FileChannel lock) {
    this.folder = folder;
    this.lock = lock;
  }

  /**
   * Opens the folder of a deployment, and makes it if it is not there.
   *
   * @throws Refusal if it is somebody else's, or another run holds it
   */
  static Stage open(Path folder, Deployment owner) {
    String name = String.join(" ", owner.project(), owner.database(), owner.name()) + "\n";
    Path marker = folder.resolve(MARKER);
    try {
      if (!Files.exists(marker) && !isEmpty(folder)) {
        throw new Refusal(
            "--stage: expected an empty folder or one that deploy has made, found " + folder);
      }
      Files.createDirectories(folder);
      FileChannel channel = FileChannel.open(marker, CREATE, READ, WRITE);
      try {
        claim(channel, folder, name);
        return new Stage(folder, channel);
      } catch (Refusal | IOException e) {
        channel.close();
        throw e;
      }
    } catch (IOException e) {
      throw new Refusal("--stage: expected a folder to write to, found " + e);
    }
  }

  /** The default folder of a deployment. */
  static Path folder(Path home, Deployment of) {
    String own = String.join("/", of.project(), of.database(), of.name());
    return home.resolve("deploy/gcloud/target/stage").resolve(own);
  }

  /** The owner of a deploy, as others read it: this folder, which is locked, on this machine. */
  static String owner(Path folder) {
    try {
      return InetAddress.getLocalHost().getHostName() + ":" + folder;
    } catch (UnknownHostException e) {
      return "somewhere:" + folder;
    }
  }

  private static boolean isEmpty(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return true;
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isEmpty();
    }
  }

  private static void claim(FileChannel marker, Path folder, String name) throws IOException {
    if (!isLocked(marker)) {
      throw new Refusal(
          "another deploy of this deployment is at work in " + folder + "; wait for it");
    }
    ByteBuffer there = ByteBuffer.allocate((int) marker.size());
    marker.read(there, 0);
    String owner = new String(there.array(), UTF_8);
    if (owner.isEmpty()) {
      marker.write(UTF_8.encode(name), 0);
    } else if (!owner.equals(name)) {
      throw new Refusal(
          "--stage: expected the folder of " + name.strip() + ", found that of " + owner.strip());
    }
  }

  private static boolean isLocked(FileChannel marker) throws IOException {
    try {
      return marker.tryLock() != null;
    } catch (OverlappingFileLockException here) {
      return false;
    }
  }

  Path file(String name) {
    return folder.resolve(name);
  }

  void write(String name, String text) throws IOException {
    Files.createDirectories(file(name).getParent());
    Files.writeString(file(name), text);
  }

  /** Copies the artifact to a folder that holds nothing else. */
  void copyFunction(Path artifact) throws IOException {
    Path target = file("function");
    for (Path old : files(target).sorted(Comparator.reverseOrder()).toList()) {
      Files.delete(old);
    }
    for (Path file : files(artifact).toList()) {
      Files.copy(file, target.resolve(artifact.relativize(file).toString()));
    }
    // Without this file, gcloud would write its own, which omits all that git ignores: the jars.
    Files.writeString(target.resolve(".gcloudignore"), ".gcloudignore\n");
  }

  /** A folder and all that is in it; nothing if it is not there. */
  private static Stream<Path> files(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return Stream.empty();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.toList().stream();
    }
  }

  /**
   * The hash of an artifact's files and their names, for a label; empty if nothing is built.
   *
   * @throws Refusal if there are several jars, of which the platform would not know which to take
   */
  static String hash(Path artifact) throws IOException {
    StringBuilder files = new StringBuilder();
    int jars = 0;
    for (Path file : files(artifact).filter(Files::isRegularFile).sorted().toList()) {
      jars += artifact.equals(file.getParent()) && file.toString().endsWith(".jar") ? 1 : 0;
      files.append(sha256(Files.readAllBytes(file)));
      files.append("  ").append(artifact.relativize(file)).append('\n');
    }
    if (jars > 1) {
      throw new Refusal(
          "ARTIFACT: expected a folder with one jar, found " + jars + " in " + artifact);
    }
    return jars == 0 ? "" : shortHash(files.toString());
  }

  static String shortHash(String text) {
    return sha256(text.getBytes(UTF_8)).substring(0, DIGITS_OF_HASH);
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() throws IOException {
    lock.close();
  }
}
