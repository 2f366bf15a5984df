package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What --dry-run prints while nobody is signed in: else it would look.
 *
 * @param code how the script ended
 * @param folder where it has staged its files
 */
record Plan(int code, String text, Path folder) {

  /** One command. */
  record Command(List<String> words) {

    /** The value of a flag that is given once. */
    String only(String flag) {
      String start = "--" + flag + "=";
      List<String> values = words.stream().filter(word -> word.startsWith(start)).toList();
      assertThat(values).as("--%s of %s", flag, this).hasSize(1);
      return values.get(0).substring(start.length());
    }

    boolean isHttp() {
      return words.get(0).equals("curl");
    }

    /** Method, URL and body of a call of an API. */
    String call() {
      return String.join(
          " ", after("--request"), words.get(words.size() - 1), after("--data-binary"));
    }

    private String after(String flag) {
      return words.get(words.indexOf(flag) + 1);
    }

    @Override
    public String toString() {
      return String.join(" ", words);
    }
  }

  /** Prints the words of each command of a plan that is pasted behind it. */
  private static final String READER =
      """
      gcloud() { printf gcloud && printf '\\t%s' "$@" && echo; }
      curl() { printf curl && printf '\\t%s' "$@" && echo; }
      """;

  /** A dry run of nobody, in this process. */
  static Plan of(String line) {
    Path folder = Shell.newFolder();
    List<String> words = new ArrayList<>(List.of(line.strip().split(" +", -1)));
    String command = words.remove(0);
    List<String> all = new ArrayList<>(List.of("--project=p", "--region=us-central1", "--dry-run"));
    if (command.equals("deploy")) {
      all.addAll(List.of("--stage=" + folder + "/stage", "--artifact=" + folder + "/artifact"));
    }
    all.addAll(words);
    Nobody nobody = new Nobody(new ByteArrayOutputStream());
    int code = Main.run(command, all, nobody, nobody, Shell.ROOT, folder);
    return new Plan(code, nobody.said.toString(UTF_8), folder);
  }

  /** Nobody is signed in, and nobody is at a terminal. */
  private record Nobody(ByteArrayOutputStream said) implements Cloud, Console.Surroundings {
    @Override
    public Answer gcloud(List<String> words) {
      throw CloudException.of("(gcloud.x) You do not currently have an active account selected.");
    }

    @Override
    public JsonElement http(String method, String url, String body) {
      throw new CloudException("UNAUTHENTICATED", "401");
    }

    @Override
    public PrintStream out() {
      return new PrintStream(said, true, UTF_8);
    }

    @Override
    public Optional<String> ask(String question) {
      return Optional.empty();
    }

    @Override
    public void pause(Duration time) {}
  }

  /** As a shell reads them that gets the whole text. */
  List<Command> commands() {
    Shell.Result read = Shell.run(Map.of(), folder, List.of("bash", "-ec", READER + text));
    assertThat(read.code()).as(read.text()).isZero();
    return read.text().lines().map(line -> new Command(List.of(line.split("\t", -1)))).toList();
  }

  List<Command> starting(String text) {
    return commands().stream().filter(one -> one.toString().startsWith(text)).toList();
  }

  Command one(String text) {
    assertThat(starting(text)).as(this.text).hasSize(1);
    return starting(text).get(0);
  }

  String staged(String file) {
    ended(0);
    return Shell.read(folder.resolve("stage").resolve(file));
  }

  /** The script has ended in that way; returns what it said. */
  String ended(int expected) {
    assertThat(code).as(text).isEqualTo(expected);
    return text;
  }
}
