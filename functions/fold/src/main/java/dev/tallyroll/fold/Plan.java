package dev.tallyroll.fold;

import dev.tallyroll.fold.Shard.Leaf;
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
 * @param sums what is added to the document's fields, by the names on the way to them; a sum of 0
 *     makes a field that is not there
 * @param changes what becomes of the shards that this was in
 * @param left why values stay where they are, by their fields
 * @param stays how many shards keep such a value
 * @param isCut whether other values stay only since a batch takes so many fields
 */
public record Plan(
    Map<List<String>, Number> sums,
    List<Shard.Change> changes,
    Map<List<String>, String> left,
    int stays,
    boolean isCut) {
  /** Firestore takes 500 increments of a document in one commit. */
  private static final int MOST_FIELDS = 400;

  private static final String COUNTERS =
      "the document has num_shards, so this is a shard of a sharded counter";

  /** The fields that shards have numbers for. */
  static Set<List<String>> fields(List<Shard> shards, Predicate<List<String>> wanted) {
    Set<List<String>> fields = new HashSet<>();
    for (Shard shard : shards) {
      for (Leaf leaf : shard.leaves()) {
        if (leaf.number().isPresent() && wanted.test(leaf.path())) {
          fields.add(leaf.path());
        }
      }
    }
    return fields;
  }

  /**
   * Those of some fields of a document that an increment would replace rather than change: there is
   * something else than a number, or than a map on the way.
   */
  static Set<List<String>> blocked(Map<String, Object> document, Set<List<String>> fields) {
    Set<List<String>> blocked = new HashSet<>(fields);
    blocked.removeIf(path -> isFree(document, path));
    return blocked;
  }

  private static boolean isFree(Map<?, ?> fields, List<String> path) {
    String name = path.get(0);
    if (!fields.containsKey(name)) {
      return true;
    }
    Object value = fields.get(name);
    return path.size() == 1
        ? value != null && Leaf.isNumber(value)
        : value instanceof Map<?, ?> inner && isFree(inner, path.subList(1, path.size()));
  }

  /**
   * Moves all numbers that can be moved.
   *
   * @param wanted the fields that are moved
   * @param blocked fields that the document holds something else in
   * @param isCounter whether the document is that of a sharded counter, whose shards have numbers
   *     for their ids, and stay
   */
  static Plan of(
      List<Shard> shards,
      Predicate<List<String>> wanted,
      Set<List<String>> blocked,
      boolean isCounter) {
    Map<List<String>, Number> sums = new LinkedHashMap<>();
    List<Shard.Change> changes = new ArrayList<>();
    Map<List<String>, String> left = new HashMap<>();
    int staying = 0;
    boolean isCut = false;
    for (Shard shard : shards) {
      if (isCounter && shard.isNumbered()) {
        staying++;
        shard.leaves().forEach(leaf -> left.putIfAbsent(leaf.path(), COUNTERS));
        continue;
      }
      List<Leaf> moved = new ArrayList<>();
      List<Leaf> stays = new ArrayList<>();
      boolean keeps = false;
      for (Leaf leaf : shard.leaves()) {
        Optional<String> reason = reason(leaf, wanted, blocked, sums);
        boolean fits = sums.size() < MOST_FIELDS || sums.containsKey(leaf.path());
        reason.ifPresent(why -> left.putIfAbsent(leaf.path(), why));
        keeps |= reason.isPresent();
        isCut |= reason.isEmpty() && !fits;
        if (reason.isEmpty() && fits) {
          moved.add(leaf);
          sums.merge(leaf.path(), leaf.number().orElseThrow(), Plan::add);
        } else {
          stays.add(leaf);
        }
      }
      staying += keeps ? 1 : 0;
      if (stays.isEmpty() || !moved.isEmpty()) {
        changes.add(shard.without(moved, stays));
      }
    }
    return new Plan(sums, changes, left, staying, isCut);
  }

  /** Why a value stays. */
  private static Optional<String> reason(
      Leaf leaf,
      Predicate<List<String>> wanted,
      Set<List<String>> blocked,
      Map<List<String>, Number> sums) {
    if (!wanted.test(leaf.path())) {
      return Optional.of("FOLD_FIELDS does not name it");
    }
    if (leaf.number().isEmpty()) {
      return Optional.of("expected a finite number; found " + leaf.kind());
    }
    Number sum = sums.getOrDefault(leaf.path(), 0L);
    if (!Leaf.isNumber(add(sum, leaf.number().orElseThrow()))) {
      return Optional.of("its sum is too large");
    }
    return blocked.contains(leaf.path()) || isInside(leaf.path(), sums.keySet())
        ? Optional.of("the document has something else than a number there")
        : Optional.empty();
  }

  /** Whether a field holds one of the others, or the other way round. */
  static boolean isInside(List<String> path, Set<List<String>> others) {
    return others.stream().anyMatch(other -> isPrefix(other, path) || isPrefix(path, other));
  }

  private static boolean isPrefix(List<String> shorter, List<String> longer) {
    return shorter.size() < longer.size() && longer.subList(0, shorter.size()).equals(shorter);
  }

  /** As Firestore adds: whole numbers stop at the ends of their range. */
  private static Number add(Number one, Number other) {
    if (!(one instanceof Long a) || !(other instanceof Long b)) {
      return one.doubleValue() + other.doubleValue();
    }
    long sum = a + b;
    boolean overflows = ((a ^ sum) & (b ^ sum)) < 0;
    return overflows ? (a < 0 ? Long.MIN_VALUE : Long.MAX_VALUE) : sum;
  }
}
