package dev.tallyroll.fold;

import dev.tallyroll.fold.Shard.Leaf;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.FieldPlace;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * What one batch does for a document.
 *
 * @param sums what is added to the document's fields; a sum of 0 makes a field that is not there
 * @param changes what becomes of the shards that this was in
 * @param reasons why values stay where they are, by their fields
 * @param stays how many shards keep such a value
 * @param isCut whether other values stay only since a batch takes so many fields
 * @param isLarge whether it takes a number to the ends of its range, so that the document must be
 *     as it was read
 * @param version the document's, that it must have; empty for any
 */
public record Plan(
    Map<FieldName, Number> sums,
    List<Shard.Change> changes,
    Map<FieldName, String> reasons,
    int stays,
    boolean isCut,
    boolean isLarge,
    Optional<Instant> version) {
  /** Firestore takes 500 increments of a document in one commit. */
  private static final int MOST_FIELDS = 400;

  private static final Optional<String> NO_ROOM =
      Optional.of("the document's field cannot hold the sum: the value would be lost");

  private static final String CANNOT_NAME =
      "FOLD_FIELDS cannot name it: expected a name that matches " + FieldName.NAME + "; found ";

  private static final String COUNTERS =
      "the document has num_shards or numShards, so this is a shard of a sharded counter";

  /** The fields that shards have numbers for. */
  static Set<FieldName> fields(List<Shard> shards, Predicate<FieldName> wanted) {
    Set<FieldName> fields = new HashSet<>();
    for (Shard shard : shards) {
      for (Leaf leaf : shard.leaves()) {
        if (leaf.number().isPresent() && wanted.test(leaf.path())) {
          fields.add(leaf.path());
        }
      }
    }
    return fields;
  }

  /** Whether an increment would change what a document holds, rather than replace it. */
  static boolean isFree(FieldPlace place) {
    return place.obstacle().isEmpty() && place.number().stream().allMatch(Leaf::isNumber);
  }

  /**
   * Moves all numbers that can be moved.
   *
   * @param wanted the fields that are moved
   * @param there the numbers that the document holds
   * @param blocked fields that the document holds something else in
   * @param isCounter whether the document is that of a sharded counter, whose shards have numbers
   *     for their ids, and stay
   */
  static Plan of(
      List<Shard> shards,
      Predicate<FieldName> wanted,
      Map<FieldName, Number> there,
      Set<FieldName> blocked,
      boolean isCounter) {
    Map<FieldName, Number> sums = new LinkedHashMap<>();
    List<Shard.Change> changes = new ArrayList<>();
    Map<FieldName, String> reasons = new HashMap<>();
    int staying = 0;
    boolean isCut = false;
    boolean isLarge = false;
    for (Shard shard : shards) {
      if (isCounter && shard.isNumbered()) {
        staying++;
        shard.leaves().forEach(leaf -> reasons.putIfAbsent(leaf.path(), COUNTERS));
        continue;
      }
      List<Leaf> moved = new ArrayList<>();
      List<Leaf> stays = new ArrayList<>();
      boolean keeps = false;
      for (Leaf leaf : shard.leaves()) {
        Optional<String> reason = reason(leaf, wanted, blocked, sums.keySet());
        Number before = there.getOrDefault(leaf.path(), 0L);
        Optional<Number> sum =
            leaf.number().flatMap(number -> Range.sum(sums.getOrDefault(leaf.path(), 0L), number));
        if (reason.isEmpty()) {
          isLarge |= sum.filter(all -> Range.isFarFromEnds(before, all)).isEmpty();
          reason = sum.flatMap(all -> Range.sum(before, all)).isEmpty() ? NO_ROOM : reason;
        }
        boolean fits = sums.size() < MOST_FIELDS || sums.containsKey(leaf.path());
        reason.ifPresent(why -> reasons.putIfAbsent(leaf.path(), why));
        keeps |= reason.isPresent();
        isCut |= reason.isEmpty() && !fits;
        if (reason.isEmpty() && fits) {
          moved.add(leaf);
          sums.put(leaf.path(), sum.orElseThrow());
        } else {
          stays.add(leaf);
        }
      }
      staying += keeps ? 1 : 0;
      if (stays.isEmpty() || !moved.isEmpty()) {
        changes.add(shard.without(moved, stays));
      }
    }
    return new Plan(sums, changes, reasons, staying, isCut, isLarge, Optional.empty());
  }

  /** The same, for a document that must have a version. */
  public Plan at(Optional<Instant> expected) {
    return new Plan(sums, changes, reasons, stays, isCut, isLarge, expected);
  }

  /** Why a value stays. */
  private static Optional<String> reason(
      Leaf leaf, Predicate<FieldName> wanted, Set<FieldName> blocked, Set<FieldName> moved) {
    if (leaf.number().isEmpty()) {
      return Optional.of("expected a finite number; found " + leaf.kind());
    }
    if (!wanted.test(leaf.path())) {
      return Optional.of(
          leaf.path().unnameable().map(CANNOT_NAME::concat).orElse("FOLD_FIELDS does not name it"));
    }
    if (blocked.contains(leaf.path())) {
      return Optional.of(
          "the document has something else than a number there, or than a map on the way to it");
    }
    return leaf.path().isInside(moved)
        ? Optional.of("another value of the shards is on the way to it, or inside")
        : Optional.empty();
  }
}
