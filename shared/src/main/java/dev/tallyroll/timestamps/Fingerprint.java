package dev.tallyroll.timestamps;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;

/**
 * A short name for some bytes, the same in every process. It tells apart what differs by accident;
 * it is no proof against forgery. Stateless.
 */
final class Fingerprint {
  private static final int BYTES = 12;

  private Fingerprint() {}

  static String of(byte[] bytes) {
    byte[] digest = Arrays.copyOf(sha256().digest(bytes), BYTES);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("expected SHA-256, as in every Java", impossible);
    }
  }
}
