package dev.tallyroll.operator;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.ids.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A pattern of paths in the language of rules. {@code {room}} becomes {@code {room_id}}, since no
 * variable may have a word of the language as its name, and none of them ends with _id.
 *
 * @param parts names, and variables in braces
 */
record RulesPath(List<String> parts) {
  /** In place of a parent's path, in a pattern of counters. */
  static final String ANYWHERE = "{parent=**}";

  /** What may stand in rules without quotes and escapes. */
  static final String NAME = "[A-Za-z0-9_][A-Za-z0-9_-]*";

  /**
   * Reads a pattern.
   *
   * @param setting the name in messages
   * @throws IllegalArgumentException if a name would have to be quoted
   */
  static RulesPath of(String setting, List<String> parts) {
    return new RulesPath(
        parts.stream()
            .map(
                part ->
                    !isVariable(part)
                        ? name(setting, part)
                        : part.equals(ANYWHERE) ? part : part.replace("}", "_id}"))
            .toList());
  }

  static RulesPath of(String setting, String pattern) {
    return of(setting, List.of(pattern.split("/", -1)));
  }

  /**
   * A name that rules can hold.
   *
   * @throws IllegalArgumentException if it would have to be quoted
   */
  static String name(String setting, String name) {
    if (!name.matches(NAME)) {
      throw Names.refusal(setting, "for rules a name of letters, digits, _ and -", name);
    }
    return name;
  }

  /** Where a field is, as a list of names. */
  static String list(FieldName field) {
    return list(field.names().stream());
  }

  static String list(Stream<String> names) {
    return names.map(name -> "'" + name + "'").collect(Collectors.joining(", ", "[", "]"));
  }

  private static boolean isVariable(String part) {
    return part.startsWith("{");
  }

  boolean isAnywhere() {
    return parts.get(0).equals(ANYWHERE);
  }

  String last() {
    return parts.get(parts.size() - 1);
  }

  /** The collection of that name beside this one. */
  RulesPath beside(String name) {
    List<String> other = new ArrayList<>(parts);
    other.set(parts.size() - 1, name);
    return new RulesPath(other);
  }

  /** The path in a match: {@code rooms/{room_id}/counters}. */
  String pattern() {
    return String.join("/", parts);
  }

  /** The path in an expression: {@code rooms/$(room_id)/counters}. */
  String path() {
    return joined(variable -> "$(" + variable + ")");
  }

  /** The path as part of a string: {@code rooms/' + room_id + '/counters}. */
  String text() {
    return joined(variable -> "' + " + variable + " + '");
  }

  private String joined(UnaryOperator<String> variable) {
    return parts.stream()
        .map(part -> isVariable(part) ? variable.apply(part.substring(1, part.length() - 1)) : part)
        .collect(Collectors.joining("/"));
  }
}
