package dev.tallyroll.operator;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.settings.OperatorSettings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The program behind {@code deploy/gcloud/deploy}: refuses what is in the way, says what will
 * change and what it costs, and writes a plan for bash. It changes nothing.
 *
 * <p>Options: those of {@link PrintSettings}; {@code --answers FOLDER} with gcloud's answers;
 * {@code --plan FILE}, which is written; {@code --prices FILE}; {@code --signed-in yes} if the
 * database may be asked. It ends with 0, or with 2 if it refuses.
 */
public final class Deploy {
  private final Program program;

  Deploy(Program program) {
    this.program = program;
  }

  /** Runs, and ends the JVM with the status. */
  public static void main(String[] arguments) throws Exception {
    Program program = Program.ofProcess();
    System.exit(program.run(() -> new Deploy(program).run(arguments)));
  }

  int run(String[] words) throws Exception {
    Set<String> options = new TreeSet<>(PrintSettings.OPTIONS);
    options.addAll(List.of("--answers", "--plan", "--prices", "--signed-in"));
    Arguments arguments = new Arguments(words, options);
    OperatorSettings settings = arguments.settings();
    if (arguments.value("--signed-in").orElse("").isEmpty()) {
      return plan(arguments, settings, Optional.empty());
    }
    Firestore firestore =
        Database.open(program.environment(), settings.project(), settings.database());
    try {
      return plan(arguments, settings, Optional.of(new Documents(firestore)));
    } finally {
      firestore.shutdown();
    }
  }

  private int plan(Arguments arguments, OperatorSettings settings, Optional<Documents> documents)
      throws Exception {
    DeployPlan plan =
        new DeployPlan(
            settings,
            new Answers(Path.of(arguments.required("--answers"))),
            documents,
            Prices.of(Path.of(arguments.required("--prices"))),
            arguments.value("--settings").orElse(""));
    plan.check();
    plan.remarks().forEach(remark -> program.out().println("# " + remark));
    Files.write(Path.of(arguments.required("--plan")), plan.lines());
    return 0;
  }
}
