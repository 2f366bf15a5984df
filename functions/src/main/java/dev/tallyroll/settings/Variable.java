package dev.tallyroll.settings;

/**
 * A variable of the environment, which is a setting.
 *
 * @param otherwise its default
 * @param meaning for the README's table, with the range in brackets
 */
public record Variable(String name, String otherwise, String meaning) {
  /** The variable's row in the README's table. */
  public String row() {
    String shown = otherwise.isEmpty() ? "" : "`" + otherwise + "` ";
    return "| `%s` | %s| %s |".formatted(name, shown, meaning);
  }
}
