package dev.tallyroll.internal.ids;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URLEncoder;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Firestore's rules for document ids, collection ids and document paths.
 *
 * <p>Source: "Collection, document, and field constraints" of Firestore's page on usage and limits.
 */
public final class Names {
  private static final int MAX_ID_BYTES = 1_500;
  private static final int MAX_PATH_BYTES = 6 * 1_024;
  private static final int MAX_DEPTH = 100;

  /** A request names a path in its head, percent-encoded, and the head takes 8 KiB in all. */
  public static final int MAX_ENCODED = 7_000;

  /** A character of Java is at most three bytes, and each of these at most three characters. */
  private static final int ENCODED_OF_ONE = 9;

  private static final Pattern RESERVED = Pattern.compile("__.*__", Pattern.DOTALL);

  /** Datastore's ids that are numbers, in Firestore's form. */
  private static final Pattern NUMERIC = Pattern.compile("__id-?[0-9]{1,19}__");

  private Names() {}

  /** Accepts an id of a collection or a field. */
  public static String requireId(String what, String id) {
    requireDocumentId(what, id);
    check(!NUMERIC.matcher(id).matches(), what, "an id that is not of the form __.*__", id);
    return id;
  }

  /** Accepts an id of a document. Databases that were Datastore's have numeric ones. */
  public static String requireDocumentId(String what, String id) {
    present(what, id);
    check(!id.isEmpty(), what, "a Firestore id of 1 to 1,500 bytes", id);
    check(UTF_8.newEncoder().canEncode(id), what, "an id that is valid Unicode", id);
    check(id.getBytes(UTF_8).length <= MAX_ID_BYTES, what, "an id of at most 1,500 bytes", id);
    check(id.indexOf('/') < 0, what, "an id without a slash", id);
    check(!id.equals(".") && !id.equals(".."), what, "an id other than '.' and '..'", id);
    boolean reserved = RESERVED.matcher(id).matches() && !NUMERIC.matcher(id).matches();
    check(!reserved, what, "an id that is not of the form __.*__", id);
    return id;
  }

  /** Whether a text is the id of a document. */
  public static boolean isDocumentId(String text) {
    try {
      requireDocumentId("id", text);
      return true;
    } catch (IllegalArgumentException refused) {
      return false;
    }
  }

  /** Accepts the empty string, which stands for the root of the database. */
  public static String requireParent(String parent) {
    if (present("parent", parent).isEmpty()) {
      return parent;
    }
    String[] ids = parent.split("/", -1);
    check(ids.length % 2 == 0, "parent", "the path of a document, such as rooms/r1", parent);
    check(ids.length / 2 + 2 <= MAX_DEPTH, "parent", "at most 100 nested collections", parent);
    for (int i = 0; i < ids.length; i += 2) {
      requireId("parent", ids[i]);
      requireDocumentId("parent", ids[i + 1]);
    }
    return requirePath("parent", parent);
  }

  /** Accepts a path that Firestore has documents with, whose ids are valid. */
  public static String requirePath(String what, String path) {
    check(path.getBytes(UTF_8).length <= MAX_PATH_BYTES, what, "a path of at most 6 KiB", path);
    return path;
  }

  /** Accepts a path that a request can name in its head, as those for a sum do. */
  public static String requireRequestPath(String what, String path) {
    String expected = "a path of at most 7,000 characters when it is percent-encoded";
    check(fitsRequest(path), what, expected, path);
    return requirePath(what, path);
  }

  public static boolean fitsRequest(String path) {
    return path.length() * ENCODED_OF_ONE <= MAX_ENCODED
        || URLEncoder.encode(path, UTF_8).length() <= MAX_ENCODED;
  }

  private static String present(String what, @Nullable String value) {
    return Objects.requireNonNull(value, () -> what + ": expected a value; found null");
  }

  private static void check(boolean valid, String what, String expected, String found) {
    if (!valid) {
      throw refusal(what, expected, found);
    }
  }

  /** Says what was expected, and the beginning of what was found. */
  public static IllegalArgumentException refusal(String what, String expected, String found) {
    return new IllegalArgumentException(
        what + ": expected " + expected + "; found '" + cut(found) + "'");
  }

  private static String cut(String text) {
    return text.length() <= 80 ? text : text.substring(0, 80) + "...";
  }
}
