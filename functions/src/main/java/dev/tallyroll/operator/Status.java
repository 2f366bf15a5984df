package dev.tallyroll.operator;

import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.settings.OperatorSettings;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;

/**
 * The program behind {@code deploy/gcloud/status}: tells each fault of a deployment, with a command
 * that helps. It changes nothing.
 *
 * <p>Options: those of {@link PrintSettings}, {@code --answers FOLDER} with gcloud's answers, and
 * {@code --prices FILE}. It ends with 0, with 1 if there is a fault or something could not be
 * looked at, and with 2 if it refuses.
 */
public final class Status {
  private final Program program;
  private final InstantSource clock;

  Status(Program program, InstantSource clock) {
    this.program = program;
    this.clock = clock;
  }

  /** Runs, and ends the JVM with the status. */
  public static void main(String[] arguments) throws Exception {
    Program program = Program.ofProcess();
    System.exit(program.run(() -> new Status(program, InstantSource.system()).run(arguments)));
  }

  int run(String[] words) throws Exception {
    Set<String> options = new TreeSet<>(PrintSettings.OPTIONS);
    options.addAll(List.of("--answers", "--prices"));
    Arguments arguments = new Arguments(words, options);
    OperatorSettings settings = arguments.settings();
    StatusReport report =
        new StatusReport(
            settings,
            new Answers(Path.of(arguments.required("--answers"))),
            Prices.of(Path.of(arguments.required("--prices"))),
            arguments.value("--settings").orElse(""),
            clock.instant());
    report.look();
    if (!settings.entries().isEmpty()) {
      lookAtTotals(settings, report);
    }
    report.lines().forEach(program.out()::println);
    return report.isFine() ? 0 : 1;
  }

  private void lookAtTotals(OperatorSettings settings, StatusReport report)
      throws ExecutionException, InterruptedException {
    Firestore firestore =
        Database.open(program.environment(), settings.project(), settings.database());
    try {
      Documents documents = new Documents(firestore);
      for (Entry entry : settings.entries()) {
        report.tell(entry, Optional.of(documents.standing(entry, settings.name())));
        Optional<String> other = documents.otherTotal(entry.layout());
        other.ifPresent(text -> report.tellOther(entry, text));
      }
    } catch (ExecutionException failure) {
      if (Failures.code(failure.getCause()) != StatusCode.Code.PERMISSION_DENIED) {
        throw failure;
      }
      report.tellUnseen("the database (roles/datastore.user)");
      settings.entries().forEach(entry -> report.tell(entry, Optional.empty()));
    } finally {
      firestore.shutdown();
    }
  }
}
