package dev.tallyroll.operator;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.ids.Names;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Which rules are asked for: the options of {@code deploy/gcloud/rules}. What clients may do with
 * an entry's documents, its file says.
 *
 * @param entry the name of the entry; empty where there is one only
 * @param numShards the field of a counter's own document with its number of shards, as clients name
 *     it
 */
public record RulesOptions(Optional<String> entry, String numShards, Set<Variant> variants) {
  static final String ENTRY = "--entry";
  private static final String NUM_SHARDS = "--num-shards";
  private static final String VARIANTS = "--variants";

  /** The name of Google's page on distributed counters, and ours. */
  private static final String USUAL = "num_shards";

  /** All of them. */
  public static final List<String> NAMES = List.of(ENTRY, NUM_SHARDS, VARIANTS);

  /** No option: for clients with the usual names. */
  public static final RulesOptions NONE = new RulesOptions(Optional.empty(), USUAL, Set.of());

  /** What clients may do besides, or less. */
  public enum Variant {
    /** A user increments a counter once, for ever. */
    ONCE,
    /** A step may also be -1. */
    DOWN,
    /** Totals are listed. */
    LIST,
    /** Totals and counters' own documents are read with fields of the app's. */
    MORE,
    /** Below documents that are not there, which a fold then makes. */
    MAKE
  }

  /**
   * Reads options.
   *
   * @param given their values, by {@link #NAMES}
   * @throws IllegalArgumentException if one is malformed
   */
  public static RulesOptions parse(Map<String, String> given) {
    return new RulesOptions(
        Optional.ofNullable(given.get(ENTRY)),
        numShards(given.getOrDefault(NUM_SHARDS, USUAL)),
        variants(given.getOrDefault(VARIANTS, "")));
  }

  private static String numShards(String text) {
    if (!text.matches("(?!__.*__$|reset_id$)" + RulesPath.NAME)) {
      throw Names.refusal(
          NUM_SHARDS, "a field's name such as num_shards, but not reset_id or __.*__", text);
    }
    return text;
  }

  private static Set<Variant> variants(String text) {
    String expected = "some of once, down, list and more, or with FOLD make, with commas between";
    Set<Variant> variants = EnumSet.noneOf(Variant.class);
    for (String word : text.isEmpty() ? List.<String>of() : List.of(text.split(",", -1))) {
      variants.add(
          EnumSet.allOf(Variant.class).stream()
              .filter(each -> word(each).equals(word))
              .findFirst()
              .orElseThrow(() -> Names.refusal(VARIANTS, expected, text)));
    }
    return variants;
  }

  private static String word(Variant choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }

  boolean has(Variant variant) {
    return variants.contains(variant);
  }

  /** Refuses variants but these. */
  void requireVariants(Set<Variant> allowed, String expected) {
    if (!allowed.containsAll(variants)) {
      String found = variants.stream().map(RulesOptions::word).collect(Collectors.joining(","));
      throw Names.refusal(VARIANTS, expected, found);
    }
  }

  /**
   * Refuses a field of the number of shards that is one of these, or on the way to it: the
   * functions would replace what clients read.
   */
  void requireNumShardsBeside(Collection<FieldName> fields) {
    for (FieldName field : fields) {
      if (field.first().equals(numShards)) {
        throw Names.refusal(
            NUM_SHARDS, "a field other than " + field + ", and none on the way to it", numShards);
      }
    }
  }
}
