package dev.tallyroll.runs;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The calls of Firestore for run documents: one for each worker, by its number, and one for the
 * sweep.
 */
public interface RunStore {

  /** Reads a run document. Costs one document read. */
  CompletableFuture<RunState> read(String job);

  /** Gives a name that no other run has. */
  String newHolder();

  /**
   * Claims a job. Costs one write.
   *
   * @param place how far a pass has come; empty to leave the stored place as it is
   * @param expected the document's version; empty if there is none
   * @return its new version; empty if the document was at another version
   */
  CompletableFuture<Optional<Instant>> claim(
      String job, Claim claim, Optional<Place> place, Optional<Instant> expected);

  /**
   * Keeps the place of a pass that claims nothing. Costs one write.
   *
   * @param expected the document's version; empty if there is none
   * @return whether it was at this version
   */
  CompletableFuture<Boolean> savePlace(String job, Place place, Optional<Instant> expected);

  /** Releases a job, if its document is still at version {@code expected}. Costs one delete. */
  CompletableFuture<Boolean> release(String job, Instant expected);

  /** A run's statement that it is alive until a time, by Firestore's clock. */
  record Claim(String holder, Instant until) {}

  /**
   * Where a pass goes on.
   *
   * @param group the name of what it pages through
   * @param after path of the last document that it has looked at; empty for none
   * @param since when it began at the list's beginning
   * @param round of a sweep
   */
  record Place(String group, String after, Instant since, Round round) {
    /** Where a pass goes on that is not of a round. */
    public Place(String group, String after, Instant since) {
      this(group, after, since, Round.FIRST);
    }

    Place in(Round other) {
      return new Place(group, after, since, other);
    }
  }

  /**
   * How far the present round of sweeps has come, from the list's beginning to its end.
   *
   * @param looked how many documents it has looked at
   * @param last how many the last whole one has; 0 if that is not known
   * @param all whether somebody has asked for it, so that it goes on without a bound
   */
  record Round(long looked, long last, boolean all) {
    public static final Round FIRST = new Round(0, 0, false);
  }

  /**
   * What was read in the place of a run document.
   *
   * @param claim who holds the job; empty if nobody does
   * @param place how far a pass has come; empty at its start, and for a roller
   * @param updateTime the document's version; empty if there is none
   * @param isForeign whether it is a foreign document
   * @param readTime Firestore's time of the read
   */
  record RunState(
      Optional<Claim> claim,
      Optional<Place> place,
      Optional<Instant> updateTime,
      boolean isForeign,
      Instant readTime) {
    /** No run claims a job for longer than this, so a longer claim is damaged. */
    private static final Duration LONGEST_CLAIM = Duration.ofMinutes(10);

    boolean isAlive() {
      return claim
          .map(Claim::until)
          .filter(until -> until.isAfter(readTime) && !until.isAfter(readTime.plus(LONGEST_CLAIM)))
          .isPresent();
    }
  }
}
