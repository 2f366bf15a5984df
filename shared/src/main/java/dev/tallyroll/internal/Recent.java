package dev.tallyroll.internal;

import java.util.LinkedHashMap;
import java.util.Map;

/** Maps that forget: memory of what comes without an end has a bound. */
public final class Recent {
  private Recent() {}

  /**
   * Makes a map that forgets the entry that was used longest ago for one too many. Not thread-safe:
   * a look changes the order, too.
   */
  public static <K, V> Map<K, V> entries(int most) {
    return new LinkedHashMap<>(16, 0.75f, /* accessOrder= */ true) {
      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
      }
    };
  }
}
