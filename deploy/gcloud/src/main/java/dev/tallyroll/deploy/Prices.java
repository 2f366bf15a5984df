package dev.tallyroll.deploy;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * The prices of deploy/prices.json, or of another file of that form. Immutable.
 *
 * @param about of what time and place they are
 */
record Prices(String about, Map<Kind, Price> all) {

  /** The priced things; the file has these names in small letters. */
  enum Kind {
    READ,
    WRITE,
    DELETE,
    VCPU_SECOND,
    GIB_SECOND,
    REQUEST,
    PUBSUB_BYTE,
    LOG_BYTE,
    SCHEDULER_JOB;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * A price.
   *
   * @param each dollars
   * @param free what a project does not pay for in 30 days
   */
  record Price(double each, double free) {}

  Prices {
    all = Map.copyOf(all);
  }

  /** The prices of the checkout. */
  static Prices in(Path home) {
    return read(home.resolve("deploy/prices.json"));
  }

  /**
   * Reads a file of prices.
   *
   * @throws Refusal if a price is missing, or is none
   */
  static Prices read(Path file) {
    JsonElement json;
    try {
      json = JsonParser.parseString(Files.readString(file));
    } catch (IOException e) {
      throw new Refusal("PRICES: expected a readable file, found '" + file + "'");
    } catch (JsonParseException e) {
      throw new Refusal(file + ": expected JSON as in deploy/prices.json, found none: " + e);
    }
    Map<Kind, Price> all = new EnumMap<>(Kind.class);
    for (Kind kind : Kind.values()) {
      String at = "prices." + kind + ".";
      double per = number(file, json, at + "per");
      if (per == 0) {
        throw new Refusal(file + ": expected a number above 0 as " + at + "per, found '0'");
      }
      double each = number(file, json, at + "dollars") / per;
      all.put(kind, new Price(each, number(file, json, at + "free")));
    }
    String about = Json.text(json, "about").replaceFirst("\\. .*", "");
    return new Prices(Json.text(json, "date") + ", " + about, all);
  }

  private static double number(Path file, JsonElement json, String path) {
    String text = Json.text(json, path);
    try {
      double number = Double.parseDouble(text);
      if (number >= 0 && Double.isFinite(number)) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The refusal below says it.
    }
    throw new Refusal("%s: expected a number as %s, found '%s'".formatted(file, path, text));
  }

  private Price of(Kind kind) {
    return all.getOrDefault(kind, new Price(0, 0));
  }

  double dollars(Kind kind, double quantity) {
    return quantity * of(kind).each;
  }

  double free(Kind kind) {
    return of(kind).free;
  }
}
