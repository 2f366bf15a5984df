package dev.tallyroll.operator;

import java.util.Locale;
import java.util.stream.Collectors;

/** Text that others have chosen, such as the id of a document, for a terminal. Stateless. */
public final class Printable {
  private Printable() {}

  /** Shows control characters by numbers, because they could move the cursor or end a line. */
  public static String of(String text) {
    return text.codePoints()
        .mapToObj(
            each ->
                Character.isISOControl(each)
                    ? String.format(Locale.ROOT, "\\u%04x", each)
                    : Character.toString(each))
        .collect(Collectors.joining());
  }
}
