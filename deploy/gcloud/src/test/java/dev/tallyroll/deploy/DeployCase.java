package dev.tallyroll.deploy;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A project, a command, and what the command says. A new case has an empty project, the default
 * settings, and the command deploy. Other methods add what deploy would meet there.
 */
final class DeployCase {
  private static final String SETTINGS = "settings.env";
  private static final String NEIGHBOURS = "neighbours";

  /** The settings that a line of the stand-in's file has for another deployment, in this order. */
  private static final List<String> OF_A_NEIGHBOUR =
      List.of(
          "COUNTERS",
          "FIRESTORE_DATABASE",
          "SHARDS_COLLECTION",
          "FOLD",
          "SUM",
          "COUNT_FIELD",
          "ROLLUPS_COLLECTION",
          "TOTAL_FIELD",
          "NUMBER_FIELD",
          "AVERAGE_FIELD");

  /** The command's exit code. */
  final int code;

  private final Map<String, List<String>> files = new LinkedHashMap<>();
  private String group = "";
  private String command;
  private String words = "";

  private DeployCase(int code, String command) {
    this.code = code;
    this.command = command;
  }

  /** The command ends before it changes anything, since something is wrong here. */
  static DeployCase refused() {
    return new DeployCase(2, "deploy");
  }

  /** The command ends before it deploys a function, since something fails. */
  static DeployCase fails() {
    return new DeployCase(1, "deploy");
  }

  /** Nothing is in the way: the dry run shows how the functions are deployed. */
  static DeployCase passes() {
    return new DeployCase(0, "deploy --dry-run").says("gcloud functions deploy");
  }

  /** A file of the stand-in's. */
  DeployCase with(String file, String... lines) {
    files.put(file, List.of(lines));
    return this;
  }

  /** The operator's settings. */
  DeployCase settings(String... lines) {
    return with(SETTINGS, lines);
  }

  /** A deployment that folds shards into pages. */
  DeployCase fold(String... others) {
    return settings(joined(others, "FOLD=PT1S", "FOLD_DOCUMENTS=pages/{page}"));
  }

  /** A deployment that counts the likes of posts. */
  DeployCase likes(String... others) {
    return settings(
        joined(
            others, "COUNTERS=posts", "SHARDS_COLLECTION=likes", "ROLLUPS_COLLECTION=post_likes"));
  }

  /** Indexes of fields: COLLECTION|FIELD|HOW MANY. */
  DeployCase fields(String... lines) {
    return with("fields", lines);
  }

  /** Documents of a collection: PATH|COUNTER, which is empty for those of others. */
  DeployCase documents(String collection, String... lines) {
    return with("documents-" + collection, lines);
  }

  /** Another deployment in this project, with these settings. */
  DeployCase beside(String name, String... settings) {
    Map<String, String> values =
        Stream.concat(Stream.of("FIRESTORE_DATABASE=(default)"), Arrays.stream(settings))
            .collect(
                Collectors.toMap(
                    line -> line.replaceFirst("=.*", ""),
                    line -> line.replaceFirst("[^=]*=", ""),
                    (usual, own) -> own));
    if (!OF_A_NEIGHBOUR.containsAll(values.keySet())) {
      throw new IllegalArgumentException(
          "expected some of " + OF_A_NEIGHBOUR + ", found " + values);
    }
    String line =
        OF_A_NEIGHBOUR.stream()
            .map(key -> values.getOrDefault(key, ""))
            .collect(Collectors.joining("|", "us-east1|" + name + "|", ""));
    files.merge(
        NEIGHBOURS,
        List.of(line.replaceFirst("\\|+$", "")),
        (before, one) -> Stream.of(before, one).flatMap(List::stream).toList());
    return this;
  }

  /** A deployment a, which sums the stars of the posts' reviews. */
  DeployCase besideReviews(String... others) {
    return beside(
        "a",
        joined(
            others,
            "COUNTERS=posts",
            "SHARDS_COLLECTION=reviews",
            "SUM=aggregate",
            "COUNT_FIELD=stars",
            "ROLLUPS_COLLECTION=post_reviews"));
  }

  private static String[] joined(String[] others, String... first) {
    return Stream.of(first, others).flatMap(Arrays::stream).toArray(String[]::new);
  }

  /** The command, if it is not deploy. */
  DeployCase command(String line) {
    command = line;
    return this;
  }

  /** Words of what the command prints. */
  DeployCase says(String what) {
    words = what;
    return this;
  }

  /** The name of the cases to which it belongs. */
  DeployCase in(String name) {
    group = name;
    return this;
  }

  /** Puts into a project what is there. */
  void give(Project project) {
    files.forEach((file, lines) -> project.put(file, lines.toArray(String[]::new)));
  }

  String command() {
    return command;
  }

  String words() {
    return words;
  }

  /** Whether what is there would be one of the deployment's things, if it had its mark. */
  boolean isAThing() {
    return files.keySet().stream().anyMatch(file -> file.contains("/"));
  }

  /** The name in the test's report. */
  @Override
  public String toString() {
    String given =
        files.entrySet().stream()
            .map(file -> file.getKey() + " " + String.join("\\n", file.getValue()))
            .collect(Collectors.joining(" && "));
    return group + ": " + (given.isEmpty() ? command : given);
  }
}
