package dev.tallyroll.local.bill;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The prices in dollars, from a file like {@code deploy/prices.json}. Immutable. */
record Prices(String about, String date, Map<Item, Price> prices) {

  /** The billed items. The file has these names in small letters. */
  enum Item {
    READ,
    WRITE,
    DELETE,
    VCPU_SECOND,
    GIB_SECOND,
    VCPU_SECOND_BY_INSTANCE,
    GIB_SECOND_BY_INSTANCE,
    REQUEST,
    PUBSUB_BYTE,
    LOG_BYTE,
    SCHEDULER_JOB,
    FIRST_GENERATION_SLOT
  }

  /**
   * A price.
   *
   * @param per the quantity that the dollars pay for
   * @param free the free quantity in 30 days
   */
  record Price(double dollars, double per, double free) {
    double each() {
      return dollars / per;
    }
  }

  private record File(
      @Nullable String about,
      @Nullable String date,
      @Nullable Map<String, @Nullable Price> prices) {}

  /**
   * @throws IllegalArgumentException if the file does not hold prices; the message says why
   */
  static Prices read(Path path) {
    try {
      File file = new Gson().fromJson(Files.readString(path), File.class);
      if (file == null || file.prices == null) {
        throw new IllegalArgumentException("found none");
      }
      Map<Item, Price> prices = new EnumMap<>(Item.class);
      for (Item item : Item.values()) {
        String name = item.name().toLowerCase(Locale.ROOT);
        Price price = file.prices.get(name);
        if (price == null || !(price.per > 0) || !(price.dollars >= 0) || !(price.free >= 0)) {
          throw new IllegalArgumentException("of " + name + " (dollars, per, free) found " + price);
        }
        prices.put(item, price);
      }
      return new Prices(
          Objects.requireNonNullElse(file.about, ""),
          Objects.requireNonNullElse(file.date, "unknown"),
          Map.copyOf(prices));
    } catch (IOException unreadable) {
      throw new IllegalArgumentException("found " + unreadable, unreadable);
    } catch (JsonParseException malformed) {
      throw new IllegalArgumentException("found what is not JSON of that form", malformed);
    }
  }

  double dollars(Item item, double quantity) {
    return Objects.requireNonNull(prices.get(item)).each() * quantity;
  }

  double free(Item item) {
    return Objects.requireNonNull(prices.get(item)).free();
  }
}
