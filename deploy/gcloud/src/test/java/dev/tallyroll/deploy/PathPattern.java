package dev.tallyroll.deploy;

import java.util.List;

/** A trigger's path pattern: {name} is one segment, {name=**} any number. Immutable. */
record PathPattern(List<String> segments) {

  static PathPattern of(String pattern) {
    return new PathPattern(List.of(pattern.split("/", -1)));
  }

  boolean matches(String document) {
    return matches(segments, List.of(document.split("/", -1)));
  }

  private static boolean matches(List<String> pattern, List<String> path) {
    if (pattern.isEmpty()) {
      return path.isEmpty();
    }
    String first = pattern.get(0);
    List<String> rest = pattern.subList(1, pattern.size());
    if (first.endsWith("=**}")) {
      return matches(rest, path)
          || (!path.isEmpty() && matches(pattern, path.subList(1, path.size())));
    }
    return !path.isEmpty()
        && (first.startsWith("{") || first.equals(path.get(0)))
        && matches(rest, path.subList(1, path.size()));
  }
}
