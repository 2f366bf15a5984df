package dev.tallyroll.settings;

import dev.tallyroll.internal.FieldName;
import java.util.Optional;
import java.util.Set;

/**
 * Which security rules are printed for an entry.
 *
 * @param values what the documents of people may hold in the summed field
 * @param set the fields of {@code where} and {@code document} that people may set
 */
public record EntryRules(RulesKind kind, Optional<Values> values, Set<FieldName> set) {
  /** Copies the fields. */
  public EntryRules {
    set = Set.copyOf(set);
  }

  /** Rules that let people set no field of {@code where} and {@code document}. */
  public EntryRules(RulesKind kind, Optional<Values> values) {
    this(kind, values, Set.of());
  }

  /** What clients may do. */
  public enum RulesKind {
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
