package dev.tallyroll;

import org.jspecify.annotations.Nullable;

/** What the client promises to be there although its types do not say so. */
public final class Present {
  private Present() {}

  public static <T> T of(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException("Firestore: expected a value; found none");
    }
    return value;
  }
}
