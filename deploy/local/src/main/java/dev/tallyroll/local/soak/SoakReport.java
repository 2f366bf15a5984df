package dev.tallyroll.local.soak;

import dev.tallyroll.local.DeliveryCounts;
import dev.tallyroll.local.chaos.Fault;
import dev.tallyroll.local.chaos.FaultCounts;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What came of a soak, as Markdown. Immutable.
 *
 * @param steps that clients made
 * @param passedOver steps that were left out, as the client still waited for an answer
 * @param increments that are known to be counted in counters that are still there
 * @param retried calls of named increments that failed and were made again
 * @param deletions of counters by their clients
 * @param readings roll-ups that readers saw
 * @param faults what was done to it
 * @param lostReplies replies to clients that got lost
 * @param deliveries of events, to the end
 * @param lostMessages messages that RollUp did not take
 * @param driftWhenLost totals that the sweep after the loss of all events put right
 * @param drift totals that the last sweep put right
 * @param difference between roll-ups and shards in the end, over all counters
 * @param freshness after the faults
 * @param work what the functions did
 * @param findings what is wrong, each in a sentence
 */
record SoakReport(
    SoakOptions options,
    long steps,
    long passedOver,
    long increments,
    long retried,
    long deletions,
    long readings,
    FaultCounts faults,
    long lostReplies,
    DeliveryCounts deliveries,
    long lostMessages,
    long driftWhenLost,
    long drift,
    long difference,
    Freshness freshness,
    Work work,
    List<String> findings) {
  private static final int MOST_SHOWN = 50;

  boolean isRight() {
    return findings.isEmpty();
  }

  @Override
  public String toString() {
    return """
        # Soak: %s

        %d counters for %d s of faults, seed %d, JDK %s.

        | what | how much |
        |---|---|
        %s
        ## Faults

        | kind | times |
        |---|---|
        %s
        ## Findings

        %s
        """
        .formatted(
            isRight() ? "all is right" : findings.size() + " findings",
            options.counters(),
            options.faults().toSeconds(),
            options.seed(),
            Runtime.version(),
            figures(),
            rows(Arrays.stream(Fault.values()).map(kind -> row(kind, faults.of(kind)))),
            findings.isEmpty()
                ? "None."
                : rows(findings.stream().limit(MOST_SHOWN).map("- "::concat)));
  }

  private String figures() {
    return rows(
        Stream.of(
            row("steps of clients", steps),
            row("steps left out, as an answer was awaited", passedOver),
            row("increments counted, in counters that are left", increments),
            row("calls of named increments made again", retried),
            row("replies to clients lost", lostReplies),
            row("counters deleted", deletions),
            row("roll-ups seen by readers", readings),
            row("events", deliveries.submitted()),
            row("deliveries of them", work.deliveries()),
            row("deliveries tried again", deliveries.retries()),
            row("messages that RollUp lost", lostMessages),
            row("drift after " + seconds(options.lost()) + " of losing all events", driftWhenLost),
            row("drift corrected by the last sweep", drift),
            row("difference between totals and shards", difference),
            row("freshness in " + seconds(options.calm()) + " after the faults", freshness),
            row("commits of the functions", work.commits()),
            row(
                "commits for each write of a shard",
                String.format(Locale.ROOT, "%.3f", work.commitsPerWrite())),
            row("commits in " + seconds(options.idle()) + " of idleness", work.idleCommits())));
  }

  private static String seconds(Duration duration) {
    return duration.toSeconds() + " s";
  }

  private static String row(Object what, Object howMuch) {
    return "| " + what + " | " + howMuch + " |";
  }

  private static String rows(Stream<String> rows) {
    return rows.collect(Collectors.joining("\n")) + "\n";
  }
}
