package dev.tallyroll.internal;

import dev.tallyroll.internal.ids.Names;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A pattern of paths, such as {@code rooms/{room}/posts}. A variable stands for one document's id,
 * and each other part for itself.
 *
 * @param parts the names of collections, and in turn with them ids or variables
 */
public record PathPattern(List<String> parts) {
  private static final Pattern VARIABLE = Pattern.compile("\\{[A-Za-z_][A-Za-z0-9_]*}");

  /** Characters with a meaning in a pattern; names must not hold them. */
  private static final Pattern SPECIAL = Pattern.compile("[{}*=]");

  public static PathPattern of(String text) {
    return new PathPattern(List.of(text.split("/", -1)));
  }

  /**
   * Whether each part is a name or a variable, and each variable comes once.
   *
   * @param setting the name in messages
   * @throws IllegalArgumentException if Firestore would refuse a name
   */
  public boolean isSound(String setting) {
    Set<String> variables = new HashSet<>();
    for (int i = 0; i < parts.size(); i++) {
      String part = parts.get(i);
      if (isVariable(i)) {
        if (!variables.add(part)) {
          return false;
        }
      } else if (part.isEmpty() || SPECIAL.matcher(part).find()) {
        return false;
      } else {
        Names.requireId(setting, part);
      }
    }
    return true;
  }

  private boolean isVariable(int index) {
    return index % 2 == 1 && VARIABLE.matcher(parts.get(index)).matches();
  }

  /** The variables, with their braces. */
  public Set<String> variables() {
    return IntStream.range(0, parts.size())
        .filter(this::isVariable)
        .mapToObj(parts::get)
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether the last part is a variable. */
  public boolean endsInVariable() {
    return isVariable(parts.size() - 1);
  }

  /** What each variable stands for in a path; empty if it does not fit. */
  public Optional<Map<String, String>> variables(List<String> path) {
    return fits(path)
        ? Optional.of(
            IntStream.range(0, parts.size())
                .filter(this::isVariable)
                .boxed()
                .collect(Collectors.toUnmodifiableMap(parts::get, path::get)))
        : Optional.empty();
  }

  /** Whether this pattern fits a path, whose parts are names and ids. */
  public boolean fits(List<String> path) {
    return path.size() == parts.size()
        && IntStream.range(0, parts.size())
            .allMatch(i -> isVariable(i) || parts.get(i).equals(path.get(i)));
  }

  /** The collections that it names. */
  public List<String> collections() {
    return IntStream.range(0, parts.size()).filter(i -> i % 2 == 0).mapToObj(parts::get).toList();
  }

  /** Path of the collection that its first variable, or its last document, is in. */
  public String start() {
    int end = 1;
    while (end + 1 < parts.size() && !isVariable(end)) {
      end += 2;
    }
    return String.join("/", parts.subList(0, end));
  }

  /** A path that it fits, with one text for each variable. */
  public String with(String text) {
    return IntStream.range(0, parts.size())
        .mapToObj(i -> isVariable(i) ? text : parts.get(i))
        .collect(Collectors.joining("/"));
  }

  /** A path that it fits, with what each of its variables stands for. */
  public String with(Map<String, String> values) {
    return parts.stream()
        .map(part -> values.getOrDefault(part, part))
        .collect(Collectors.joining("/"));
  }

  @Override
  public String toString() {
    return String.join("/", parts);
  }
}
