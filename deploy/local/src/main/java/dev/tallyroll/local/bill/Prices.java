package dev.tallyroll.local.bill;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.common.io.Resources;
import com.google.gson.Gson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** The prices in dollars, from {@code deploy/prices.json}, which is a resource. Immutable. */
record Prices(String about, String date, Map<String, Price> prices) {

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

  static Prices read() {
    return read("prices.json");
  }

  static Prices read(String resource) {
    try {
      String text = Resources.toString(Resources.getResource(resource), UTF_8);
      return new Gson().fromJson(text, Prices.class);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Price price(Item item) {
    return Objects.requireNonNull(prices.get(item.name().toLowerCase(Locale.ROOT)));
  }

  double dollars(Item item, double quantity) {
    return price(item).each() * quantity;
  }

  double free(Item item) {
    return price(item).free();
  }
}
