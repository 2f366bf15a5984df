package dev.tallyroll.internal;

import com.google.common.escape.Escaper;
import com.google.common.escape.Escapers;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a total is of, in words: the half of a roll-up's mark that tells whether it was made with
 * the same settings. Such a text is stored for ever, so its form never changes:
 *
 * <ul>
 *   <li>{@code sum of count in counters/{1}/shards}
 *   <li>{@code number of {**}/posts/{1}/likes}
 *   <li>{@code sum of stars in reviews where productId = {1} and state = "published" for
 *       products/{1}}
 * </ul>
 *
 * <p>Two texts are equal if and only if the same documents are summed, for the same document, as
 * far as a pattern tells: variables stand by their positions, conditions in the order of their
 * fields, equal numbers in one form, and a name or a text with other characters than letters,
 * digits and {@code _ . ~ -} is quoted.
 *
 * @param of the pattern of the collection whose documents are summed, which may begin with {@code
 *     {parent=**}}
 * @param sum the field that is summed; empty if documents are counted
 * @param where what the fields of a document must hold to count: texts, numbers, truth values or
 *     null
 * @param document the pattern of the document that the total is of, whose variables are those of
 *     {@code of}, or fields of what is summed; empty for the document above the collection
 */
public record TotalOf(
    String of,
    Optional<FieldName> sum,
    Map<FieldName, Optional<Object>> where,
    Optional<String> document) {
  private static final String ANYWHERE = "{parent=**}";

  private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}_.~-]+");
  private static final Pattern VARIABLE = Pattern.compile("\\{([^{}=]*)}");

  /** The digits that tell any {@code double} from its neighbors. */
  private static final int DIGITS = 17;

  /** Gson's would also escape what HTML gives a meaning. */
  private static final Escaper QUOTED = quoted();

  private static Escaper quoted() {
    Escapers.Builder builder = Escapers.builder().addEscape('"', "\\\"").addEscape('\\', "\\\\");
    for (char control = 0; control < ' '; control++) {
      builder.addEscape(control, "\\u%04x".formatted((int) control));
    }
    return builder.build();
  }

  /** Copies the conditions. */
  public TotalOf {
    where = Map.copyOf(where);
  }

  /** The number, or the sum of a field, of all documents in collections that fit a pattern. */
  public static TotalOf all(String of, Optional<FieldName> sum) {
    return new TotalOf(of, sum, Map.of(), Optional.empty());
  }

  /** The text. */
  @Override
  public String toString() {
    Map<String, Integer> positions = new HashMap<>();
    StringBuilder text = new StringBuilder();
    text.append(sum.map(field -> "sum of " + name(field) + " in ").orElse("number of "));
    text.append(numbered(of, positions));
    int ofPath = positions.size();
    Optional<String> target = document.map(pattern -> numbered(pattern, positions));
    Map<String, String> conditions = new TreeMap<>();
    where.forEach((field, value) -> conditions.put(name(field), value(value.orElse(null))));
    positions.forEach(
        (variable, position) -> {
          if (position > ofPath) {
            conditions.put(name(FieldName.parse(variable)), "{" + position + "}");
          }
        });
    if (!conditions.isEmpty()) {
      text.append(" where ");
      text.append(
          conditions.entrySet().stream()
              .map(condition -> condition.getKey() + " = " + condition.getValue())
              .collect(Collectors.joining(" and ")));
    }
    target.ifPresent(path -> text.append(" for ").append(path));
    return text.toString();
  }

  /**
   * A pattern with its variables by their positions, as in the text: the same for two patterns if
   * and only if they fit the same paths.
   */
  public static String numbered(String pattern) {
    return numbered(pattern, new HashMap<>());
  }

  /**
   * A pattern with its variables by their positions.
   *
   * @param positions of the variables that have one; gets those that are new
   */
  private static String numbered(String pattern, Map<String, Integer> positions) {
    List<String> parts = new ArrayList<>();
    for (String part : pattern.split("/", -1)) {
      var variable = VARIABLE.matcher(part);
      if (part.equals(ANYWHERE)) {
        parts.add("{**}");
      } else if (variable.matches()) {
        parts.add(
            "{" + positions.computeIfAbsent(variable.group(1), key -> positions.size() + 1) + "}");
      } else {
        parts.add(name(part));
      }
    }
    return String.join("/", parts);
  }

  private static String name(FieldName field) {
    // A name with a dot is no two names.
    return field.names().stream()
        .map(name -> name.contains(".") ? quote(name) : name(name))
        .collect(Collectors.joining("."));
  }

  private static String name(String name) {
    return PLAIN.matcher(name).matches() ? name : quote(name);
  }

  private static String quote(String text) {
    return '"' + QUOTED.escape(text) + '"';
  }

  private static String value(@Nullable Object value) {
    if (value instanceof Number number) {
      return number(number);
    }
    return value instanceof String text ? quote(text) : String.valueOf(value);
  }

  /**
   * The shortest decimal number that is this one, without the JDK's own way to print doubles, which
   * has changed between versions.
   */
  private static String number(Number number) {
    if (number instanceof Long || number instanceof Integer) {
      return Long.toString(number.longValue());
    }
    double value = number.doubleValue();
    BigDecimal exact = new BigDecimal(value);
    BigDecimal whole = exact.signum() == 0 ? BigDecimal.ZERO : exact.stripTrailingZeros();
    if (whole.scale() <= 0 && whole.toBigInteger().bitLength() < Long.SIZE) {
      BigInteger integer = whole.toBigInteger();
      return integer.toString();
    }
    for (int digits = 1; digits < DIGITS; digits++) {
      BigDecimal rounded = exact.round(new MathContext(digits));
      if (rounded.doubleValue() == value) {
        return rounded.stripTrailingZeros().toString();
      }
    }
    return exact.round(new MathContext(DIGITS)).stripTrailingZeros().toString();
  }
}
