package dev.tallyroll.operator;

import com.google.cloud.firestore.Firestore;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * The program behind {@code deploy/gcloud/remove-totals}: removes the roll-ups of totals that no
 * function keeps any more.
 *
 * <p>Its arguments are the project, the database, the collection of the roll-ups, and what the
 * totals are of; its input is the answer of {@code gcloud functions list --format=json}. It ends
 * with 0 if all are removed, 1 if some have changed meanwhile, and 2 if it refuses.
 */
public final class RemoveTotals {
  private static final int ARGUMENTS = 4;
  private static final int REFUSED = 2;

  private final UnaryOperator<String> environment;
  private final PrintStream out;
  private final PrintStream err;

  /**
   * @param out gets what was done
   * @param err gets what was refused, or is left to do
   */
  public RemoveTotals(UnaryOperator<String> environment, PrintStream out, PrintStream err) {
    this.environment = environment;
    this.out = out;
    this.err = err;
  }

  /** Runs, and ends the JVM with the status. */
  public static void main(String[] arguments) throws Exception {
    Reader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
    System.exit(new RemoveTotals(System::getenv, out, err).run(arguments, input));
  }

  /**
   * Removes them, and returns the exit status.
   *
   * @param functions what gcloud says of them
   */
  public int run(String[] arguments, Reader functions) throws Exception {
    return new Program(environment, out, err).run(() -> remove(arguments, functions));
  }

  private int remove(String[] arguments, Reader functions) throws Exception {
    if (arguments.length != ARGUMENTS) {
      err.println(
          "expected PROJECT DATABASE ROLLUPS TOTAL_OF, found " + String.join(" ", arguments));
      return REFUSED;
    }
    String database = arguments[1];
    String rollups = arguments[2];
    String totalOf = arguments[3];
    Optional<DeployedFunction> keeping;
    try {
      keeping =
          DeployedFunction.of(Answers.list(functions)).stream()
              .filter(function -> function.keeps(database, rollups, totalOf))
              .findFirst();
    } catch (RuntimeException unreadable) {
      String message = String.valueOf(unreadable.getMessage());
      err.println(
          "could not read the deployed functions: " + message.lines().findFirst().orElse(""));
      return REFUSED;
    }
    if (keeping.isPresent()) {
      err.println(
          "expected totals that no function keeps, found %s, which keeps '%s' in %s"
              .formatted(keeping.get().name(), totalOf, rollups));
      return REFUSED;
    }
    Firestore firestore = Database.open(environment, arguments[0], database);
    try {
      OldTotals totals = new OldTotals(firestore, rollups, totalOf);
      totals.remove();
      return report(totals);
    } finally {
      firestore.shutdown();
    }
  }

  private int report(OldTotals removed) {
    out.println(
        "looked at %d documents; removed %d roll-ups, and our fields from %d that have others"
            .formatted(removed.looked(), removed.deleted(), removed.cleared()));
    if (removed.changed() == 0) {
      return 0;
    }
    err.println(
        "%d have changed meanwhile, so a function still keeps them: run this again in ten minutes"
            .formatted(removed.changed()));
    return 1;
  }
}
