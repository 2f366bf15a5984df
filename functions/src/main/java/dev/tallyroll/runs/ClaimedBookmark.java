package dev.tallyroll.runs;

import dev.tallyroll.runs.Pass.Bookmark;
import dev.tallyroll.runs.Pass.Opened;
import dev.tallyroll.runs.RunStore.Place;
import dev.tallyroll.runs.RunStore.Round;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

/**
 * Keeps the place of a sweep in the run document that the sweep claims, so that one of its kind is
 * at work at a time. One that looks at everything takes it from any other. Costs a read and a write
 * at the beginning, at each page and at the end.
 *
 * <p>It keeps, too, how many documents the round has looked at, from the list's beginning on, and
 * the last whole one; and whether the round looks at everything: then any later sweep goes on with
 * that, whatever has ended this one.
 */
public final class ClaimedBookmark implements Bookmark {
  /** The job of a sweep of everything that is kept. */
  public static final String SWEEP = "sweep";

  /** Longer than a page takes. After a crash, no other sweep begins in this time. */
  private static final Duration ALIVE = Duration.ofMinutes(2);

  /** A round that takes longer is told. */
  private static final Duration DAY = Duration.ofDays(1);

  private final InstantSource clock;
  private final Ownership ownership;
  private final PassKind kind;
  private final int sharers;
  private final LongSupplier looked;
  private Optional<Place> before = Optional.empty();

  /** The round, as the sweep before has left it. */
  private Round round = Round.FIRST;

  /**
   * @param job which the run document is of
   * @param sharers how many sweeps share an hour
   * @param looked how many documents this sweep has looked at
   */
  public ClaimedBookmark(
      RunStore runs,
      String job,
      StructuredLog log,
      InstantSource clock,
      PassKind kind,
      int sharers,
      LongSupplier looked) {
    this.clock = clock;
    this.kind = kind;
    this.sharers = sharers;
    this.looked = looked;
    this.ownership = new Ownership(runs, log, job, ALIVE);
  }

  @Override
  public CompletableFuture<Opened> open() {
    return ownership
        .claim(/* takesOver= */ kind != PassKind.PART, left -> before = left.place())
        .thenApply(
            held -> {
              Round left = before.map(Place::round).orElse(Round.FIRST);
              round =
                  kind == PassKind.ALL
                      ? new Round(0, left.last(), true)
                      : new Round(left.looked(), left.last(), isAll() || left.all());
              return new Opened(
                  held, before.filter(place -> kind != PassKind.ALL), clock.instant());
            });
  }

  /** Whether this sweep looks at everything, or goes on with one that does. */
  public boolean isAll() {
    return kind != PassKind.PART || round.all();
  }

  /** How many documents this sweep may look at. */
  public int looks(RunSettings settings) {
    return isAll() ? Integer.MAX_VALUE : settings.looks(round.last(), sharers);
  }

  /** How this sweep has ended. Only one of everything is late; others go on in the next hour. */
  public Pass.End ended(Pass.End end) {
    return end == Pass.End.LATE && !isAll() ? Pass.End.LEFT : end;
  }

  /**
   * Adds what a sweep says of its round to its line in the log.
   *
   * @param age of the round
   */
  public void describe(Map<String, Object> line, Duration age) {
    if (isAll()) {
      line.put("pass", "all");
    }
    line.put("round_looked", now().looked());
    line.put("round_before", round.last());
    line.put("round_hours", age.toHours());
    line.put("behind", age.compareTo(DAY) > 0);
  }

  private Round now() {
    return new Round(round.looked() + looked.getAsLong(), round.last(), isAll());
  }

  @Override
  public CompletableFuture<Boolean> keep(Place place) {
    return ownership
        .renew(ALIVE, Optional.of(place.in(now())))
        .thenApply(none -> !ownership.isLost());
  }

  /** The run document stays, without a claim. */
  @Override
  public CompletableFuture<Void> leave(Place place) {
    return ownership.renew(Duration.ZERO, Optional.of(place.in(now())));
  }

  /** The run document also stays if the next round depends on how large this one was. */
  @Override
  public CompletableFuture<Void> close(Place end) {
    Round whole = new Round(0, now().looked(), /* all= */ false);
    return whole.last() > RunSettings.LOOKS / sharers
        ? ownership.renew(Duration.ZERO, Optional.of(end.in(whole)))
        : ownership.release();
  }
}
