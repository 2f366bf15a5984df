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
 * @param vcpuSecond of an instance that is billed by request
 * @param gibSecond of its memory
 */
record Prices(double read, double vcpuSecond, double gibSecond) {
  /**
   * What a deployment costs in a month in which nothing is written, without its sweeps: a run each
   * minute, and the schedule. {@code deploy/local/bill --rate 0.0001} prints it.
   */
  static final double AT_REST = 0.18;

  private static final double SECONDS = 30 * 24 * 3600;
  private static final double MEBIBYTES = 1024;

  /** Those of deploy/prices.json. */
  static Prices of(Path file) throws IOException {
    try (Reader reader = Files.newBufferedReader(file)) {
      JsonObject prices =
          JsonParser.parseReader(reader).getAsJsonObject().getAsJsonObject("prices");
      return new Prices(
          price(prices, "read"), price(prices, "vcpu_second"), price(prices, "gib_second"));
    }
  }

  private static double price(JsonObject prices, String item) {
    JsonObject price = prices.getAsJsonObject(item);
    return price.get("dollars").getAsDouble() / price.get("per").getAsDouble();
  }

  /** Of a RollUp that works for 30 days without pause. */
  double instance(PlatformSettings platform) {
    return SECONDS
        * (Double.parseDouble(platform.rollupCpu()) * vcpuSecond
            + platform.rollupMebibytes() * gibSecond / MEBIBYTES);
  }

  double reads(double number) {
    return number * read;
  }
}
