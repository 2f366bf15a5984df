package dev.tallyroll.protocol;

import java.util.LinkedHashMap;
import java.util.Map;

/** What a roller did since its last report. Used on the event loop only. */
final class TickReport {
  int sums;
  int writes;
  int unchanged;
  int settled;
  int refused;
  int unusable;
  int late;
  private int failed;
  private String cause = "";

  void failed(Throwable failure) {
    if (failed++ == 0) {
      cause = failure.toString();
    }
  }

  boolean hasFailures() {
    return failed > 0;
  }

  boolean isEmpty() {
    return sums + writes + unchanged + settled + refused + failed == 0;
  }

  Map<String, Object> fields(int live) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("live", live);
    fields.put("sums", sums);
    fields.put("writes", writes);
    fields.put("unchanged", unchanged);
    fields.put("settled", settled);
    fields.put("refused", refused);
    fields.put("unusable", unusable);
    fields.put("late", late);
    fields.put("failed", failed);
    if (failed > 0) {
      fields.put("cause", cause);
    }
    return fields;
  }
}
