package dev.tallyroll.local.bill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.tallyroll.local.Invocation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The bill of an app whose own documents are the shards. */
class BillOfDocumentsTest {
  private static final Prices PRICES = Prices.read();
  private static final Load LIKES =
      Tables.liked(new Load(1, 1, Shards.documents(1, 0), 0, 0, false, 0, Map.of()));

  private static double dollars(Load load) {
    return Offer.tallyroll(load).dollars(PRICES);
  }

  private static Load over(int documents, double rate) {
    return LIKES.at(rate, 1).overDocuments(documents);
  }

  private static Load deleted(Load load, double deletes) {
    return load.withShards(Shards.documents(load.shards().number(), deletes));
  }

  private static String document() throws Exception {
    return Files.readString(Path.of("README.md"));
  }

  /** Where it has changed, {@code target/bill-of-documents.md} is the one to copy. */
  @Test
  void table_isTheDocuments() throws Exception {
    String table = new Tables(PRICES, LIKES.with("TOTAL_FIELD=")).documents();
    Files.writeString(Path.of("target", "bill-of-documents.md"), table);

    assertThat(document()).contains(table);
    assertThat(Files.readString(Path.of("..", "..", "README.md")))
        .contains(
            "The first row is for a post with up to 1,000 likes; with 10,000, it costs $%s and $%s:"
                .formatted(
                    Tables.rounded(dollars(over(10_000, 1))),
                    Tables.rounded(dollars(over(10_000, 100)))));
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

    Load quiet = LIKES.with("BURST=15");
    assertThat(dollars(quiet) - dollars(deleted(quiet, 0.5)))
        .isCloseTo((0.9e-6 - 0.1e-6) * 0.5 * second, within(0.01));
    Load live = LIKES.at(10, 1);
    double reads = Month.of(deleted(live, 0.5)).reads() - Month.of(live).reads();
    assertThat(reads / second).isBetween(4.0, 5.0);
    double many = Month.of(deleted(live.at(900, 1), 1)).reads() / second;
    assertThat(many).as("calls one after the other").isBetween(25.0, 32.0);
  }

  @Test
  void fields_areOneWrite() {
    double total = dollars(LIKES.with("BURST=15"));
    double none = dollars(LIKES.with("TOTAL_FIELD="));
    assertThat(total - none).isCloseTo(2.33, within(0.01));
    for (List<String> fields :
        List.of(
            List.of("NUMBER_FIELD=number"),
            List.of("AVERAGE_FIELD=stats.average"),
            List.of("NUMBER_FIELD=number", "AVERAGE_FIELD=stats.average"))) {
      String[] settings = fields.toArray(String[]::new);
      assertThat(dollars(LIKES.with(settings))).isEqualTo(dollars(LIKES));
      assertThat(dollars(LIKES.with("TOTAL_FIELD=", "COUNT_FIELD=review.stars").with(settings)))
          .isEqualTo(dollars(LIKES));
    }
  }

  private static String printed(String... options) {
    var out = new StringWriter();
    var err = new StringWriter();
    int status =
        Invocation.run(
            new Bill(Map.of("COUNT_FIELD", "", "TOTAL_FIELD", "likes"), Path.of("..", "..")),
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
        .contains("  count() by each reader", "a listener reads all of them first")
        .doesNotContain("Sums are most of it", "extension", "buffered");

    assertThat(printed("--documents", "100000", "--deletes", "20"))
        .contains("Sums are most of it: each costs 100 reads. A longer TICK with BURST=2, and")
        .containsPattern("\n  TICK=PT10S BURST=2 +saves ")
        .containsPattern("\n  POLL=PT1M TICK=PT1M, polled counters: up to a minute behind +saves ")
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

  /** The most documents over which a change does not save this part of the bill. */
  private static int most(double rate, double part, UnaryOperator<Load> change) {
    return IntStream.rangeClosed(0, 10_000)
        .map(thousands -> thousands * 1_000)
        .filter(
            documents -> {
              Load more = over(documents + 1, rate);
              return dollars(change.apply(more)) < (1 - part) * dollars(more);
            })
        .findFirst()
        .orElseThrow();
  }

  private static String figures(String sentence, Object... figures) {
    return String.format(Locale.ROOT, sentence, figures);
  }

  @Test
  void whatHelps_isWorthItFromTheDocumentsFiguresOn() throws Exception {
    UnaryOperator<Load> slower = Saving.SLOWER.to();
    UnaryOperator<Load> held = load -> load.with("HOLD=PT10S");
    UnaryOperator<Load> beside = load -> load.countedBeside(Saving.USUAL_SHARDS);
    double each =
        IntStream.rangeClosed(10, 1_000)
            .filter(
                seconds ->
                    dollars(over(10_000, 1.0 / seconds).eachMinute())
                        >= dollars(over(10_000, 1.0 / seconds)))
            .findFirst()
            .orElseThrow();

    assertThat(document())
        .contains(
            figures(
                "`TICK=PT10S` with `BURST=2` costs less over more than %,d documents at one change a second; at 10 it saves a tenth of the bill over more than %,d, at 100 over more than %,d.",
                most(1, 0, slower), most(10, 0.1, slower), most(100, 0.1, slower)))
        .contains(
            figures(
                "over 10,000 documents, `POLL=PT1M TICK=PT1M` costs less unless changes are more than %.0f s apart.",
                each - 1))
        .contains(
            figures(
                "That costs less over more than %,d documents at one change a second, %,d at 10, %,d at 100.",
                most(1, 0, beside), most(10, 0, beside), most(100, 0, beside)));
    for (double rate : List.of(1.0, 10.0, 100.0)) {
      double saved = dollars(over(1_000, rate)) - dollars(held.apply(over(1_000, rate)));
      double savedOfMany =
          dollars(over(1_000_000, rate)) - dollars(held.apply(over(1_000_000, rate)));
      assertThat(savedOfMany).as("HOLD saves no sums").isLessThanOrEqualTo(saved + 0.01);
    }
  }

  /** The readings a second from which on a total in the post costs less than a count by each. */
  private static double readings(int documents, double rate) {
    Load load = over(documents, rate);
    double apart = dollars(load) - Offer.changesAlone(load).dollars(PRICES);
    Load read = new Load(rate, 1, load.shards(), 0, 1, false, 0, load.settings());
    double one =
        Offer.sumByReaders(read).dollars(PRICES) - Offer.sumByReaders(load).dollars(PRICES);
    return apart / one;
  }

  @Test
  void countsByReaders_costMoreFromTheDocumentsFiguresOn() throws Exception {
    assertThat(document())
        .contains(
            figures(
                "Such a total costs less from %.0f readings a second of a post on over 100 documents, and from %.1f over 10,000, at one change a second; at 100 from %.0f and %.0f.",
                readings(100, 1), readings(10_000, 1), readings(100, 100), readings(10_000, 100)));
  }

  @Test
  void functionOfOnesOwn_costsWhatTheDocumentSays() throws Exception {
    Load load = over(100, 1);
    double changes = Offer.changesAlone(load).dollars(PRICES);
    double own = Offer.addEach(load).dollars(PRICES) - changes;
    double events = Month.SECONDS;
    double marked =
        own
            + PRICES.dollars(Prices.Item.READ, events)
            + PRICES.dollars(Prices.Item.WRITE, events)
            + PRICES.dollars(Prices.Item.DELETE, events);

    assertThat(document())
        .contains(
            figures(
                "costs $%.2f at one create a second, where Tallyroll costs $%.2f, both beside the creates' own writes.",
                own, dollars(load) - changes))
        .contains(figures("and then costs $%.2f.", marked));
    assertThat(Offer.addEach(over(100, 2)).remark()).endsWith("so this fails");
  }
}
