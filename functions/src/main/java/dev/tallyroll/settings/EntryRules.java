package dev.tallyroll.settings;

import java.util.Optional;

/**
 * Which security rules are printed for an entry.
 *
 * @param values what the documents of people may hold in the summed field
 */
public record EntryRules(Kind kind, Optional<Values> values) {
  /** What clients may do. */
  public enum Kind {
    /** Increment shards by 1. */
    PLAIN,
    /** The same, with a pass. */
    STRICT,
    /** Write a document each. */
    OWN
  }

  /** A range of whole numbers. */
  public record Values(long least, long most) {
    @Override
    public String toString() {
      return least + ".." + most;
    }
  }
}
