package dev.tallyroll.local.bill;

import static dev.tallyroll.local.Invocation.check;

import java.util.Map;

/**
 * The functions' instances, and how they are billed, by the rules of {@code deploy/gcloud/lib}.
 * Immutable.
 *
 * @param handlerCpu OnShardWritten's vCPUs; below one, an instance handles one event at a time
 * @param byInstance whether OnShardWritten's instances are billed for their whole lives
 */
record Sizes(double handlerCpu, double rollerCpu, int rollerMebibytes, boolean byInstance) {
  private static final String SHARE = "0?[.](0[89]|[1-9][0-9]?)[0-9]?";

  /**
   * Checks the settings.
   *
   * @throws picocli.CommandLine.TypeConversionException if deploy would refuse one
   */
  static Sizes of(Map<String, String> settings) {
    String handler = settings.getOrDefault("HANDLER_CPU", "1");
    check(handler.matches(SHARE + "|1"), "HANDLER_CPU", "vCPUs: .08 to .999, or 1", handler);
    String roller = settings.getOrDefault("ROLLUP_CPU", Load.ROLLUP_CPU);
    check(roller.matches(SHARE + "|[124]"), "ROLLUP_CPU", "vCPUs: .08 to .999, 1, 2 or 4", roller);
    String billing = settings.getOrDefault("BILLING", "request");
    check(billing.matches("request|instance"), "BILLING", "request or instance", billing);
    String logs = settings.getOrDefault("REQUEST_LOGS", "errors");
    check(logs.matches("all|errors"), "REQUEST_LOGS", "all or errors", logs);
    boolean byInstance = billing.equals("instance");
    check(handler.equals("1") || !byInstance, "HANDLER_CPU", "1 with BILLING=instance", handler);
    return new Sizes(
        Double.parseDouble(handler),
        Double.parseDouble(roller),
        mebibytes(settings.getOrDefault("ROLLUP_MEMORY", Load.MEMORY), roller),
        byInstance);
  }

  /** Cloud Run takes no other pairs of memory and vCPUs. */
  private static int mebibytes(String memory, String roller) {
    check(
        memory.matches("(256|512|1024|2048|4096|8192)Mi|[1248]Gi"),
        "ROLLUP_MEMORY",
        "a memory from 256Mi to 8Gi, such as 512Mi",
        memory);
    double cpu = Double.parseDouble(roller);
    int number = Integer.parseInt(memory.replaceAll("[MG]i", ""));
    int mebibytes = memory.endsWith("Gi") ? 1024 * number : number;
    double most = cpu < 0.5 ? 512 : cpu < 1 ? 1024 : cpu * 4096;
    check(
        mebibytes <= most && (cpu < 4 || mebibytes >= 2048),
        "ROLLUP_MEMORY",
        "at most 512Mi below .5 vCPU, 1Gi below 1 vCPU, 4Gi a vCPU, and 2Gi at least for 4",
        memory + " for ROLLUP_CPU=" + roller);
    return mebibytes;
  }

  /** The least with which RollUp sums so many counters in time: measured, in the README. */
  static String leastCpu(double counters) {
    return counters <= 10 ? ".083" : counters <= 1_000 ? Load.ROLLUP_CPU : "1";
  }
}
