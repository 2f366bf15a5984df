package dev.tallyroll.functions;

import io.cloudevents.CloudEvent;
import java.util.LinkedHashMap;
import java.util.Map;

/** What a log line says of the event that it is about. */
final class Particulars {
  private static final String TRACE = "logging.googleapis.com/trace";

  private Particulars() {}

  static Map<String, Object> of(CloudEvent event) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("event_id", event.getId());
    fields.put("event_type", event.getType());
    fields.put("event_source", event.getSource().toString());
    if (event.getSubject() != null) {
      fields.put("event_subject", event.getSubject());
    }
    Object trace = event.getExtension("traceparent");
    if (trace != null) {
      fields.put(TRACE, traceId(trace.toString()));
    }
    return fields;
  }

  /** W3C's traceparent is version-trace-span-flags. */
  private static String traceId(String traceparent) {
    String[] parts = traceparent.split("-", -1);
    return parts.length == 4 ? parts[1] : traceparent;
  }
}
