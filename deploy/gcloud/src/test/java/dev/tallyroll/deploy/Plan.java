package dev.tallyroll.deploy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What --dry-run prints, read as a shell would: commands of words.
 *
 * @param code how the script ended
 */
record Plan(int code, String text, List<Command> commands) {

  /** One command. */
  record Command(List<String> words) {

    boolean starts(String text) {
      return String.join(" ", words).startsWith(text);
    }

    /** The values of a flag, in the order given. */
    List<String> all(String flag) {
      String start = "--" + flag + "=";
      return words.stream()
          .filter(word -> word.startsWith(start))
          .map(word -> word.substring(start.length()))
          .toList();
    }

    String only(String flag) {
      List<String> values = all(flag);
      if (values.size() != 1) {
        throw new AssertionError("expected one --" + flag + ", found " + values + " in " + words);
      }
      return values.get(0);
    }

    boolean has(String flag) {
      return words.contains("--" + flag);
    }

    @Override
    public String toString() {
      return String.join(" ", words);
    }
  }

  /** A quoted run, an escaped end of line, a run of plain letters, or a gap. */
  private static final Pattern PIECE =
      Pattern.compile("'([^']*)'|\"([^\"]*)\"|\\\\'|([^'\"\\s\\\\]+)|(\\s+)");

  static Plan of(Path stage, String script, String... options) {
    List<String> command = new ArrayList<>(Home.command(script, stage));
    command.add("--dry-run");
    if (script.equals("deploy")) {
      // To take a real one's hash would take longer than all the rest.
      command.add("--artifact=/nowhere");
    }
    command.addAll(List.of(options));
    // Nobody is signed in, whoever runs this test: a dry run would look.
    String path = Home.FAKES + ":" + System.getenv("PATH");
    Shell.Result result = Shell.run(Map.of("PATH", path), command);
    return new Plan(result.code(), result.text(), commands(result.text()));
  }

  private static List<Command> commands(String text) {
    List<Command> commands = new ArrayList<>();
    for (String line : text.replace(" \\\n", " ").lines().toList()) {
      if (line.startsWith("gcloud ") || line.startsWith("curl ")) {
        commands.add(new Command(words(line)));
      }
    }
    return commands;
  }

  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    Matcher piece = PIECE.matcher(line);
    while (piece.find()) {
      if (piece.group(4) != null) {
        words.add(word.toString());
        word.setLength(0);
      } else {
        word.append(letters(piece));
      }
    }
    words.add(word.toString());
    return words;
  }

  private static String letters(Matcher piece) {
    for (int group = 1; group <= 3; group++) {
      if (piece.group(group) != null) {
        return piece.group(group);
      }
    }
    return "'";
  }

  List<Command> starting(String text) {
    return commands.stream().filter(command -> command.starts(text)).toList();
  }

  Command one(String text) {
    List<Command> found = starting(text);
    if (found.size() != 1) {
      throw new AssertionError(
          "expected one command " + text + ", found " + found + " in:\n" + this.text);
    }
    return found.get(0);
  }
}
