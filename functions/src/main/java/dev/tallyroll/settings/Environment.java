package dev.tallyroll.settings;

import dev.tallyroll.internal.ids.Names;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Typed environment variables: an invalid value is refused, never replaced by a default. */
public final class Environment {
  private final UnaryOperator<@Nullable String> variables;

  @SuppressWarnings("NullAway") // System::getenv returns null for a variable that is not set
  public Environment(UnaryOperator<String> variables) {
    this.variables = variables;
  }

  public Duration duration(Variable variable, Duration least, Duration most) {
    return duration(variable, Duration.parse(variable.otherwise()), least, most);
  }

  /** With a default that depends on others. */
  public Duration duration(Variable variable, Duration otherwise, Duration least, Duration most) {
    String found = variables.apply(variable.name());
    Duration value = found == null ? otherwise : parse(found);
    if (value == null || value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      String shown = found == null ? otherwise.toString() : found;
      throw refuse(
          variable.name(),
          "an ISO-8601 duration from " + least + " to " + most + ", such as PT1S",
          shown);
    }
    return value;
  }

  private static @Nullable Duration parse(String text) {
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException malformed) {
      return null;
    }
  }

  public int integer(Variable variable, int least, int most) {
    return integer(variable, Integer.parseInt(variable.otherwise()), least, most);
  }

  /** With a default that depends on others. */
  public int integer(Variable variable, int otherwise, int least, int most) {
    @Nullable String set = variables.apply(variable.name());
    String found = set == null ? Integer.toString(otherwise) : set;
    if (!found.matches("[0-9]{1,9}")
        || Integer.parseInt(found) < least
        || Integer.parseInt(found) > most) {
      throw refuse(variable.name(), "a whole number from " + least + " to " + most, found);
    }
    return Integer.parseInt(found);
  }

  /** A share of one, such as 0.01. */
  public double share(Variable variable) {
    String expected = "a number from 0.0 to 0.999999, such as 0.01";
    return Double.parseDouble(matching(variable, "0\\.[0-9]{1,6}", expected));
  }

  /**
   * A text that matches a pattern.
   *
   * @param expected the pattern in words
   */
  public String matching(Variable variable, String pattern, String expected) {
    String found = text(variable);
    if (!found.matches(pattern)) {
      throw refuse(variable.name(), expected, found);
    }
    return found;
  }

  /** A text as it is; the caller refuses an invalid one. */
  public String text(Variable variable) {
    String found = variables.apply(variable.name());
    return found == null ? variable.otherwise() : found;
  }

  public String id(Variable variable) {
    return Names.requireId(variable.name(), text(variable));
  }

  public <E extends Enum<E>> E choice(Variable variable, E otherwise) {
    String found = variables.apply(variable.name());
    if (found == null) {
      return otherwise;
    }
    E[] choices = otherwise.getDeclaringClass().getEnumConstants();
    return Arrays.stream(choices)
        .filter(choice -> name(choice).equals(found))
        .findFirst()
        .orElseThrow(
            () ->
                refuse(
                    variable.name(),
                    String.join(" or ", Arrays.stream(choices).map(Environment::name).toList()),
                    found));
  }

  private static String name(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }

  public static IllegalArgumentException refuse(String name, String expected, String found) {
    return new IllegalArgumentException(
        name + ": expected " + expected + "; found '" + found + "'");
  }
}
