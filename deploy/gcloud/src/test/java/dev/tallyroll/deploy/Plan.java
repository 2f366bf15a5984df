package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The output of --dry-run while nobody is signed in, so that it does not read the project.
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
    FakeProject nobody = new FakeProject();
    nobody.fail("", "", "(gcloud.x) You do not currently have an active account selected.");
    int code = nobody.run(line + " --dry-run", "/stage");
    return new Plan(code, nobody.said(), nobody.folder);
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
