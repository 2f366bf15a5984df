package dev.tallyroll.runs;

import java.util.Map;

/** Where the protocol reports what an operator should see. Safe for use by many threads. */
public interface StructuredLog {
  /** Name of the field that says which entry of an app's totals a line is about. */
  String ENTRY = "entry";

  /** Name of the field that says which worker a line is about. */
  String WORKER = "worker";

  /** How loud a line is. The names are Cloud Logging's. */
  enum Severity {
    INFO,
    WARNING,
    ERROR
  }

  /** Writes one line: what happened, and its details. */
  void write(Severity severity, String message, Map<String, ?> fields);
}
