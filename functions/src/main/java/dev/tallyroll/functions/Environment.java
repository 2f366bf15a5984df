package dev.tallyroll.functions;

import dev.tallyroll.internal.ids.Names;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Typed environment variables: an invalid value is refused, never replaced by a default. */
final class Environment {
  private final UnaryOperator<@Nullable String> variables;

  @SuppressWarnings("NullAway") // System::getenv returns null for a variable that is not set
  Environment(UnaryOperator<String> variables) {
    this.variables = variables;
  }

  Duration duration(String name, Duration otherwise, Duration least, Duration most) {
    String found = variables.apply(name);
    Duration value = found == null ? otherwise : parse(found);
    if (value == null || value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      String shown = found == null ? otherwise.toString() : found;
      throw refuse(
          name, "an ISO-8601 duration from " + least + " to " + most + ", such as PT1S", shown);
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

  int integer(String name, int otherwise, int least, int most) {
    String found = variables.apply(name);
    if (found == null) {
      return otherwise;
    }
    if (!found.matches("[0-9]{1,9}")
        || Integer.parseInt(found) < least
        || Integer.parseInt(found) > most) {
      throw refuse(name, "a whole number from " + least + " to " + most, found);
    }
    return Integer.parseInt(found);
  }

  /** A share of one, such as 0.01. */
  double share(String name, double otherwise) {
    String found = variables.apply(name);
    if (found != null && !found.matches("0\\.[0-9]{1,6}")) {
      throw refuse(name, "a number from 0.0 to 0.999999, such as 0.01", found);
    }
    return found == null ? otherwise : Double.parseDouble(found);
  }

  String matching(String name, String otherwise, String pattern, String expected) {
    String found = variables.apply(name);
    if (found != null && !found.matches(pattern)) {
      throw refuse(name, expected, found);
    }
    return found == null ? otherwise : found;
  }

  /** A text as it is; the caller refuses an invalid one. */
  String text(String name, String otherwise) {
    String found = variables.apply(name);
    return found == null ? otherwise : found;
  }

  String id(String name, String otherwise) {
    String found = variables.apply(name);
    return found == null ? otherwise : Names.requireId(name, found);
  }

  <E extends Enum<E>> E choice(String name, E otherwise) {
    String found = variables.apply(name);
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
                    name,
                    String.join(" or ", Arrays.stream(choices).map(Environment::name).toList()),
                    found));
  }

  private static String name(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }

  static IllegalArgumentException refuse(String name, String expected, String found) {
    return new IllegalArgumentException(
        name + ": expected " + expected + "; found '" + found + "'");
  }
}
