package dev.tallyroll.it;

import com.google.gson.Gson;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.settings.TotalsFile;
import java.util.Map;
import java.util.TreeMap;

/**
 * A file of totals with one entry, {@code counters}. Immutable.
 *
 * @param keys of the entry
 */
@SuppressWarnings("Immutable") // Strings, numbers, and maps of them.
public record TestTotals(Map<String, Object> keys) {
  /** Counters with shards, below a pattern such as {@code rooms/{room}/counters}. */
  public static TestTotals of(String counters) {
    return of(Layout.DEFAULT.in(counters));
  }

  /** What a layout has. */
  public static TestTotals of(Layout layout) {
    TestTotals totals =
        new TestTotals(Map.of("of", layout.of()))
            .with("document", layout.document())
            .with("rollups", layout.rollups());
    return layout.countField().isEmpty() ? totals : totals.with("sum", layout.countField());
  }

  /** Counters that RollUp sums each period, without events. */
  public static TestTotals polled(String every) {
    return of("counters").with("events", false).with("every", every);
  }

  /** The same, with another value of a key. */
  public TestTotals with(String key, Object value) {
    Map<String, Object> all = new TreeMap<>(keys);
    all.put(key, value);
    return new TestTotals(all);
  }

  /** The text of the file. */
  public String text() {
    return new Gson().toJson(Map.of("counters", keys));
  }

  /** The functions' settings. */
  public Map<String, String> settings() {
    return Map.of("TOTALS", text());
  }

  /** The entry, as the functions read it. */
  public Entry entry() {
    return TotalsFile.parse(text()).entries().get(0);
  }
}
