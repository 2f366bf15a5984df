package dev.tallyroll.local;

import java.util.List;

/**
 * What the sweeps of a function have done, by its own account. Immutable.
 *
 * @param parts how many parts have ended; a small database is swept in one
 * @param checked totals that were compared with their shards
 * @param drift totals that were put right
 */
public record Sweeps(long parts, long checked, List<Drift> drift) {
  public Sweeps {
    drift = List.copyOf(drift);
  }

  /**
   * A total that a sweep has put right. Immutable.
   *
   * @param counter its path
   * @param was the total before, or "absent"
   * @param is the total since
   */
  public record Drift(String counter, String was, String is) {}
}
