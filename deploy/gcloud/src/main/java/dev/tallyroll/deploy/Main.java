package dev.tallyroll.deploy;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** The scripts in deploy/gcloud start this class. */
final class Main {
  private static final int REFUSED = 2;

  private Main() {}

  public static void main(String[] words) {
    String command = words[0];
    List<String> options = List.of(words).subList(1, words.length);
    Path home = Path.of(System.getProperty("tallyroll.home", "."));
    Path folder = Path.of("").toAbsolutePath();
    System.exit(run(command, options, GoogleCloud::new, new Terminal(), home, folder));
  }

  /**
   * Runs a command.
   *
   * @param cloud of a project's id
   * @param home the checkout
   * @param folder where rules that are replaced are kept
   * @return the exit code: 0 if all is as it should be, 1 if something is not or a step failed, 2
   *     if it was refused before anything was done
   */
  static int run(
      String command,
      List<String> options,
      Function<String, Cloud> cloud,
      Console.Surroundings here,
      Path home,
      Path folder) {
    Console console = null;
    try {
      Arguments arguments = Arguments.of(command, options);
      String project = Target.named(arguments).project();
      Cloud platform = cloud.apply(project);
      console = new Console(platform, here, arguments.has("--dry-run"), arguments.has("--json"));
      return switch (command) {
        case "canary" -> new Canary(arguments, platform, here, home, folder).run();
        case "deploy" -> new Deploy(arguments, console, home, folder).run();
        case "destroy" -> new Destroy(arguments, console, home).run();
        case "status" -> new Status(arguments, console, home).run();
        case "replay" -> new Replay(arguments, console, home).run();
        default -> new Smoke(arguments, console, home).run();
      };
    } catch (Refusal | IOException refusal) {
      String words = refusal instanceof IOException ? "no way to use " : "";
      here.out().println(command + ": " + words + refusal.getMessage());
      boolean changed = console != null && console.hasChanged();
      if (changed) {
        here.out().println("  The steps that are shown above stay done.");
      }
      return changed ? 1 : REFUSED;
    } catch (Console.Failure failure) {
      here.out().println(words(command, failure));
      return 1;
    }
  }

  /** The next run goes on from the steps that were done. */
  static String words(String command, Console.Failure failure) {
    StringBuilder words = new StringBuilder();
    words.append(command).append(": this step failed: ").append(failure.step.title());
    words.append("\n  command: ").append(failure.step.shown().replace("\n", "\n  "));
    words.append("\n  answer:  ").append(failure.error.said().replace("\n", "\n           "));
    if (failure.error.is(CloudException.DENIED)) {
      words.append("\n  The account that runs this needs ").append(failure.step.role());
      words.append(" (deploy/README.md, Permissions).");
    } else if (failure.error.is(CloudException.UNAUTHENTICATED)) {
      words.append("\n  Nobody is signed in: gcloud auth login");
    }
    return words
        .append(
            "\n  The steps that were done stay done. Run the same command again: it goes on from here.")
        .toString();
  }

  /** The real surroundings. */
  private static final class Terminal implements Console.Surroundings {
    @Override
    public PrintStream out() {
      return System.out;
    }

    @Override
    public Optional<String> ask(String question) {
      if (!Boolean.getBoolean("tallyroll.terminal")) {
        return Optional.empty();
      }
      System.out.print(question);
      System.out.flush();
      try {
        String line =
            new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()))
                .readLine();
        return Optional.of(line == null ? "" : line);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void clear() {
      if (Boolean.getBoolean("tallyroll.terminal")) {
        System.out.print("\033[H\033[2J");
      }
    }
  }
}
