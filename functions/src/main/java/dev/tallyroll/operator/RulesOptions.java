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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which rules are asked for: the options of {@code deploy/gcloud/rules}.
 *
 * @param numShards the field of a counter's own document with its number of shards, as clients name
 *     it
 * @param values what the documents of people may hold in the counted field
 */
public record RulesOptions(
    Kind kind, String numShards, Optional<Values> values, Set<Variant> variants) {
  private static final String KIND = "--kind";
  private static final String NUM_SHARDS = "--num-shards";
  private static final String VALUES = "--values";
  private static final String VARIANTS = "--variants";

  /** The name of Google's page on distributed counters, and ours. */
  private static final String USUAL = "num_shards";

  /** All of them. */
  public static final List<String> NAMES = List.of(KIND, NUM_SHARDS, VALUES, VARIANTS);

  /** What clients may do. */
  public enum Kind {
    /** Increment shards by 1. */
    PLAIN,
    /** The same, with a pass. */
    STRICT,
    /** Write a document each. */
    OWN;

    /** As an option has it. */
    @Override
    public String toString() {
      return word(this);
    }
  }

  /** What they may do besides, or less. */
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

  /** A range of whole numbers. */
  public record Values(long least, long most) {
    private static final String INTEGER = "(0|-?[1-9][0-9]{0,14})";
    private static final Pattern RANGE = Pattern.compile(INTEGER + "\\.\\." + INTEGER);

    /**
     * Reads a range such as 1..5.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Values parse(String text) {
      Matcher range = RANGE.matcher(text);
      if (!range.matches()) {
        throw Names.refusal(VALUES, "two integers of at most 15 digits, such as 1..5", text);
      }
      Values values = new Values(Long.parseLong(range.group(1)), Long.parseLong(range.group(2)));
      if (values.least > values.most) {
        throw Names.refusal(VALUES, "the least before the most", text);
      }
      return values;
    }

    @Override
    public String toString() {
      return least + ".." + most;
    }
  }

  /** Those of a kind, without variants, for clients with the usual names. */
  public static RulesOptions of(Kind kind, Optional<Values> values) {
    return new RulesOptions(kind, USUAL, values, Set.of());
  }

  /**
   * Reads options.
   *
   * @param given their values, by {@link #NAMES}
   * @throws IllegalArgumentException if one is malformed
   */
  public static RulesOptions parse(Map<String, String> given) {
    return new RulesOptions(
        kind(given.getOrDefault(KIND, Kind.PLAIN.toString())),
        numShards(given.getOrDefault(NUM_SHARDS, USUAL)),
        Optional.ofNullable(given.get(VALUES)).map(Values::parse),
        variants(given.getOrDefault(VARIANTS, "")));
  }

  private static Kind kind(String text) {
    return choice(Kind.class, text)
        .orElseThrow(() -> Names.refusal(KIND, "plain, strict or own", text));
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
          choice(Variant.class, word).orElseThrow(() -> Names.refusal(VARIANTS, expected, text)));
    }
    return variants;
  }

  private static <E extends Enum<E>> Optional<E> choice(Class<E> choices, String word) {
    return EnumSet.allOf(choices).stream().filter(each -> word(each).equals(word)).findFirst();
  }

  private static String word(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }

  boolean has(Variant variant) {
    return variants.contains(variant);
  }

  /** Refuses kinds but these. */
  void requireKind(Set<Kind> allowed, String expected) {
    if (!allowed.contains(kind)) {
      throw Names.refusal(KIND, expected, kind.toString());
    }
  }

  /** Refuses variants but these. */
  void requireVariants(Set<Variant> allowed, String expected) {
    if (!allowed.containsAll(variants)) {
      String found = variants.stream().map(RulesOptions::word).collect(Collectors.joining(","));
      throw Names.refusal(VARIANTS, expected, found);
    }
  }

  /** The values that people may write. */
  Values requireValues(String expected) {
    return values.orElseThrow(() -> Names.refusal(VALUES, expected, ""));
  }

  /** Refuses values. */
  void requireNoValues() {
    values.ifPresent(
        found -> {
          throw Names.refusal(
              VALUES, "none without --kind own and a COUNT_FIELD", found.toString());
        });
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
