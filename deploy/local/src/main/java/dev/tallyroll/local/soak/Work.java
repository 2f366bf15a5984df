package dev.tallyroll.local.soak;

import java.util.ArrayList;
import java.util.List;

/**
 * What the functions did for what clients did. Immutable.
 *
 * @param writes of shards by clients, all of which are events
 * @param deliveries of events, with copies and repetitions
 * @param commits that the functions sent, whatever came of them
 * @param idleCommits those of them that came while nothing was to be done
 */
record Work(long writes, long deliveries, long commits, long idleCommits) {
  /**
   * A delivery costs the handler a write, two when another came between, and the client of
   * Firestore sends some again; the roller adds less than one. More, and something goes round in a
   * circle.
   */
  private static final long MOST_COMMITS_PER_DELIVERY = 3;

  /** What is wrong, each in a sentence. */
  List<String> broken() {
    var broken = new ArrayList<String>();
    if (idleCommits != 0) {
      broken.add("expected no commit while idle, found " + idleCommits);
    }
    long most = MOST_COMMITS_PER_DELIVERY * deliveries;
    if (commits > most) {
      broken.add(
          "expected at most %d commits for %d deliveries, found %d"
              .formatted(most, deliveries, commits));
    }
    return broken;
  }

  double commitsPerWrite() {
    return (double) commits / Math.max(1, writes);
  }
}
