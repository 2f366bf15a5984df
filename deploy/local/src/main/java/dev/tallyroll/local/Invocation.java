package dev.tallyroll.local;

import dev.tallyroll.settings.SettingsFile;
import dev.tallyroll.settings.TotalsFile;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.TypeConversionException;

/**
 * Starts and ends every program of {@code deploy/local}: reads {@code --help}, {@code --version},
 * {@code --option=value} or {@code --option value}, and prints one sentence about a mistake.
 * Stateless.
 */
public final class Invocation {
  public static final int RIGHT = 0;
  public static final int WRONG = 1;
  public static final int BAD_OPTIONS = 2;
  public static final int NOT_STARTED = 3;

  /** The script that starts a program sets this property. */
  private static final String VERSION_PROPERTY = "tallyroll.version";

  private static final int HELP_WIDTH = 100;

  /** The setting that names the app's file of totals. */
  private static final String TOTALS = "TOTALS";

  private Invocation() {}

  /** Runs a program, and ends the JVM with the program's exit status. */
  public static void exit(Callable<Integer> program, String[] arguments) {
    var out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    var err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    int status = run(program, List.of(arguments), out, err);
    if (!isShuttingDown()) {
      System.exit(status);
    }
  }

  /**
   * Runs a program if its options are good.
   *
   * @return its exit status
   */
  public static int run(
      Callable<Integer> program, List<String> arguments, PrintWriter out, PrintWriter err) {
    var line =
        new CommandLine(program)
            .setOut(out)
            .setErr(err)
            .setExpandAtFiles(false)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .setUsageHelpWidth(HELP_WIDTH)
            .setParameterExceptionHandler(
                (refused, given) -> refuse(refused, refused.getCommandLine(), err))
            .setExecutionExceptionHandler((failure, of, given) -> fail(failure, of, err));
    line.getCommandSpec()
        .mixinStandardHelpOptions(true)
        .versionProvider(
            () -> new String[] {System.getProperty(VERSION_PROPERTY, "tallyroll, version unknown")})
        .usageMessage()
        .sortOptions(false);
    return line.execute(arguments.toArray(String[]::new));
  }

  private static int refuse(Exception refused, CommandLine line, PrintWriter err) {
    err.println(refused.getMessage() + "\nTry " + line.getCommandName() + " --help");
    return BAD_OPTIONS;
  }

  private static int fail(Exception failure, CommandLine line, PrintWriter err) throws Exception {
    if (failure instanceof TypeConversionException refused) {
      return refuse(refused, line, err);
    }
    if (isShuttingDown()) {
      return NOT_STARTED; // The close of everything makes the program fail.
    }
    if (failure instanceof LocalCloudException expected) {
      err.println(expected.getMessage());
      return NOT_STARTED;
    }
    throw failure;
  }

  /** Whether the JVM is shutting down: it then refuses new hooks. */
  private static boolean isShuttingDown() {
    var hook = new Thread(() -> {});
    try {
      Runtime.getRuntime().addShutdownHook(hook);
      Runtime.getRuntime().removeShutdownHook(hook);
      return false;
    } catch (IllegalStateException shuttingDown) {
      return true;
    }
  }

  /**
   * The settings of a person: of the variables of this process, then of a file.
   *
   * @param file as {@code deploy} takes it; empty for none
   * @param totals the app's file of totals; empty for the one that the settings name, if they do
   * @return with the text of that file as {@code TOTALS}. A variable of that name is a path, or the
   *     text, as in the functions' own environment
   */
  public static Map<String, String> settings(
      Map<String, String> variables, Optional<Path> file, Optional<Path> totals) {
    try {
      Optional<String> given =
          Optional.ofNullable(variables.get(TOTALS)).filter(text -> !text.isEmpty());
      Optional<Path> path =
          totals.or(() -> given.filter(text -> !text.startsWith("{")).map(Path::of));
      Map<String, String> settings =
          new HashMap<>(file.map(each -> SettingsFile.readWith(each, path)).orElse(Map.of()));
      Optional<String> text =
          path.map(TotalsFile::text)
              .or(() -> given)
              .or(() -> Optional.ofNullable(settings.get(TOTALS)));
      settings.putAll(variables);
      settings.remove(TOTALS);
      text.ifPresent(all -> settings.put(TOTALS, all));
      return settings;
    } catch (IllegalArgumentException refused) {
      throw new TypeConversionException(String.valueOf(refused.getMessage()));
    }
  }

  /** Throws the error about an option's value unless it is valid. */
  public static void check(boolean valid, String option, String expected, Object found) {
    if (!valid) {
      throw new TypeConversionException(
          "%s: expected %s; found '%s'".formatted(option, expected, found));
    }
  }

  /** Throws the error about an option's number unless it is in its range. */
  public static void check(String option, long found, long least, long most) {
    check(
        least <= found && found <= most,
        option,
        "a whole number from " + least + " to " + most,
        found);
  }
}
