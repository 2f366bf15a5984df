package dev.tallyroll.operator;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text with named parts, such as {@code <name>}. A part alone on its line may be several lines,
 * which are indented as it is. If it is nothing, its line goes, and a semicolon after it ends the
 * line above.
 */
record Template(String text) {
  private static final Pattern PART = Pattern.compile("<[a-z][a-z ]*>");

  /** This text with that part in its places; it may have named parts, too. */
  Template with(String name, String part) {
    String lines = part.stripTrailing();
    String alone =
        Pattern.compile("\n( *)<%s>(;?)(?=\n)".formatted(name))
            .matcher(text)
            .replaceAll(
                place ->
                    Matcher.quoteReplacement(
                        lines.isEmpty()
                            ? place.group(2)
                            : "\n" + indented(lines, place.group(1)) + place.group(2)));
    return new Template(alone.replace("<" + name + ">", part));
  }

  /** With that part if it is chosen, and else with nothing. */
  Template with(String name, boolean chosen, String part) {
    return with(name, chosen ? part : "");
  }

  private static String indented(String lines, String by) {
    return lines.replaceAll("(?m)^(?=.)", by);
  }

  /**
   * The text, with one empty line where parts have left several.
   *
   * @throws IllegalStateException if a part is missing
   */
  String filled() {
    Matcher part = PART.matcher(text);
    if (part.find()) {
      throw new IllegalStateException("expected all parts, found none for " + part.group());
    }
    return text.replaceAll("\n{3,}", "\n\n");
  }
}
