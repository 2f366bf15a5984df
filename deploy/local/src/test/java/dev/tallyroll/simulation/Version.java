package dev.tallyroll.simulation;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Which version of a document a compare-and-set expects.
 *
 * @param pick of the versions or inventions that the kind leaves to choose from
 */
record Version(Kind kind, int pick) {
  /** From the document's own latest to one that no document ever had. */
  enum Kind {
    RIGHT,
    STALE,
    INVENTED
  }

  Instant of(String document, Chronicle chronicle) {
    List<Instant> known = chronicle.versions(document);
    int older = kind == Kind.RIGHT ? known.size() : known.size() - 1;
    if (kind == Kind.INVENTED || older <= 0) {
      return invent(known, chronicle);
    }
    return known.get(kind == Kind.RIGHT ? older - 1 : pick % older);
  }

  /**
   * None from the future: the emulator calls a version later than the document's an invalid
   * argument, and nobody who has read it can hold one.
   */
  private Instant invent(List<Instant> known, Chronicle chronicle) {
    Instant latest = known.isEmpty() ? chronicle.time(Duration.ZERO) : known.get(known.size() - 1);
    return latest.minus(pick % 2 == 0 ? Duration.ofNanos(1_000) : Duration.ofHours(1));
  }
}
