package dev.tallyroll.settings;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * What the functions run on.
 *
 * @param maxInstances {@code MAX_INSTANCES}
 * @param handlerCpu {@code HANDLER_CPU}, OnShardWritten's vCPUs; below one, an instance handles one
 *     event at a time
 * @param rollupCpu {@code ROLLUP_CPU}
 * @param rollupMemory {@code ROLLUP_MEMORY}
 * @param runtime {@code RUNTIME}
 * @param billing {@code BILLING}: whether OnShardWritten's instances are billed for their whole
 *     lives
 */
public record PlatformSettings(
    int maxInstances,
    String handlerCpu,
    String rollupCpu,
    String rollupMemory,
    String runtime,
    Billing billing) {

  private static final Variable MAX_INSTANCES =
      new Variable(
          "MAX_INSTANCES",
          "20",
          "the most instances of OnShardWritten (1 to 1,000); each handles 80 events at a time");

  private static final Variable HANDLER_CPU =
      new Variable(
          "HANDLER_CPU",
          "1",
          "the vCPUs of OnShardWritten (.08 to .999, or 1); below 1 an instance handles one event"
              + " at a time, by request");

  /** RollUp's share of a vCPU. */
  public static final Variable ROLLUP_CPU =
      new Variable(
          "ROLLUP_CPU",
          ".333",
          "the vCPUs of RollUp (.08 to .999, 1, 2 or 4); below 1 it handles one message at a time");

  private static final Variable ROLLUP_MEMORY =
      new Variable("ROLLUP_MEMORY", "512Mi", "the memory of RollUp, such as 512Mi or 1Gi");

  private static final Variable RUNTIME =
      new Variable("RUNTIME", "java21", "java17, java21 or java25");

  private static final Variable BILLING =
      new Variable(
          "BILLING",
          "request",
          "request: OnShardWritten pays for requests; instance: for its CPU, and requests are free");

  /** All of them, in the order of the settings file. */
  static final List<Variable> VARIABLES =
      List.of(MAX_INSTANCES, HANDLER_CPU, ROLLUP_CPU, ROLLUP_MEMORY, RUNTIME, BILLING);

  private static final String SHARE = "0?\\.(0[89]|[1-9]\\d?)\\d?";
  private static final double HALF = .5;
  private static final int GIB = 1024;

  /** What OnShardWritten pays for. */
  public enum Billing {
    REQUEST,
    INSTANCE
  }

  /**
   * Reads them.
   *
   * @throws IllegalArgumentException if some are malformed or out of range; the message has a line
   *     for each
   */
  public static PlatformSettings from(UnaryOperator<String> environment) {
    return Environment.whole(environment, PlatformSettings::read);
  }

  static PlatformSettings read(Environment env) {
    String handlerCpu = env.matching(HANDLER_CPU, SHARE + "|1", "vCPUs: .08 to .999, or 1");
    Billing billing = env.choice(BILLING, Billing.REQUEST);
    if (billing == Billing.INSTANCE && !handlerCpu.equals(HANDLER_CPU.otherwise())) {
      env.wrong(HANDLER_CPU, "1 with BILLING=instance", handlerCpu);
    }
    PlatformSettings settings =
        new PlatformSettings(
            env.integer(MAX_INSTANCES, 1, 1000),
            handlerCpu,
            env.matching(ROLLUP_CPU, SHARE + "|[124]", "vCPUs: .08 to .999, 1, 2 or 4"),
            env.matching(
                ROLLUP_MEMORY,
                "(256|512|1024|2048|4096|8192)Mi|[1248]Gi",
                "a memory from 256Mi to 8Gi, such as 512Mi"),
            env.matching(RUNTIME, "java(17|21|25)", "java17, java21 or java25"),
            billing);
    if (!settings.fits()) {
      env.wrong(
          ROLLUP_MEMORY,
          "at most 512Mi below .5 vCPU, 1Gi below 1 vCPU, 4Gi a vCPU, and 2Gi at least for 4",
          settings.rollupMemory + " for ROLLUP_CPU=" + settings.rollupCpu);
    }
    return settings;
  }

  /**
   * Cloud Run takes no other pairs.
   *
   * @see <a href="https://cloud.google.com/run/docs/configuring/services/memory-limits">its
   *     page</a>
   */
  private boolean fits() {
    double cpus = Double.parseDouble(rollupCpu);
    double most = cpus < HALF ? GIB * HALF : cpus < 1 ? GIB : cpus * 4 * GIB;
    return rollupMebibytes() <= most && (cpus < 4 || rollupMebibytes() >= 2 * GIB);
  }

  /** The memory of RollUp in MiB. */
  public int rollupMebibytes() {
    int number = Integer.parseInt(rollupMemory.substring(0, rollupMemory.length() - 2));
    return rollupMemory.endsWith("Gi") ? number * GIB : number;
  }
}
