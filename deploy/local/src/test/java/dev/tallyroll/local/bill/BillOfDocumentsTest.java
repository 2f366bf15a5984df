package dev.tallyroll.local.bill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tallyroll.local.Invocation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What documents cost that are shards. */
class BillOfDocumentsTest {
  private static final Prices PRICES = Prices.read();
  private static final Load LIKES =
      new Load(
          1,
          1,
          Shards.documents(1, 0),
          0,
          0,
          false,
          0,
          Map.of("COUNT_FIELD", "", "TOTAL_FIELD", "likes"));

  private static double dollars(Load load) {
    return Offer.tallyroll(load).dollars(PRICES);
  }

  private static Load over(int documents, double rate) {
    return LIKES.at(rate, 1).overDocuments(documents);
  }

  private static Load deleted(Load load, double deletes) {
    return load.withShards(Shards.documents(load.shards().number(), deletes));
  }

  /** A read for each 1,000, started, wherever the formula has a sum. */
  @ParameterizedTest
  @CsvSource({"1, 1", "1000, 1", "1001, 2", "10000, 10", "10001, 11"})
  void sum_costsAReadForEachThousand(int documents, int reads) {
    for (Load way :
        List.of(
            LIKES,
            LIKES.at(100, 1),
            LIKES.inPolledCounters(),
            LIKES.eachMinute(),
            LIKES.with("TICK=PT1M"))) {
      double one = dollars(way);
      double sums = PRICES.dollars(Prices.Item.READ, Month.of(way).sums());
      assertThat(dollars(way.overDocuments(documents)) - one)
          .isCloseTo((reads - 1) * sums, within(1e-6));
    }
  }

  /**
   * A change is a write, as an increment is, or a delete; a delete of a live counter, a read more.
   */
  @Test
  void change_costsAWriteOrADelete() {
    double second = Month.SECONDS;
    Load shards = LIKES.withShards(Shards.incremented(10));
    assertThat(dollars(LIKES)).isCloseTo(dollars(shards), within(1e-9));

    assertThat(dollars(LIKES) - dollars(deleted(LIKES, 0.5)))
        .isCloseTo((0.9e-6 - 0.1e-6) * 0.5 * second, within(0.01));
    Load live = LIKES.at(10, 1);
    double reads = Month.of(deleted(live, 0.5)).reads() - Month.of(live).reads();
    assertThat(reads / second).isBetween(4.0, 5.0);
    double many = Month.of(deleted(live.at(900, 1), 1)).reads() / second;
    assertThat(many).as("calls one after the other").isBetween(25.0, 32.0);
  }

  @Test
  void fields_areOneWrite() {
    double total = dollars(LIKES);
    double none = dollars(LIKES.with("TOTAL_FIELD="));
    assertThat(total - none).isCloseTo(2.33, within(0.01));
    for (List<String> fields :
        List.of(
            List.of("NUMBER_FIELD=number"),
            List.of("AVERAGE_FIELD=stats.average"),
            List.of("NUMBER_FIELD=number", "AVERAGE_FIELD=stats.average"))) {
      String[] settings = fields.toArray(String[]::new);
      assertThat(dollars(LIKES.with(settings))).isEqualTo(total);
      assertThat(dollars(LIKES.with("TOTAL_FIELD=", "COUNT_FIELD=review.stars").with(settings)))
          .isEqualTo(total);
    }
  }

  private static String printed(String... options) {
    var out = new StringWriter();
    var err = new StringWriter();
    int status =
        Invocation.run(
            new Bill(Map.of("COUNT_FIELD", "", "TOTAL_FIELD", "likes")),
            List.of(options),
            new PrintWriter(out),
            new PrintWriter(err));
    assertThat(status).as(err.toString()).isZero();
    return out.toString();
  }

  @Test
  void bill_warnsOnceSumsAreMostOfIt() {
    assertThat(printed("--documents", "10000"))
        .contains(
            "documents: 10000; changes a second: 1;", "  a function that adds 1 at each create")
        .contains("  count() by each reader")
        .doesNotContain("Sums are most of it", "extension", "buffered");

    assertThat(printed("--documents", "100000", "--deletes", "20"))
        .contains("Sums are most of it: each costs 100 reads. A longer TICK with BURST=2, and")
        .containsPattern("\n  TICK=PT10S BURST=2 +saves ")
        .containsPattern("\n  POLL=minute, polled counters: up to a minute behind +saves ")
        .containsPattern("\n  shards beside the documents, a write more each change +saves ");
    assertThat(printed("--documents", "1000", "--rate", "100")).doesNotContain("Sums are most");
    assertThat(printed("--documents", "10000", "--staleness", "10s"))
        .contains("a loop that calls `count()` each 10 seconds", "a function that adds 1");
  }

  /** An advised tick that the other settings refuse is left out. */
  @Test
  void longerTick_isAdvisedIfTheOtherSettingsAllowIt() {
    Load many = over(100_000, 10);
    assertThat(Saving.advisable(many)).anyMatch(choices -> choices.contains(Saving.SLOWER));
    assertThat(Saving.advisable(many.with("LEASE=PT5S", "HOLD=PT2S")))
        .noneMatch(choices -> choices.contains(Saving.SLOWER));
  }
}
