package dev.tallyroll.deploy;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One change, or the wait for one.
 *
 * @param title of the steps that belong together
 * @param words gcloud's command, or a method and a URL
 * @param body JSON for the URL; empty for gcloud
 */
record Step(String title, List<String> words, String body) {
  /** A row for each command's first word, or API: the role for looking, the role for changing. */
  private static final String ROLES =
      """
      artifactregistry artifactregistry.reader artifactregistry.admin
      artifacts artifactregistry.reader artifactregistry.admin
      eventarc eventarc.viewer eventarc.admin
      firebaserules firebaserules.viewer firebaserules.admin
      firestore datastore.viewer datastore.indexAdmin
      functions cloudfunctions.viewer cloudfunctions.developer and roles/iam.serviceAccountUser
      https datastore.viewer datastore.user
      iam iam.serviceAccountViewer iam.serviceAccountAdmin
      logging logging.viewer logging.configWriter
      projects iam.securityReviewer resourcemanager.projectIamAdmin
      monitoring monitoring.viewer monitoring.editor
      pubsub pubsub.viewer pubsub.admin
      run run.viewer run.admin
      scheduler cloudscheduler.viewer cloudscheduler.admin
      services serviceusage.serviceUsageViewer serviceusage.serviceUsageAdmin
      """;

  private static final Pattern LOOK =
      Pattern.compile("GET|list|describe|get-iam-policy|read|.*:(batchGet|run\\w+)");
  private static final Pattern MOVES = Pattern.compile("[\\p{Cntrl}\\x80-\\x9f&&[^\n]]");
  private static final Pattern VALUE = Pattern.compile("%");
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=@%+,-]+");
  private static final int LONGEST_LINE = 110;
  private static final String CURL =
      "curl --silent --show-error --fail-with-body --request %s"
          + " --header \"Authorization: Bearer $(gcloud auth print-access-token)\"";

  Step {
    words = List.copyOf(words);
  }

  static Step gcloud(String title, List<String> words) {
    return new Step(title, words, "");
  }

  static Step gcloud(String title, Deployment in, String command, String... values) {
    return gcloud(title, words(in, command, values));
  }

  static Step http(String title, String method, String url, String body) {
    return new Step(title, List.of(method, url), body);
  }

  /** The API that a URL belongs to. */
  static String api(String url) {
    return url.replaceFirst("^https://([a-z]+)\\..*", "$1");
  }

  /** The role that the signed-in account needs. */
  String role() {
    boolean looks = words.stream().anyMatch(word -> LOOK.matcher(word).matches());
    String what =
        isHttp()
            ? api(words.get(1)).replace("firestore", "https")
            : words.get(words.get(0).matches("alpha|beta") ? 1 : 0);
    return ROLES
        .lines()
        .map(line -> line.split(" ", 3))
        .filter(line -> line[0].equals(what))
        .map(line -> "roles/" + line[looks ? 1 : 2])
        .findFirst()
        .orElse("");
  }

  /** Whether this step waits until an index is ready. */
  boolean waits() {
    return shown().startsWith("gcloud firestore indexes fields describe ");
  }

  /**
   * The words of a command, with a value in place of each %. The project comes before all options,
   * because gcloud needs it to read them.
   */
  static List<String> words(Deployment in, String command, String... values) {
    List<String> words = new ArrayList<>();
    Iterator<String> next = List.of(values).iterator();
    for (String word : command.split(" ", -1)) {
      words.add(VALUE.matcher(word).replaceAll(it -> Matcher.quoteReplacement(next.next())));
    }
    long names = words.stream().takeWhile(word -> !word.startsWith("--")).count();
    words.add((int) names, "--project=" + in.project());
    return words;
  }

  boolean isHttp() {
    return !body.isEmpty();
  }

  /** The command for a shell; a long one has a line for each flag. */
  String shown() {
    List<String> shown = new ArrayList<>();
    if (isHttp()) {
      shown.add(CURL.formatted(words.get(0)));
      shown.add("--header 'Content-Type: application/json'");
      shown.add("--data-binary " + quoted(body));
      shown.add(quoted(words.get(1)));
    } else {
      StringBuilder start = new StringBuilder("gcloud");
      for (String word : words) {
        int end = word.indexOf('=');
        if (!word.startsWith("--")) {
          start.append(' ').append(quoted(word));
        } else if (end < 0) {
          shown.add(word);
        } else {
          shown.add(word.substring(0, end + 1) + quoted(word.substring(end + 1)));
        }
      }
      shown.add(0, start.toString());
    }
    String line = String.join(" ", shown);
    return line.length() <= LONGEST_LINE ? line : String.join(" \\\n  ", shown);
  }

  static String quoted(String word) {
    if (PLAIN.matcher(word).matches()) {
      return word;
    }
    return MOVES.matcher(word).find()
        ? "$'" + visible(word.replace("\\", "\\\\").replace("'", "\\'")) + "'"
        : "'" + word.replace("'", "'\\''") + "'";
  }

  /**
   * The text with its control characters escaped, as in a shell's $'...'. Anybody may write ids and
   * log lines, and these must not move the terminal's cursor.
   */
  static String visible(String text) {
    return MOVES
        .matcher(text)
        .replaceAll(it -> String.format(Locale.ROOT, "\\\\u%04x", (int) it.group().charAt(0)));
  }
}
