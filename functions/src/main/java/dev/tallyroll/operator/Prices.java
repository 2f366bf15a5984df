package dev.tallyroll.operator;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.settings.PlatformSettings;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What operations cost in us-central1, in dollars.
 *
 * @param read of a document
 * @param write of a document
 * @param request to a function
 * @param vcpuSecond of an instance that is billed by request
 * @param gibSecond of its memory
 */
record Prices(double read, double write, double request, double vcpuSecond, double gibSecond) {
  /** The seconds for which an instance is billed if it handles a single event. */
  private static final double HANDLED = 0.13;

  /**
   * What a deployment costs in a month in which nothing is written, without its sweeps: a run each
   * minute, and the schedule. {@code deploy/local/bill --rate 0.0001} prints it.
   */
  static final double AT_REST = 0.18;

  /** A sweep reads so much for each document that it looks at: its path, its roll-up and a sum. */
  static final int READS_A_LOOK = 3;

  private static final double HANDLER_GIBIBYTES = 0.5;

  private static final double SECONDS = 30 * 24 * 3600;
  private static final double MEBIBYTES = 1024;

  /** The prices in a file such as deploy/prices.json. */
  static Prices of(Path file) throws IOException {
    try (Reader reader = Files.newBufferedReader(file)) {
      JsonObject prices =
          JsonParser.parseReader(reader).getAsJsonObject().getAsJsonObject("prices");
      return new Prices(
          price(prices, "read"),
          price(prices, "write"),
          price(prices, "request"),
          price(prices, "vcpu_second"),
          price(prices, "gib_second"));
    }
  }

  private static double price(JsonObject prices, String item) {
    JsonObject price = prices.getAsJsonObject(item);
    return price.get("dollars").getAsDouble() / price.get("per").getAsDouble();
  }

  /** The dollars of a RollUp that works for 30 days without pause. */
  double instance(PlatformSettings platform) {
    return SECONDS
        * (Double.parseDouble(platform.rollupCpu()) * vcpuSecond
            + platform.rollupMebibytes() * gibSecond / MEBIBYTES);
  }

  double reads(double number) {
    return number * read;
  }

  /** The dollars of a thousand events that change nothing that counts. */
  double droppedEvents(PlatformSettings platform) {
    return thousandEvents(platform, 0, 0);
  }

  /**
   * Of a thousand events that come one by one.
   *
   * @param reads of documents for each
   * @param writes of documents for each
   */
  double thousandEvents(PlatformSettings platform, double reads, double writes) {
    double second =
        Double.parseDouble(platform.handlerCpu()) * vcpuSecond + HANDLER_GIBIBYTES * gibSecond;
    return 1_000 * (request + HANDLED * second + reads * read + writes * write);
  }
}
