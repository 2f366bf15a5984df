package dev.tallyroll.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Unpacks a zip into a new folder, which appears under its name only when it is complete.
 * Stateless.
 */
final class Unzip {
  private static final int MOST_ENTRIES = 10_000;
  private static final long MOST_BYTES = 1_000_000_000;

  private Unzip() {}

  /**
   * An entry that points outside of the folder, and a zip larger than any emulator, are refused.
   */
  static void into(Path zip, Path folder) throws IOException {
    if (Files.isDirectory(folder)) {
      return;
    }
    // A name that no search for emulators matches.
    var part = Files.createTempDirectory(folder.getParent(), ".part");
    try (var file = new ZipFile(zip.toFile())) {
      requireReasonable(file);
      for (var entry : file.stream().toList()) {
        extract(file, entry, part);
      }
      move(part, folder);
    } finally {
      delete(part);
    }
  }

  private static void requireReasonable(ZipFile file) throws IOException {
    long bytes = file.stream().mapToLong(ZipEntry::getSize).sum();
    if (file.size() > MOST_ENTRIES || bytes > MOST_BYTES) {
      throw new IOException(
          "expected a zip of at most %d files and %d bytes, found %d and %d"
              .formatted(MOST_ENTRIES, MOST_BYTES, file.size(), bytes));
    }
  }

  private static void extract(ZipFile file, ZipEntry entry, Path folder) throws IOException {
    var target = folder.resolve(entry.getName()).normalize();
    if (!target.startsWith(folder)) {
      throw new IOException("expected a path inside of the zip's folder, found " + entry.getName());
    }
    if (entry.isDirectory()) {
      Files.createDirectories(target);
      return;
    }
    Files.createDirectories(target.getParent());
    try (var content = file.getInputStream(entry)) {
      Files.copy(content, target);
    }
  }

  private static void move(Path part, Path folder) throws IOException {
    try {
      Files.move(part, folder, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      // Another process was faster; its folder is as good.
      if (!Files.isDirectory(folder)) {
        throw e;
      }
    }
  }

  private static void delete(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return;
    }
    try (var files = Files.walk(folder)) {
      for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
