package dev.tallyroll.settings;

import dev.tallyroll.internal.ids.Names;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Typed environment variables. A value that is wrong is noted, and its default stands in for it
 * until {@link #end}, which refuses all of them together. Not thread-safe.
 */
public final class Environment {
  private final UnaryOperator<@Nullable String> variables;
  private final List<String> mistakes = new ArrayList<>();

  @SuppressWarnings("NullAway") // System::getenv returns null for a variable that is not set
  public Environment(UnaryOperator<String> variables) {
    this.variables = variables;
  }

  /**
   * Reads all of something.
   *
   * @param read notes what is wrong
   * @throws IllegalArgumentException as {@link #end}
   */
  static <T> T whole(UnaryOperator<String> variables, Function<Environment, T> read) {
    Environment env = new Environment(variables);
    T whole = read.apply(env);
    env.end();
    return whole;
  }

  /**
   * Ends the reading.
   *
   * @throws IllegalArgumentException if a value was wrong; the message has a line for each, with
   *     the variable, what was expected and what was found
   */
  public void end() {
    if (!mistakes.isEmpty()) {
      throw new IllegalArgumentException(String.join("\n", mistakes));
    }
  }

  public Duration duration(Variable variable, Duration least, Duration most) {
    return duration(variable, Duration.parse(variable.otherwise()), least, most);
  }

  /** With a default that depends on others. */
  public Duration duration(Variable variable, Duration otherwise, Duration least, Duration most) {
    String found = variables.apply(variable.name());
    Duration value = found == null ? otherwise : parse(found);
    if (value == null || value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      wrong(
          variable,
          "an ISO-8601 duration from " + least + " to " + most + ", such as PT1S",
          found == null ? otherwise.toString() : found);
      return otherwise;
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
      wrong(variable, "a whole number from " + least + " to " + most, found);
      return otherwise;
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
      wrong(variable, expected, found);
      return variable.otherwise();
    }
    return found;
  }

  /** A text as it is; the caller refuses an invalid one. */
  public String text(Variable variable) {
    String found = variables.apply(variable.name());
    return found == null ? variable.otherwise() : found;
  }

  public String id(Variable variable) {
    return made(() -> Names.requireId(variable.name(), text(variable)), variable::otherwise);
  }

  public <E extends Enum<E>> E choice(Variable variable, E otherwise) {
    E[] choices = otherwise.getDeclaringClass().getEnumConstants();
    List<String> names = Arrays.stream(choices).map(Environment::name).toList();
    String found = variables.apply(variable.name());
    if (found != null && !names.contains(found)) {
      wrong(variable, String.join(" or ", names), found);
      return otherwise;
    }
    return found == null ? otherwise : choices[names.indexOf(found)];
  }

  private static String name(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }

  /** What {@code make} makes; if that refuses a value, its message is noted. */
  public <T> T made(Supplier<T> make, Supplier<T> otherwise) {
    try {
      return make.get();
    } catch (IllegalArgumentException refused) {
      note(String.valueOf(refused.getMessage()));
      return otherwise.get();
    }
  }

  /** Notes that a value is wrong. */
  public void wrong(Variable variable, String expected, String found) {
    note(variable.name() + ": expected " + expected + "; found '" + found + "'");
  }

  /** Notes a mistake, in words, once. */
  public void note(String mistake) {
    if (!mistakes.contains(mistake)) {
      mistakes.add(mistake);
    }
  }
}
