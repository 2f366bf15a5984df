package dev.tallyroll.timestamps;

import java.math.BigInteger;
import java.util.regex.Pattern;

/**
 * Firestore's order of documents' paths: segment by segment, by the bytes of their UTF-8. Numeric
 * ids, which only Datastore makes, come before all others. Pure.
 */
final class PathOrder {
  private static final Pattern NUMERIC = Pattern.compile("__id(-?\\d{1,19})__");

  private PathOrder() {}

  static int compare(String left, String right) {
    String[] ours = left.split("/", -1);
    String[] theirs = right.split("/", -1);
    for (int i = 0; i < Math.min(ours.length, theirs.length); i++) {
      int order = compareSegments(ours[i], theirs[i]);
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(ours.length, theirs.length);
  }

  private static int compareSegments(String left, String right) {
    var ours = NUMERIC.matcher(left);
    var theirs = NUMERIC.matcher(right);
    boolean numeric = ours.matches();
    if (numeric != theirs.matches()) {
      return numeric ? -1 : 1;
    }
    int order = numeric ? compareNumbers(ours.group(1), theirs.group(1)) : 0;
    return order == 0 ? compareCodePoints(left, right) : order;
  }

  /** Nineteen digits may be more than a long holds. */
  private static int compareNumbers(String left, String right) {
    return new BigInteger(left).compareTo(new BigInteger(right));
  }

  /** The order of code points is that of their UTF-8; the order of Java's chars is not. */
  private static int compareCodePoints(String left, String right) {
    int length = Math.min(left.length(), right.length());
    for (int i = 0; i < length; i++) {
      char ours = left.charAt(i);
      char theirs = right.charAt(i);
      if (ours != theirs) {
        return Character.isSurrogate(ours) == Character.isSurrogate(theirs)
            ? Character.compare(ours, theirs)
            : Boolean.compare(Character.isSurrogate(ours), Character.isSurrogate(theirs));
      }
    }
    return Integer.compare(left.length(), right.length());
  }
}
