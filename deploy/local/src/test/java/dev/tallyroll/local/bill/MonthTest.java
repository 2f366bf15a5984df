package dev.tallyroll.local.bill;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.google.common.io.Resources;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Compares the formula with the functions' own code in virtual time, and on the emulators. */
class MonthTest {
  private static final Prices PRICES = Prices.read("bill/prices.json");
  private static final double NEAR = 0.1;

  /** As the guide says. */
  private static final double NEAR_THE_COUNTED = 0.05;

  /** Cells that differ by more, and why. */
  private static final Map<String, String> FAR =
      Map.of(
          "plain,every=PT0.25S,2.5,1 dollars",
          "then, a run looked each tick who holds it, and what had become live; now each second",
          "folded,FOLD=PT10S LEASE=PT30S,4,1 with_100_listeners",
          "then, a run learned only at its next tick, 10 s later, that another had taken over");

  private static List<Map<String, String>> rows(String file) {
    try {
      List<String[]> rows =
          Resources.readLines(Resources.getResource("bill/" + file), UTF_8).stream()
              .filter(line -> !line.startsWith("#"))
              .map(line -> line.split(",", -1))
              .toList();
      return rows.stream()
          .skip(1)
          .map(
              cells -> {
                Map<String, String> row = new HashMap<>();
                for (int i = 0; i < cells.length; i++) {
                  row.put(rows.get(0)[i], cells[i]);
                }
                return row;
              })
          .toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static double number(Map<String, String> row, String column) {
    return Double.parseDouble(row.get(column));
  }

  private static Load load(Map<String, String> row, int listeners) {
    String way = row.getOrDefault("way", "");
    Map<String, String> settings = Tables.settings(row.getOrDefault("settings", ""));
    settings.putIfAbsent("BURST", "15");
    if (way.startsWith("folded")) {
      settings.put("FOLD_DOCUMENTS", "pages/{page}");
    }
    return new Load(
        number(row, "rate"),
        Integer.parseInt(row.get("counters")),
        /* firsts= */ 0,
        Shards.incremented(way.equals("folded new") ? Integer.MAX_VALUE : 10),
        listeners,
        /* views= */ 0,
        /* entries= */ 1,
        /* unmatched= */ 0,
        way.equals("buffered") ? 5 : 0,
        settings);
  }

  /** The log entry of each request, which was kept when these rows were simulated. */
  private static double requestLogs(Load load) {
    Month month = Month.of(load);
    return PRICES.dollars(Prices.Item.LOG_BYTE, 1_000 * (month.messages() + month.events()));
  }

  /** By a tenth, and below a dollar by ten cents. */
  @Test
  void dollars_areNearTheSimulated() {
    List<String> far = new ArrayList<>();
    for (Map<String, String> row : rows("simulated.csv")) {
      for (String column : List.of("dollars", "with_100_listeners")) {
        Load load = load(row, column.equals("dollars") ? 0 : 100);
        double formula = Offer.tallyroll(load).dollars(PRICES) + requestLogs(load);
        double simulated = number(row, column);
        String cell =
            String.join(
                ",", row.get("way"), row.get("settings"), row.get("rate"), row.get("counters"));
        if (!(Math.abs(formula - simulated) <= NEAR * Math.max(1, simulated))) {
          far.add(cell + " " + column);
        }
      }
    }

    assertThat(far).containsExactlyInAnyOrderElementsOf(FAR.keySet());
  }

  /** Exponents and odds come near infinity here. */
  @ParameterizedTest
  @CsvSource({
    "--rate 0.0001, BURST=100 every=PT0.1S LEASE=PT0.3S",
    "--rate 0.0001, events=false every=PT1M hold=PT4M",
    "--rate 0.0001, FOLD=PT0.1S FOLD_DOCUMENTS=pages/{page} BURST=100",
    "--rate 100000, BURST=2 every=PT1M RUN=PT5M LEASE=PT10M",
    "--rate 100000, events=false every=PT1M hold=PT4M WORKERS=64",
    "--rate 100000, FOLD=PT1M FOLD_DOCUMENTS=pages/{page} BURST=2 RUN=PT5M",
    "--rate 10 --counters 10000, WORKERS=64 BURST=100"
  })
  void extremes_costMoreThanTheIncrements(String options, String settings) {
    Load load = Tables.load(settings + " " + options);

    double dollars = Offer.tallyroll(load).dollars(PRICES);
    double alone = Offer.changesAlone(load).dollars(PRICES);
    assertThat(dollars).isBetween(alone, 20 * (1 + alone));
  }

  static List<Map<String, String>> counted() {
    return rows("counted.csv");
  }

  @ParameterizedTest
  @MethodSource("counted")
  void amounts_areNearTheCounted(Map<String, String> row) {
    double minutes = number(row, "minutes");
    double share = minutes / Month.MINUTES;
    Month month = Month.of(Tables.load("SLACK=PT2S " + row.get("options")));
    double reads = (month.sums() + month.reads()) * share;
    double writes = month.writes() * share;
    double seconds = month.roller() * share;

    near(month.increments() * share, number(row, "commits"));
    near(reads, number(row, "reads"));
    near(writes, number(row, "writes"));
    if (number(row, "seconds") > 0.01 * 60 * minutes) { // shorter ones are mostly starts of calls
      near(seconds, number(row, "seconds"));
    }
  }

  private static void near(double formula, double counted) {
    assertThat(formula).isCloseTo(counted, within(NEAR_THE_COUNTED * counted));
  }
}
