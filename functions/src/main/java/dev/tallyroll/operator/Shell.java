package dev.tallyroll.operator;

import java.util.Collection;

/** Lines for bash. What is quoted is one word there, whatever it holds. Stateless. */
final class Shell {
  private Shell() {}

  /** A word. */
  static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  /** Gives a variable a value. */
  static String variable(String name, String value) {
    return name + "=" + quoted(value);
  }

  /** Gives a variable words with a space between, none of which has one. */
  static String words(String name, Collection<String> words) {
    return variable(name, String.join(" ", words));
  }

  /** Gives a variable lines. */
  static String lines(String name, Collection<String> lines) {
    return variable(name, String.join("\n", lines));
  }
}
