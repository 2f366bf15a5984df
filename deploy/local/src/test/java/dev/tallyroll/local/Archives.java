package dev.tallyroll.local;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Makes small jars and zips that stand for the emulators'. Stateless. */
final class Archives {
  private Archives() {}

  static byte[] zip(Map<String, byte[]> files) {
    var bytes = new ByteArrayOutputStream();
    try (var zip = new ZipOutputStream(bytes)) {
      for (var file : new TreeMap<>(files).entrySet()) {
        zip.putNextEntry(new ZipEntry(file.getKey()));
        zip.write(file.getValue());
        zip.closeEntry();
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return bytes.toByteArray();
  }

  static byte[] jar() {
    return zip(Map.of("a/Class.class", new byte[] {1}));
  }

  static byte[] jarWithMain(String mainClass) {
    var manifest = "Manifest-Version: 1.0\nMain-Class: " + mainClass + "\n\n";
    return zip(Map.of("META-INF/MANIFEST.MF", manifest.getBytes(StandardCharsets.US_ASCII)));
  }

  static Path write(Path file, byte[] content) throws IOException {
    Files.createDirectories(file.getParent());
    return Files.write(file, content);
  }

  static String sha256(byte[] content) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
  }
}
