package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.T;
import static dev.tallyroll.protocol.Examples.WITH_SLACK;
import static dev.tallyroll.protocol.Examples.at;
import static dev.tallyroll.protocol.Examples.leaseUntil;
import static dev.tallyroll.protocol.Examples.noLease;
import static dev.tallyroll.protocol.Examples.nothing;
import static dev.tallyroll.protocol.Examples.rollup;
import static dev.tallyroll.protocol.Examples.sum;
import static dev.tallyroll.protocol.Examples.unusable;
import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Times;
import dev.tallyroll.protocol.Change.Effect;
import dev.tallyroll.runs.Timing;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The decisions of handler, roller and sweep, to the millisecond, with two seconds of slack. */
class DecisionsTest {
  private static final Timing HOLDING = holding(Duration.ofSeconds(1), Duration.ofSeconds(10));

  private static Timing holding(Duration tick, Duration hold) {
    return new Timing(tick, WITH_SLACK.lease(), WITH_SLACK.slack(), 3, hold, /* precision= */ 0.01);
  }

  /**
   * Totals with their seconds: {@code 4@0 until 5} is a roll-up with a lease; {@code mark} a
   * document with its mark only; {@code gone} the sum of a counter without shards, {@code zero}
   * too, but something is left of it.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # A new roll-up has a lease that ends now.
          handler | absent          | 4@0         | CREATE 4@0 until 0
          burst   | absent          | 4@0         | CREATE 4@0 until 5
          handler | absent          | gone@0      | nothing
          handler | absent          | NaN@2       | nothing
          # A quiet counter is written even if its total is the same.
          handler | 4@0             | 4@1         | UPDATE 4@1
          # A burst shortens no lease.
          burst   | 4@0             | 5@1         | BEGIN 5@1 until 6
          burst   | 4@0 until 0     | 5@1         | BEGIN 5@1 until 6
          burst   | 4@0 until 5.9   | 5@1         | BEGIN 5@1 until 6
          burst   | 4@0 until 6.1   | 5@1         | BEGIN 5@1 until 6.1
          # A counter without shards loses its roll-up once its lease has run out.
          handler | 4@0             | gone@0.001  | REMOVE
          # A field of a server's keeps it, with its mark and a total of 0.
          handler | shared 4@0      | gone@0.001  | UPDATE gone@0.001
          burst   | shared 4@0      | gone@1      | BEGIN gone@1 until 6
          busy    | shared 4@0 until 5 | gone@7.001 | UPDATE gone@7.001 until 12.001
          calm    | shared 4@0 until 5 | gone@7.001 | END gone@7.001
          sweep   | shared 4@0      | gone@1      | UPDATE gone@1
          sweep   | shared gone@0   | gone@1      | nothing
          handler | mark            | gone@1      | nothing
          handler | 4@0 until 5     | gone@7      | UPDATE gone@7
          handler | 4@0 until 5     | gone@7.001  | REMOVE
          # If its own document shows totals and is there, or documents lack what is counted, that is 0.
          handler | 4@0             | zero@0.001  | UPDATE zero@0.001
          handler | zero@0          | zero@1      | UPDATE zero@1
          handler | shared 4@0      | zero@1      | UPDATE zero@1
          burst   | 4@0             | zero@1      | BEGIN zero@1 until 6
          handler | absent          | zero@1      | nothing
          handler | mark            | zero@1      | nothing
          busy    | 4@0 until 5     | zero@2.501  | UPDATE zero@2.501 until 7.501
          calm    | 4@0 until 5     | zero@60     | END zero@60
          calm    | mark until 5    | zero@60     | END
          calm    | zero@0 until 5  | gone@60     | REMOVE
          sweep   | 4@0             | zero@1      | UPDATE zero@1
          sweep   | zero@0          | zero@1      | nothing
          sweep   | zero@0          | gone@1      | REMOVE
          sweep   | mark            | zero@1      | nothing
          sweep   | absent          | zero@1      | nothing
          poll    | 4@0             | zero@1      | UPDATE zero@1
          poll    | absent          | zero@1      | nothing
          poll    | mark            | zero@1      | nothing
          # No sum is written that is unusable or not newer.
          burst   | 4@0             | NaN@2       | nothing
          burst   | 4@0             | 5@0         | nothing
          busy    | 4@0 until 5     | NaN@2       | nothing
          busy    | 4@0 until 5     | 5@0         | nothing
          sweep   | 4@0             | NaN@2       | nothing
          sweep   | 4@0             | 5@0         | nothing
          sweep   | absent          | NaN@2       | nothing
          # The roller writes what has changed, and renews a lease with less than half left.
          busy    | 4@0 until 5     | 4@1         | nothing
          busy    | 4@0 until 5     | 5@1         | UPDATE 5@1
          busy    | 4@0 until 5     | 5@2.5       | UPDATE 5@2.5
          busy    | 4@0 until 5     | 5@2.501     | UPDATE 5@2.501 until 7.501
          busy    | 4@0 until 5     | 5@60        | UPDATE 5@60 until 65
          # A calm counter's lease runs out.
          calm    | 4@0 until 5     | 5@60        | END 5@60
          calm    | 4@0 until 5     | 5@4         | UPDATE 5@4
          calm    | 4@0 until 5     | 4@7         | nothing
          calm    | 4@0 until 5     | 4@7.001     | END 4@7.001
          calm    | mark until 5    | gone@8      | END
          # A sum right after a write says nothing.
          calm    | 4@7.001 until 5 | 4@7.5       | nothing
          calm    | 4@7.001 until 5 | 4@7.501     | END 4@7.501
          busy    | 4@0 until 5     | gone@7      | UPDATE gone@7
          busy    | 4@0 until 5     | gone@7.001  | REMOVE
          # An unusable sum ends the lease, too, and leaves the total.
          busy    | 4@0 until 5     | NaN@7       | nothing
          busy    | 4@0 until 5     | NaN@7.001   | END
          # The sweep corrects settled totals, ends leases that nobody has ended, and no others.
          sweep   | 4@0             | 4@1         | nothing
          sweep   | 4@0             | 5@1         | UPDATE 5@1
          sweep   | mark            | 4@1         | UPDATE 4@1
          sweep   | 4@0 until 5     | 5@7         | nothing
          sweep   | 4@0 until 5     | gone@7      | nothing
          sweep   | 4@0 until -60   | 5@1         | END 5@1
          sweep   | 4@0 until -60   | 4@1         | END 4@1
          sweep   | 4@0             | gone@1      | REMOVE
          sweep   | gone@0          | gone@1      | REMOVE
          sweep   | mark            | gone@1      | nothing
          sweep   | mark until -60  | gone@1      | END
          sweep   | absent          | 4@1         | CREATE 4@1 until 1
          sweep   | absent          | gone@1      | nothing
          # A poll makes nothing live; it writes beside a lease of a handler's, and ends it in time.
          poll    | 4@0             | 4@1         | nothing
          poll    | 4@0             | 5@1         | UPDATE 5@1
          poll    | absent          | 4@1         | CREATE 4@1
          poll    | absent          | gone@1      | nothing
          poll    | 4@0 until 5     | 5@4.999     | UPDATE 5@4.999
          poll    | 4@0 until 5     | 4@7         | nothing
          poll    | 4@0 until 5     | 4@7.001     | END 4@7.001
          poll    | 4@0 until 5     | 5@7.001     | END 5@7.001
          poll    | 4@0 until 5     | gone@7      | UPDATE gone@7
          poll    | 4@0 until 5     | gone@7.001  | REMOVE
          poll    | 4@0             | gone@1      | REMOVE
          poll    | shared 4@0      | gone@1      | UPDATE gone@1
          poll    | mark            | gone@1      | nothing
          poll    | 4@0             | NaN@2       | nothing
          poll    | 4@0             | 5@0         | nothing
          # `hold` holds a change back that is small and new, and gives longer leases.
          held busy  | 1000@0 until 24     | 1009@1      | nothing
          held busy  | 1000@0 until 24     | 1010@1      | UPDATE 1010@1
          held busy  | 1000@0 until 24     | 1001@9.999  | nothing
          held busy  | 1000@0 until 24     | 1001@10     | UPDATE 1001@10
          held busy  | 1000@0 until 24     | 1001@12     | UPDATE 1001@12
          held busy  | 1000@0 until 24     | 1001@12.001 | UPDATE 1001@12.001 until 36.001
          held busy  | 1000@0 until 24     | gone@1      | UPDATE gone@1
          held burst | 1000@0              | 1001@1      | BEGIN 1001@1 until 25
          held busy  | zero@0 until 24     | 1@1         | UPDATE 1@1
          held busy  | 1@0 until 24        | zero@1      | UPDATE zero@1
          # The small change is written if the lease would end before two more ticks.
          held busy  | 1000@9 until 12     | 1001@10     | nothing
          held busy  | 1000@9 until 11.999 | 1001@10     | UPDATE 1001@10 until 34
          held poll   | 1000@0              | 1001@9.999  | nothing
          held poll   | 1000@0              | 1001@10     | UPDATE 1001@10
          held poll   | 1000@0              | 1010@1      | UPDATE 1010@1
          # A settled total is exact.
          held calm  | 1000@0 until 24     | 1001@1      | nothing
          held calm  | 1000@20 until 24    | 1001@26.001 | END 1001@26.001
          """)
  void decision_isThatOfTheTable(String who, String stored, String sum, String decision) {
    Optional<Rollup> rollup = rollupOf(stored);
    Timing timing = who.startsWith("held") ? HOLDING : WITH_SLACK;
    Optional<Change> change =
        switch (who.replace("held ", "")) {
          case "handler" -> Decisions.ofHandler(rollup, sumOf(sum), /* makeLive= */ false, timing);
          case "burst" -> Decisions.ofHandler(rollup, sumOf(sum), /* makeLive= */ true, timing);
          case "poll" -> Decisions.ofPoll(rollup, sumOf(sum), timing);
          case "sweep" -> Decisions.ofSweep(rollup, sumOf(sum), timing);
          default ->
              Decisions.ofRoller(rollup.orElseThrow(), sumOf(sum), who.endsWith("busy"), timing);
        };

    assertThat(change).isEqualTo(changeOf(decision, rollup));
  }

  private static Optional<Rollup> rollupOf(String text) {
    if (text.equals("absent")) {
      return Optional.empty();
    }
    Optional<Instant> lease = leaseOf(text);
    String held = text.replaceFirst(" until .*", "");
    if (held.equals("mark")) {
      Sum none = sum(4, 0);
      return Optional.of(
          new Rollup(none.total(), -1, Instant.EPOCH, lease, T, Rollup.Whose.SHARED));
    }
    Sum sum = sumOf(held.replace("shared ", ""));
    Rollup.Whose whose = held.startsWith("shared") ? Rollup.Whose.SHARED : Rollup.Whose.OURS;
    return Optional.of(
        new Rollup(sum.total(), sum.shards(), sum.readTime(), lease, sum.readTime(), whose));
  }

  private static Optional<Instant> leaseOf(String text) {
    int at = text.indexOf("until ");
    return at < 0 ? noLease() : leaseUntil(Double.parseDouble(text.substring(at + 6)));
  }

  private static Sum sumOf(String text) {
    String[] parts = text.split("@", 2);
    double second = Double.parseDouble(parts[1]);
    return switch (parts[0]) {
      case "gone" -> nothing(second);
      case "zero" -> nothing(second).withRemains(Sum.Remains.OWN_DOCUMENT);
      case "NaN" -> unusable(second);
      default -> sum(Long.parseLong(parts[0]), second);
    };
  }

  private static Optional<Change> changeOf(String text, Optional<Rollup> stored) {
    if (text.equals("nothing")) {
      return Optional.empty();
    }
    String[] words = text.split(" ", 3);
    Optional<Sum> sum = words.length == 1 ? Optional.empty() : Optional.of(sumOf(words[1]));
    return Optional.of(new Change(Effect.valueOf(words[0]), stored, sum, leaseOf(text)));
  }

  /** A quiet counter gets a lease that ends now; one that was to be settled stays live. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          handler | 4@0             | 4@1         | BEGIN 4@1 until 1
          handler | 4@0 until 0     | 4@1         | nothing
          burst   | 4@0             | 5@1         | nothing
          handler | absent          | 4@0         | nothing
          handler | 4@0             | gone@1      | nothing
          busy    | 4@0 until 5     | 5@1         | nothing
          calm    | 4@0 until 5     | 5@60        | UPDATE 5@60 until 65
          calm    | 4@0 until 5     | 4@7.001     | UPDATE 4@7.001 until 12.001
          calm    | 4@0 until 5     | NaN@7.001   | nothing
          calm    | 4@0 until 5     | gone@7.001  | nothing
          """)
  void fieldsThatAreOwed_haveSomebodyComeBack(
      String who, String stored, String sum, String expected) {
    Optional<Rollup> rollup = rollupOf(stored);
    Optional<Change> retryFieldsLater =
        switch (who) {
          case "handler", "burst" ->
              Decisions.ofHandler(rollup, sumOf(sum), who.equals("burst"), WITH_SLACK)
                  .flatMap(change -> Decisions.retryFieldsOfHandler(rollup, change));
          default ->
              Decisions.ofRoller(rollup.orElseThrow(), sumOf(sum), who.equals("busy"), WITH_SLACK)
                  .flatMap(
                      change ->
                          Decisions.retryFieldsOfRoller(rollup.orElseThrow(), change, WITH_SLACK));
        };

    assertThat(retryFieldsLater).isEqualTo(changeOf(expected, rollup));
    assertThat(retryFieldsLater.filter(Change::wakes)).isEmpty();
  }

  @Test
  void leaseOfAHeldTotal_isFromTheUsualToTheLongest() {
    assertThat(holding(Duration.ofMillis(100), Duration.ofSeconds(2)).leaseLength())
        .isEqualTo(WITH_SLACK.lease());
    assertThat(holding(Duration.ofSeconds(1), Duration.ofMinutes(4)).leaseLength())
        .isEqualTo(Duration.ofSeconds(484));
    assertThat(holding(Duration.ofMinutes(1), Duration.ofMinutes(4)).leaseLength())
        .isEqualTo(Times.LONGEST_LEASE);
  }

  @Test
  void counterThatBecomesLive_wakesTheRoller() {
    Optional<Rollup> settled = Optional.of(rollup(4, 0, noLease()));

    assertThat(changeOf("CREATE 4@0 until 0", Optional.empty()))
        .get()
        .matches(change -> !change.wakes());
    assertThat(changeOf("CREATE 4@0 until 5", Optional.empty())).get().matches(Change::wakes);
    assertThat(changeOf("UPDATE 4@1", settled)).get().matches(change -> !change.wakes());
    assertThat(changeOf("BEGIN 5@1 until 6", settled)).get().matches(Change::wakes);
  }

  @Test
  void change_isAppliedToTheRollup() {
    Optional<Rollup> live = Optional.of(rollup(4, 0, leaseUntil(5)));

    assertThat(changeOf("CREATE 4@0 until 0", Optional.empty()).orElseThrow())
        .extracting(change -> change.applied(Optional.empty(), T))
        .isEqualTo(Optional.of(rollup(4, 0, leaseUntil(0))));
    assertThat(changeOf("UPDATE 4@1", live).orElseThrow())
        .extracting(change -> change.applied(live, at(1)))
        .isEqualTo(Optional.of(rollup(4, 1, leaseUntil(5))));
  }

  /** The lease covers what commits until the next sum, which takes as long, is written. */
  @Test
  void leaseOfALongSum_isThatMuchLonger() {
    Sum long22 = sum(5, 1).after(Duration.ofSeconds(22));

    Change begun =
        Decisions.ofHandler(Optional.of(rollup(4, 0, noLease())), long22, true, WITH_SLACK)
            .orElseThrow();
    assertThat(begun.liveUntil()).contains(at(1 + 5 + 2 * 22));

    Sum longer = sum(5, 1).after(Duration.ofHours(1));
    Change bounded =
        Decisions.ofHandler(Optional.of(rollup(4, 0, noLease())), longer, true, WITH_SLACK)
            .orElseThrow();
    assertThat(bounded.liveUntil()).contains(at(1).plus(Times.LONGEST_LEASE));
  }

  /** The roller renews it before the next sum could be written too late. */
  @Test
  void leaseOfALongSum_isRenewedInTime() {
    Sum long22 = sum(5, 23).after(Duration.ofSeconds(22));

    Change renewed =
        Decisions.ofRoller(rollup(4, 0, leaseUntil(49)), long22, true, WITH_SLACK).orElseThrow();

    assertThat(renewed.liveUntil()).contains(at(23 + 5 + 2 * 22));
  }
}
