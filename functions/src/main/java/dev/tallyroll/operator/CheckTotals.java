package dev.tallyroll.operator;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.settings.TotalsFile;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks an app's file of totals, for its own tests: needs no project and no emulator.
 *
 * <p>Prints how many entries there are, and for each what its totals are of, and where they show.
 * It ends with 0, or with 2 if something is wrong, after a line for each mistake.
 */
public final class CheckTotals {
  private CheckTotals() {}

  /** Runs, and ends the JVM with the status. */
  public static void main(String[] arguments) throws Exception {
    System.exit(run(Program.ofProcess(), arguments));
  }

  /** Runs, and returns the status. */
  static int run(Program program, String... arguments) throws Exception {
    return program.run(
        () -> {
          if (arguments.length != 1 || arguments[0].startsWith("-")) {
            throw new IllegalArgumentException(
                "check: expected one file, such as totals.json; found '"
                    + String.join(" ", arguments)
                    + "'");
          }
          program.out().print(checked(Path.of(arguments[0])));
          return 0;
        });
  }

  private static String checked(Path file) {
    List<Entry> entries = TotalsFile.parse(TotalsFile.text(file)).entries();
    int size = entries.size();
    return Stream.concat(
            Stream.of("%s: %d %s".formatted(file, size, size == 1 ? "entry" : "entries")),
            entries.stream().map(CheckTotals::line))
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String line(Entry entry) {
    return "  %s: %s".formatted(entry, words(entry));
  }

  /** Says what an entry sums, and where its totals show. */
  static String words(Entry entry) {
    String document = entry.layout().document();
    String id = document.substring(document.lastIndexOf('/'));
    return "%s; in %s%s%s"
        .formatted(entry.totalOf(), entry.layout().allRollups(), id, fields(entry, document));
  }

  private static String fields(Entry entry, String document) {
    Map<Figure, FieldName> fields = entry.fields();
    return Stream.of(Figure.values())
        .filter(fields::containsKey)
        .map(
            figure ->
                "%s as %s".formatted(figure.name().toLowerCase(Locale.ROOT), fields.get(figure)))
        .collect(
            Collectors.joining(", ", fields.isEmpty() ? "" : ", and in " + document + ": ", ""));
  }
}
