package dev.tallyroll.deploy;

import java.util.regex.Pattern;

/**
 * Path patterns of counters' collections: counters, rooms/{room}/counters, {parent=**}/counters.
 */
final class Paths {
  static final String ANYWHERE = "{parent=**}/";
  private static final String VARIABLE = "\\{[a-z0-9_]*}";

  private Paths() {}

  static String last(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private static String plain(String pattern) {
    return pattern.startsWith(ANYWHERE) ? pattern.substring(ANYWHERE.length()) : pattern;
  }

  /** A pattern with every variable filled in. */
  static String filled(String pattern, String id) {
    return plain(pattern).replaceAll(VARIABLE, id);
  }

  /** Is there a counters' collection of the pattern at that path? */
  static boolean holds(String pattern, String collection) {
    String above = pattern.startsWith(ANYWHERE) ? "([^/]+/[^/]+/)*" : "";
    return Pattern.matches(above + plain(pattern).replaceAll(VARIABLE, "[^/]+"), collection);
  }

  /** Can one path fit both? A pattern that cannot be read fits everything. */
  static boolean overlap(String one, String other) {
    if (one.isEmpty() || other.isEmpty()) {
      return true;
    }
    if (one.startsWith(ANYWHERE) || other.startsWith(ANYWHERE)) {
      return last(one).equals(last(other));
    }
    String[] a = one.split("/", -1);
    String[] b = other.split("/", -1);
    boolean both = a.length == b.length;
    for (int i = 0; i < a.length && both; i++) {
      both = a[i].equals(b[i]) || a[i].startsWith("{") || b[i].startsWith("{");
    }
    return both;
  }

  /** The id of a deployment's own document, as the functions spell it. */
  static String ownId(String pattern) {
    return plain(pattern).replaceAll(VARIABLE, "*").replace('/', ':');
  }
}
