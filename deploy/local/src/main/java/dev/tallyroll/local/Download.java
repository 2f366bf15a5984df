package dev.tallyroll.local;

import java.net.URI;

/**
 * A file to fetch, and what it must be. Immutable.
 *
 * @param source where it is
 * @param bytes its exact size
 * @param sha256 its checksum, in lower-case hexadecimal
 */
record Download(URI source, long bytes, String sha256) {
  private static final String HEX_OF_32_BYTES = "[0-9a-f]{64}";

  Download {
    if (bytes <= 0) {
      throw new IllegalArgumentException("expected a size above 0, found " + bytes);
    }
    if (!sha256.matches(HEX_OF_32_BYTES)) {
      throw new IllegalArgumentException(
          "expected 64 hexadecimal digits of SHA-256, found " + sha256);
    }
  }

  String fileName() {
    String path = source.getPath();
    return path.substring(path.lastIndexOf('/') + 1);
  }
}
