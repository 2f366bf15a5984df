package dev.tallyroll.settings;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.protocol.Entry;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/** What two entries of one file, or of one database, must not share. Stateless. */
public final class Meeting {
  private static final String ANYWHERE = "{parent=**}";

  private Meeting() {}

  /** The mistakes of two entries, each in a sentence. */
  static List<String> mistakes(Entry one, Entry other) {
    List<String> mistakes = new ArrayList<>();
    if (mayShareRollups(one, other)) {
      mistakes.add(
          "%s.rollups: expected a collection whose documents are not those of %s, as a total of one could be in the place of a total of the other; found '%s' beside %s, and beside %s"
              .formatted(one, other, one.layout().rollups(), documents(one), documents(other)));
    }
    if (overlap(one.layout().of(), other.layout().of()) && !isSamePattern(one, other)) {
      mistakes.add(
          "%s.of: expected the pattern of %s, %s, or one that fits none of its paths, as each write has one event; found '%s'"
              .formatted(one, other, other.layout().of(), one.layout().of()));
    }
    if (needOtherIndexes(one, other)) {
      mistakes.add(
          "%s.index: expected %s, as %s has, since collections of one name have the same indexes; found %s"
              .formatted(one, other.isIndexed(), other, one.isIndexed()));
    }
    meets(one, other).ifPresent(mistakes::add);
    meets(other, one).ifPresent(mistakes::add);
    fields(one, other)
        .forEach(
            field ->
                mistakes.add(
                    "%s.into: expected a field other than those of %s in the same document, %s, and not on the way to one or inside; found '%s'"
                        .formatted(
                            one,
                            other,
                            other.fields().values().stream()
                                .map(FieldName::toString)
                                .sorted()
                                .toList(),
                            field)));
    return mistakes;
  }

  /**
   * Whether one needs an index that the other needs not to be there: an exemption holds in all
   * collections of a name, and for what is in the field.
   */
  public static boolean needOtherIndexes(Entry one, Entry other) {
    boolean isOne = one.layout().shards().equals(other.layout().shards());
    if (!isOne || one.isIndexed() == other.isIndexed()) {
      return false;
    }
    Entry exempt = one.isIndexed() ? other : one;
    Entry indexed = one.isIndexed() ? one : other;
    String field = exempt.layout().countField();
    return !field.isEmpty() && (indexed.layout().countField() + ".").startsWith(field + ".");
  }

  /** Whether a total of one may be in the place of a total of the other. */
  public static boolean mayShareRollups(Entry one, Entry other) {
    return overlap(rollups(one), rollups(other));
  }

  /** The fields of one that may meet a field of the other in a document. */
  public static List<FieldName> fields(Entry one, Entry other) {
    Set<FieldName> others = new HashSet<>(other.fields().values());
    return overlap(documents(one), documents(other))
        ? one.fields().values().stream().filter(field -> field.meets(others)).toList()
        : List.of();
  }

  /** Whether the totals of one are where the other counts, or has its documents. */
  private static Optional<String> meets(Entry one, Entry other) {
    for (String place : List.of(other.layout().of(), documents(other))) {
      if (overlap(rollups(one), place)) {
        return Optional.of(
            "%s.rollups: expected a collection of totals alone; found '%s', where %s has documents of the app's"
                .formatted(one, one.layout().rollups(), other));
      }
    }
    return Optional.empty();
  }

  /** A mistake of entries each of which sums what another one writes; empty if there is none. */
  static Optional<String> circle(List<Entry> entries) {
    return entries.stream().flatMap(entry -> circle(List.of(entry), entries).stream()).findFirst();
  }

  /**
   * @param chain each sums what the one before it writes
   */
  private static Optional<String> circle(List<Entry> chain, List<Entry> entries) {
    Entry last = chain.get(chain.size() - 1);
    for (Entry next : entries) {
      if (!isSummed(last, next)) {
        continue;
      }
      if (next.equals(chain.get(0))) {
        return Optional.of(
            "%s: expected to read no field that depends on its own totals; found '%s', by way of %s"
                .formatted(next, read(last, next).orElseThrow(), chain));
      }
      if (!chain.contains(next)) {
        List<Entry> longer = new ArrayList<>(chain);
        longer.add(next);
        Optional<String> found = circle(longer, entries);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }

  /** Whether totals that one writes into documents are summed by another. */
  public static boolean isSummed(Entry one, Entry other) {
    return overlap(documents(one), other.layout().of()) && read(one, other).isPresent();
  }

  /** A field that one writes and the other reads: to sum it, or to say whether it counts. */
  private static Optional<FieldName> read(Entry one, Entry other) {
    Set<FieldName> written = new HashSet<>(one.fields().values());
    return other.layout().read().stream()
        .filter(field -> field.meets(written))
        .min(Comparator.comparing(FieldName::toString));
  }

  private static boolean isSamePattern(Entry one, Entry other) {
    return one.layout().trigger().equals(other.layout().trigger());
  }

  /** The collection of an entry's totals. */
  private static String rollups(Entry entry) {
    return entry.layout().allRollups();
  }

  /** The collection of the documents that totals are of. */
  private static String documents(Entry entry) {
    return entry.layout().counters();
  }

  /** Whether a collection may fit two patterns. */
  static boolean overlap(String one, String other) {
    List<String> ones = parts(one);
    List<String> others = parts(other);
    if (isAnywhere(ones) || isAnywhere(others)) {
      List<String> end = isAnywhere(ones) ? ones.subList(1, ones.size()) : ones;
      List<String> otherEnd = isAnywhere(others) ? others.subList(1, others.size()) : others;
      boolean fits =
          (isAnywhere(ones) || end.size() >= otherEnd.size())
              && (isAnywhere(others) || otherEnd.size() >= end.size());
      int common = Math.min(end.size(), otherEnd.size());
      return fits
          && fit(
              end.subList(end.size() - common, end.size()),
              otherEnd.subList(otherEnd.size() - common, otherEnd.size()));
    }
    return ones.size() == others.size() && fit(ones, others);
  }

  private static boolean fit(List<String> ones, List<String> others) {
    return IntStream.range(0, ones.size())
        .allMatch(
            i ->
                ones.get(i).startsWith("{")
                    || others.get(i).startsWith("{")
                    || ones.get(i).equals(others.get(i)));
  }

  private static boolean isAnywhere(List<String> parts) {
    return parts.get(0).equals(ANYWHERE);
  }

  private static List<String> parts(String pattern) {
    return Arrays.asList(pattern.split("/", -1));
  }
}
