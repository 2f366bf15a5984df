package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Setting.COUNTERS;
import static dev.tallyroll.deploy.Setting.FIRESTORE_DATABASE;
import static dev.tallyroll.deploy.Setting.ROLLUPS_COLLECTION;
import static dev.tallyroll.deploy.Setting.RUNS_COLLECTION;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A deployment and its settings. Immutable.
 *
 * @param place where the database is, and so the trigger
 * @param settings a value for each
 */
record Deployment(
    String project, String region, String name, String place, Map<Setting, String> settings) {
  static final String TRIGGERED = "on-shard-written";
  static final String ROLLER = "roll-up";
  static final String DELIVERY = "delivery";

  /** The beginning of a job's description, behind the mark. */
  static final String ASKS = "asks RollUp for a ";

  static final List<String> FUNCTIONS = List.of(TRIGGERED, ROLLER);

  /** The accounts, and what each does. */
  static final Map<String, String> ACCOUNTS =
      new TreeMap<>(
          Map.of(
              DELIVERY, "Delivers events to the functions",
              TRIGGERED, "Runs OnShardWritten",
              ROLLER, "Runs RollUp"));

  Deployment {
    settings = Map.copyOf(settings);
  }

  Deployment with(String otherPlace, Map<Setting, String> otherSettings) {
    return new Deployment(project, region, name, otherPlace, otherSettings);
  }

  String get(Setting setting) {
    return settings.getOrDefault(setting, setting.standard);
  }

  String database() {
    return get(FIRESTORE_DATABASE);
  }

  String named(String who) {
    return name + "-" + who;
  }

  /** An account's address. It names a project of a domain, example.com:p, as p.example.com. */
  String account(String who) {
    int colon = project.indexOf(':');
    String host =
        colon < 0 ? project : project.substring(colon + 1) + "." + project.substring(0, colon);
    return named(who) + "@" + host + ".iam.gserviceaccount.com";
  }

  String member(String who) {
    return "serviceAccount:" + account(who);
  }

  /** The topic of the events that OnShardWritten cannot handle, and its subscription. */
  String deadLetters() {
    return named("dead-letters");
  }

  /**
   * The repository of the functions' images. The deployment has its own, because a cleanup policy
   * applies to all images of a repository.
   */
  String images() {
    return "projects/%s/locations/%s/repositories/%s".formatted(project, region, named("images"));
  }

  /** The beginning of our descriptions, on things that have no labels. */
  String mark() {
    return "Tallyroll: " + name + ": ";
  }

  /** Is this description ours? Older versions did not name the deployment. */
  boolean isMarked(String description, String does) {
    return description.startsWith(mark()) || description.equals("Tallyroll: " + does);
  }

  String pattern() {
    return get(COUNTERS) + "/{counter}/" + get(Setting.SHARDS_COLLECTION) + "/{shard}";
  }

  /** The collection that a counter's roll-up is in: beside the counters. */
  String rollupsBeside(String counters) {
    return counters.substring(0, counters.length() - Paths.last(counters).length())
        + get(ROLLUPS_COLLECTION);
  }

  /** Path of the deployment's document, below which the live list lies. */
  String document() {
    return get(RUNS_COLLECTION) + "/" + Paths.ownId(get(COUNTERS));
  }

  /** The database's documents, as the REST API names them. */
  String documents() {
    return "projects/" + project + "/databases/" + database() + "/documents";
  }

  static String roleOf(String who) {
    return who.equals(DELIVERY) ? "roles/eventarc.eventReceiver" : "roles/datastore.user";
  }

  /** The condition that limits an account to its database. */
  String conditionOf(String who) {
    return who.equals(DELIVERY)
        ? ""
        : "resource.name==\"projects/" + project + "/databases/" + database() + "\"";
  }

  String exclusion() {
    return name + "-request-logs";
  }

  String exclusionFilter() {
    return "resource.type=\"cloud_run_revision\" AND resource.labels.service_name=(\""
        + named(TRIGGERED)
        + "\" OR \""
        + named(ROLLER)
        + "\") AND log_id(\"run.googleapis.com/requests\") AND httpRequest.status<400";
  }
}
