package dev.tallyroll.runs;

import dev.tallyroll.runs.Pass.Bookmark;
import dev.tallyroll.runs.Pass.Opened;
import dev.tallyroll.runs.RunStore.Place;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Keeps the place of a sweep in the run document that the sweep claims, so that one is at work at a
 * time. One that looks at everything takes it from any other. Costs a read and a write at the
 * beginning, at each page and at the end.
 */
public final class ClaimedBookmark implements Bookmark {
  private static final String JOB = "sweep";

  /** Longer than a page takes. After a crash, no other sweep begins in this time. */
  private static final Duration ALIVE = Duration.ofMinutes(2);

  private final InstantSource clock;
  private final Ownership ownership;
  private final Extent extent;
  private Optional<Place> before = Optional.empty();

  public ClaimedBookmark(RunStore runs, Journal journal, InstantSource clock, Extent extent) {
    this.clock = clock;
    this.extent = extent;
    this.ownership = new Ownership(runs, journal, JOB, ALIVE);
  }

  @Override
  public CompletableFuture<Opened> open() {
    return ownership
        .claim(/* takesOver= */ extent != Extent.PART, left -> before = left.place())
        .thenApply(
            held ->
                new Opened(held, before.filter(place -> extent != Extent.ALL), clock.instant()));
  }

  @Override
  public CompletableFuture<Boolean> keep(Place place) {
    return ownership.renew(ALIVE, Optional.of(place)).thenApply(none -> !ownership.isLost());
  }

  /** The run document stays, without a claim. */
  @Override
  public CompletableFuture<Void> leave(Place place) {
    return ownership.renew(Duration.ZERO, Optional.of(place));
  }

  @Override
  public CompletableFuture<Void> close() {
    return ownership.release();
  }
}
