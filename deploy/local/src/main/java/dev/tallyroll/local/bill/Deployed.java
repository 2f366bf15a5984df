package dev.tallyroll.local.bill;

import dev.tallyroll.functions.Settings;
import dev.tallyroll.protocol.RunSettings;
import java.util.HashMap;
import java.util.Map;

/**
 * The functions as {@code deploy} runs them with these variables, which are those of {@code
 * deploy/gcloud/settings.env}. Immutable.
 *
 * @param settings of the runs, by the functions' own rules
 * @param rollerCpu RollUp's share of a vCPU
 */
record Deployed(Map<String, String> variables, RunSettings settings, double rollerCpu) {
  /**
   * @throws IllegalArgumentException if a variable is malformed
   */
  static Deployed by(Map<String, String> variables) {
    choose(variables, "BILLING", "request", "instance");
    choose(variables, "REQUEST_LOGS", "all", "errors");
    String cpu = variables.getOrDefault("ROLLUP_CPU", "0.333");
    if (!cpu.matches("0?[.][0-9]+|[1-8]")) {
      throw new IllegalArgumentException("ROLLUP_CPU: expected a share of a vCPU; found " + cpu);
    }
    RunSettings runs = Settings.from(variables::get).runs();
    return new Deployed(variables, runs, Double.parseDouble(cpu));
  }

  private static void choose(Map<String, String> from, String name, String usual, String other) {
    String found = from.getOrDefault(name, usual);
    if (!found.equals(usual) && !found.equals(other)) {
      throw new IllegalArgumentException(
          "%s: expected %s or %s; found '%s'".formatted(name, usual, other, found));
    }
  }

  /** The same with a variable as in {@code HOLD=PT10S}. */
  Deployed with(String change) {
    String[] parts = change.split("=", 2);
    Map<String, String> changed = new HashMap<>(variables);
    changed.put(parts[0], parts[1]);
    return by(changed);
  }

  /** Whether OnShardWritten's instances are billed for their whole lives. */
  boolean byInstance() {
    return "instance".equals(variables.get("BILLING"));
  }

  /** Whether the platform's entries of requests are kept. */
  boolean requestLogs() {
    return !"errors".equals(variables.get("REQUEST_LOGS"));
  }

  /** Whether totals are written into the counters' own documents, too. */
  boolean totalField() {
    return !variables.getOrDefault("TOTAL_FIELD", "").isEmpty();
  }
}
