package dev.tallyroll.local.bill;

import dev.tallyroll.local.bill.Prices.Item;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One way to count, and its bill of 30 days.
 *
 * @param name of the way
 * @param remark a fact that readers must know about this way; may be empty
 */
record Offer(String name, String remark, List<Line> lines) {

  /**
   * A line of the bill.
   *
   * @param items the billed quantity of each item
   */
  record Line(String name, Map<Item, Double> items) {
    double dollars(Prices prices) {
      return items.entrySet().stream()
          .mapToDouble(item -> prices.dollars(item.getKey(), item.getValue()))
          .sum();
    }

    /** The quantity of the first item, which is the main one. */
    double quantity() {
      return items.values().iterator().next();
    }
  }

  static Line line(String name, Item item, double quantity) {
    return new Line(name, Map.of(item, quantity));
  }

  static Line line(String name, Item one, double first, Item other, double second) {
    Map<Item, Double> items = new LinkedHashMap<>();
    items.put(one, first);
    items.put(other, second);
    return new Line(name, items);
  }

  double dollars(Prices prices) {
    return lines.stream().mapToDouble(line -> line.dollars(prices)).sum();
  }

  /** The dollars that the free amounts save here. */
  double free(Prices prices) {
    Map<Item, Double> all = new EnumMap<>(Item.class);
    lines.forEach(line -> line.items.forEach((item, n) -> all.merge(item, n, Double::sum)));
    return all.entrySet().stream()
        .mapToDouble(
            used ->
                prices.dollars(
                    used.getKey(), Math.min(used.getValue(), prices.free(used.getKey()))))
        .sum();
  }
}
