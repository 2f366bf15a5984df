package dev.tallyroll.local;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Writes what arrives of a download to a file, and knows in the end whether it is the file that was
 * expected. Writes no more than the expected size. Used by one thread at a time.
 */
final class CheckedSink implements Consumer<Optional<byte[]>>, AutoCloseable {
  private static final int STEPS = 10;
  private static final int MEGABYTE = 1_000_000;

  private final Download download;
  private final Consumer<String> progress;
  private final OutputStream file;
  private final MessageDigest digest = sha256();
  private long received;

  CheckedSink(Download download, Path file, Consumer<String> progress) throws IOException {
    this.download = download;
    this.progress = progress;
    this.file = Files.newOutputStream(file);
  }

  @Override
  public void accept(Optional<byte[]> chunk) {
    chunk.ifPresent(this::write);
  }

  private void write(byte[] bytes) {
    long before = received;
    received += bytes.length;
    if (received > download.bytes()) {
      throw new UncheckedIOException(new IOException(size("more than " + download.bytes())));
    }
    digest.update(bytes);
    try {
      file.write(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    report(before);
  }

  private void report(long before) {
    long step = received * STEPS / download.bytes();
    if (step > before * STEPS / download.bytes()) {
      progress.accept(
          "downloading %s: %d of %d MB"
              .formatted(download.fileName(), received / MEGABYTE, download.bytes() / MEGABYTE));
    }
  }

  void requireComplete() throws IOException {
    if (received != download.bytes()) {
      throw new IOException(size(String.valueOf(received)));
    }
    var found = HexFormat.of().formatHex(digest.digest());
    if (!found.equals(download.sha256())) {
      throw new IOException(
          "%s: expected SHA-256 %s, found %s"
              .formatted(download.source(), download.sha256(), found));
    }
  }

  private String size(String found) {
    return "%s: expected %d bytes, found %s".formatted(download.source(), download.bytes(), found);
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
