package dev.tallyroll.internal;

import java.util.LinkedHashMap;
import java.util.Map;

/** Maps of bounded size, which forget old entries. */
public final class Recent {
  private Recent() {}

  /**
   * Makes a map that forgets the entry that was used longest ago when there is one too many. Not
   * thread-safe: reading changes the order, too.
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
