package dev.tallyroll.local;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The options of a command, as they were given: flags, and options with a value. The last of
 * several of one name counts. Immutable.
 *
 * @param given a flag's value is empty, as is one that is missing
 */
public record CommandLine(Map<String, Optional<String>> given) {
  public CommandLine {
    given = Map.copyOf(given);
  }

  /**
   * Reads them.
   *
   * @param flags the options without a value
   * @param options those with one
   * @throws IllegalArgumentException if an option is in neither
   */
  public static CommandLine parse(List<String> arguments, Set<String> flags, Set<String> options) {
    var rest = new ArrayDeque<>(arguments);
    var given = new HashMap<String, Optional<String>>();
    while (!rest.isEmpty()) {
      String name = rest.remove();
      if (flags.contains(name)) {
        given.put(name, Optional.empty());
      } else if (options.contains(name)) {
        given.put(name, Optional.ofNullable(rest.poll()));
      } else {
        throw new IllegalArgumentException("unknown option '" + name + "'");
      }
    }
    return new CommandLine(given);
  }

  public boolean has(String option) {
    return given.containsKey(option);
  }

  /**
   * The option's value; empty if it was not given.
   *
   * @throws IllegalArgumentException if it was given without, or is not what is expected
   */
  public Optional<String> value(String option, String expected, String pattern) {
    if (!has(option)) {
      return Optional.empty();
    }
    String found =
        given
            .getOrDefault(option, Optional.empty())
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        option + ": expected " + expected + "; found nothing"));
    check(found.matches(pattern), option, expected, found);
    return Optional.of(found);
  }

  /**
   * A whole number; empty if the option was not given.
   *
   * @throws IllegalArgumentException if it is out of the range, or none
   */
  public Optional<Integer> number(String option, int least, int most) {
    String expected = "a whole number from " + least + " to " + most;
    Optional<String> found = value(option, expected, "[0-9]{1,9}");
    found.ifPresent(
        digits -> {
          int number = Integer.parseInt(digits);
          check(number >= least && number <= most, option, expected, digits);
        });
    return found.map(Integer::valueOf);
  }

  /** Refuses a value that is not as expected. */
  public static void check(boolean valid, String option, String expected, String found) {
    if (!valid) {
      throw new IllegalArgumentException(
          option + ": expected " + expected + "; found '" + found + "'");
    }
  }
}
