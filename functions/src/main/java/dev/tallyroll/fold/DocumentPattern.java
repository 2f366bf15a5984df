package dev.tallyroll.fold;

import dev.tallyroll.internal.ids.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which documents are folded: one pattern of {@code FOLD_DOCUMENTS}, such as {@code
 * rooms/{room}/posts/{post}}. A variable stands for one document's id, and a collection for itself.
 *
 * @param parts the collections and the ids or variables, in turn
 */
public record DocumentPattern(List<String> parts) {
  private static final Pattern VARIABLE = Pattern.compile("\\{[A-Za-z_][A-Za-z0-9_]*}");

  /** Characters that are not taken for a part of a name. */
  private static final Pattern SPECIAL = Pattern.compile("[{}*=]");

  private static final String EXPECTED =
      "documents' paths with a space between, such as pages/{page} rooms/{room}/posts/{post}";

  /**
   * Reads patterns with a space between.
   *
   * @param own the collections that no pattern may name: those of the functions
   * @throws IllegalArgumentException if there is none, or if one is malformed or names a collection
   *     of the functions
   */
  public static List<DocumentPattern> all(String text, Set<String> own) {
    List<DocumentPattern> patterns =
        Stream.of(text.split(" "))
            .filter(it -> !it.isEmpty())
            .map(it -> new DocumentPattern(List.of(it.split("/", -1))))
            .toList();
    if (patterns.isEmpty()) {
      throw refuse(EXPECTED, text);
    }
    for (DocumentPattern pattern : patterns) {
      pattern.requireSound(text);
      if (pattern.collections().stream().anyMatch(own::contains)) {
        throw refuse("no collection of the functions, which are " + own, text);
      }
    }
    return patterns;
  }

  private void requireSound(String text) {
    boolean sound = parts.size() % 2 == 0;
    for (int i = 0; i < parts.size() && sound; i++) {
      String part = parts.get(i);
      if (i % 2 == 0 || !VARIABLE.matcher(part).matches()) {
        sound = !part.isEmpty() && !SPECIAL.matcher(part).find();
        if (sound) {
          Names.requireId("FOLD_DOCUMENTS", part);
        }
      }
    }
    if (!sound) {
      throw refuse(EXPECTED, text);
    }
  }

  private static IllegalArgumentException refuse(String expected, String found) {
    return new IllegalArgumentException(
        "FOLD_DOCUMENTS: expected " + expected + "; found '" + found + "'");
  }

  /** The names of its collections. */
  private List<String> collections() {
    List<String> collections = new ArrayList<>();
    for (int i = 0; i < parts.size(); i += 2) {
      collections.add(parts.get(i));
    }
    return collections;
  }

  /** Whether it fits the path of a document. */
  boolean fits(String document) {
    String[] ids = document.split("/", -1);
    boolean fits = ids.length == parts.size();
    for (int i = 0; i < ids.length && fits; i++) {
      boolean variable = i % 2 == 1 && VARIABLE.matcher(parts.get(i)).matches();
      fits = variable ? !ids[i].isEmpty() : ids[i].equals(parts.get(i));
    }
    return fits;
  }

  /** A path that it fits, with an id for each variable. */
  public String example(String id) {
    return parts.stream()
        .map(part -> VARIABLE.matcher(part).matches() ? id : part)
        .collect(Collectors.joining("/"));
  }

  /** The path of the collection that holds all that it fits, before its first variable. */
  String start() {
    int end = 1;
    while (end + 1 < parts.size() && !VARIABLE.matcher(parts.get(end)).matches()) {
      end += 2;
    }
    return String.join("/", parts.subList(0, end));
  }
}
