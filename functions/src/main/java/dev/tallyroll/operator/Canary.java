package dev.tallyroll.operator;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.operator.Row.Answer;
import dev.tallyroll.operator.Row.Seen;
import dev.tallyroll.settings.OperatorSettings;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The program behind {@code deploy/gcloud/canary}: counts, and asks the database.
 *
 * <pre>{@code
 * --check FILE                judges a history
 * prove --settings FILE       counts to five in a new counter, and deletes it; --row has what that
 *                             proves, --within how many seconds it may take
 * ask --settings FILE         asks Firestore for what is assumed of it
 * count --settings FILE --history FILE --seconds N --late N --slack N
 *                             counts for a while, and judges each total
 * clear --settings FILE       deletes the canary's documents, one by one
 * }</pre>
 *
 * <p>It prints rows of a report. It ends with 0 if all is right, 1 if something is not or is
 * unknown, 2 if it refuses, such as settings that are not the canary's own.
 *
 * <p>The client repeats a call that Firestore could not take. One that fails all the same makes its
 * row unknown; in {@code count} a failed read is left out, and a failed increment ends it; and
 * {@code clear} fails.
 */
public final class Canary {
  private static final Set<String> OPTIONS =
      Set.of(
          "--settings",
          "--project",
          "--region",
          "--check",
          "--history",
          "--seconds",
          "--late",
          "--row",
          "--slack",
          "--within");

  /** A new trigger takes minutes until its first event. */
  private static final long TRIGGER_SECONDS = 600;

  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final Program program;
  private final InstantSource clock = InstantSource.system();

  /**
   * @param environment gives the value of a variable, or null if it is not set
   * @param out gets the rows
   * @param err gets what people read meanwhile
   */
  public Canary(UnaryOperator<String> environment, PrintStream out, PrintStream err) {
    this(new Program(environment, out, err));
  }

  private Canary(Program program) {
    this.program = program;
  }

  /** Runs, and ends the JVM with the status. */
  public static void main(String[] arguments) throws Exception {
    System.exit(new Canary(Program.ofProcess()).run(arguments));
  }

  /** Does one of them, and returns the exit status. */
  public int run(String... words) throws Exception {
    return program.run(() -> start(new Arguments(words, OPTIONS)));
  }

  private int start(Arguments arguments) throws Exception {
    Optional<String> history = arguments.value("--check");
    if (history.isPresent()) {
      Verdict verdict = judge(Path.of(history.get()));
      verdict.summary().forEach(program.out()::println);
      return verdict.isRight() ? 0 : 1;
    }
    OperatorSettings settings = arguments.settings();
    CanaryPlaces.require(settings);
    Firestore firestore =
        Database.open(program.environment(), settings.project(), settings.database());
    try {
      return start(arguments, settings, firestore);
    } finally {
      firestore.shutdown();
    }
  }

  private int start(Arguments arguments, OperatorSettings settings, Firestore firestore)
      throws Exception {
    String what = String.join(" ", arguments.words());
    return switch (what) {
      case "prove" -> print(prove(firestore, settings, arguments));
      case "ask" ->
          print(new Assumptions(firestore, firestore.collection(CanaryPlaces.NUMBERS)).ask());
      case "count" -> print(count(firestore, settings, arguments));
      case "clear" -> clear(firestore);
      default ->
          throw new IllegalArgumentException(
              "expected --check, prove, ask, count or clear; found '" + what + "'");
    };
  }

  private int print(List<Row> rows) {
    rows.forEach(program.out()::println);
    return rows.stream().allMatch(Row::isRight) ? 0 : 1;
  }

  private int clear(Firestore firestore) throws Exception {
    program.err().println("# Deleted documents of the canary: " + CanaryPlaces.clear(firestore));
    return 0;
  }

  private String newId() {
    return "canary-" + clock.millis();
  }

  private static Duration seconds(Arguments arguments, String option, long otherwise) {
    String found = arguments.value(option).orElse("" + otherwise);
    if (!found.matches("0|[1-9][0-9]{0,2}")) {
      throw new IllegalArgumentException(
          option + ": expected a number from 0 to 999; found '" + found + "'");
    }
    return Duration.ofSeconds(Long.parseLong(found));
  }

  private List<Row> prove(Firestore firestore, OperatorSettings settings, Arguments arguments)
      throws Exception {
    String text = arguments.value("--row").orElse("it counts to five");
    Duration most = seconds(arguments, "--within", TRIGGER_SECONDS);
    Proof proof = Proof.of(firestore, settings, newId());
    program.err().println("# Counts to five: " + proof.counter());
    try {
      return List.of(Row.of(text, () -> prove(proof, most)));
    } finally {
      proof.clear();
    }
  }

  private Seen prove(Proof proof, Duration most) throws Exception {
    Instant commit = proof.count();
    Instant end = clock.instant().plus(most);
    Proof.Figures found = proof.look();
    while (!found.isAll() && clock.instant().isBefore(end)) {
      Thread.sleep(PAUSE.toMillis());
      found = proof.look();
    }
    if (found.isAll()) {
      long lag = Duration.between(commit, found.updated()).toMillis();
      return new Seen("the total is 5; lag " + lag + " ms", Answer.YES);
    }
    return new Seen(
        "expected 5 within %d s; found %s".formatted(most.toSeconds(), found.words()), Answer.NO);
  }

  private List<Row> count(Firestore firestore, OperatorSettings settings, Arguments arguments)
      throws Exception {
    Path file =
        Path.of(
            arguments
                .value("--history")
                .orElseThrow(
                    () -> new IllegalArgumentException("--history: expected a file; found none")));
    Duration late = seconds(arguments, "--late", 10);
    Duration slack = seconds(arguments, "--slack", 0);
    Duration busy = seconds(arguments, "--seconds", 60);
    Duration start = seconds(arguments, "--within", TRIGGER_SECONDS);
    return List.of(
        Row.of(
            "each increment shows, and each total is right, soon",
            () -> {
              try (PrintStream history = open(file)) {
                history.println("late\t" + late.toSeconds());
                history.println("slack\t" + slack.toSeconds());
                Layout layout = settings.entries().get(0).layout();
                new Recording(firestore, layout, newId(), history, program.err(), clock)
                    .record(busy, late, start);
              }
              return judge(file).seen();
            }));
  }

  private static PrintStream open(Path file) throws IOException {
    return new PrintStream(Files.newOutputStream(file), true, StandardCharsets.UTF_8);
  }

  private Verdict judge(Path file) throws IOException {
    if (!Files.isReadable(file)) {
      throw new IllegalArgumentException("--check: expected a file; found '" + file + "'");
    }
    Verdict verdict = Judge.of(History.parse(Files.readAllLines(file)));
    verdict.firstFaults().forEach(program.err()::println);
    return verdict;
  }
}
