package dev.tallyroll.operator;

import dev.tallyroll.operator.Documents.Size;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.settings.PlatformSettings;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * What an entry costs, in dollars: an estimate for whoever deploys it. {@code deploy/local/bill}
 * prices a busy one. Immutable.
 *
 * @param size of what is there; empty if nobody could look
 */
record EntryCosts(Entry entry, Optional<Size> size, Prices prices, PlatformSettings platform) {
  private static final long ASSUMED = 1_000;
  private static final Duration MONTH = Duration.ofDays(30);

  /** How many documents a pass looks at in a minute. */
  private static final int A_MINUTE = 6_000;

  /** All of it, for people. */
  String words() {
    long counters = size.map(Size::counters).orElse(ASSUMED);
    long rollups = size.map(Size::rollups).orElse(ASSUMED);
    long most = Math.max(counters, rollups);
    // A total is read with its path and its sum, its document once, and again for fields in it.
    long pass = (entry.fields().isEmpty() ? 4 : 5) * most;
    return String.format(
        Locale.ROOT,
        "%s: the pass reads up to %,d%s, %s, in %d min; %s; %s.",
        size.isPresent()
            ? "%,d documents and %,d totals now".formatted(counters, rollups)
            : "for 1,000 documents and their totals",
        pass,
        entry.isIndexed() ? "" : ", and one a shard",
        dollars(prices.reads((double) pass)),
        (counters + rollups) / A_MINUTE + 1,
        atRest(most),
        perWrite());
  }

  private String atRest(long most) {
    double days = MONTH.toDays();
    double sweeps = prices.reads(Prices.READS_A_LOOK * days * most); // each once a day
    if (entry.hasEvents()) {
      return "a month at rest " + dollars(sweeps);
    }
    double rounds = (double) MONTH.toMillis() / entry.timing().tick().toMillis();
    return "a month of sums each %s %s"
        .formatted(entry.timing().tick(), dollars(sweeps + prices.reads(rounds * most)));
  }

  private String perWrite() {
    if (!entry.hasEvents()) {
      return "writes cost nothing more";
    }
    boolean shows = !entry.fields().isEmpty();
    // Its roll-up and the sum are read, the roll-up and the fields written.
    double writes = prices.thousandEvents(platform, shows ? 3 : 2, shows ? 2 : 1);
    return "a thousand writes, one by one, %s, and a thousand without effect %s"
        .formatted(dollars(writes), dollars(prices.droppedEvents(platform)));
  }

  /** Cents, and parts of them where it is less. */
  static String dollars(double amount) {
    return amount < 0.00005
        ? "$0"
        : String.format(Locale.ROOT, amount < 0.1 ? "$%.4f" : "$%.2f", amount);
  }
}
