package dev.tallyroll.deploy;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The document that says which settings a deployment's totals were made with, and which settings of
 * indexes it has made. Every write is a compare-and-set. Immutable.
 *
 * @param marked whether it carries the deployment's mark
 * @param settings those of totals; empty before the first deploy
 * @param made indexes' settings that were not there before, each as GROUP.FIELD or ttl GROUP.FIELD
 * @param deploying who is at work on it
 * @param updateTime empty if there is none
 * @param readTime of Firestore
 */
record DeploymentDocument(
    boolean marked,
    Map<Setting, String> settings,
    List<String> made,
    Optional<Claim> deploying,
    String updateTime,
    Instant readTime) {
  /** Stands for a document that is not there. */
  static DeploymentDocument none(Instant readTime) {
    return new DeploymentDocument(false, Map.of(), List.of(), Optional.empty(), "", readTime);
  }

  /** Longer than a deploy takes: an index may need an hour, each build some minutes. */
  private static final Duration CLAIM = Duration.ofHours(2);

  private static final String FIRESTORE = "https://firestore.googleapis.com/v1/";

  /** The claim of a deploy at work: its owner, and the time until which nobody else may begin. */
  record Claim(String by, Instant until) {
    private static Claim of(JsonObject fields) {
      Instant until = Instant.parse(Json.text(fields, "until.timestampValue"));
      return new Claim(Json.text(fields, "by.stringValue"), until);
    }

    @Override
    public String toString() {
      return "another deploy is at work, by %s, until %s at the latest; wait for it"
          .formatted(by, until);
    }
  }

  static String url(Deployment of, String method) {
    return FIRESTORE + of.documents() + ":" + method;
  }

  /** Reads the document from an answer. */
  static DeploymentDocument of(JsonElement answer, Deployment of) {
    for (JsonObject one : Json.objects(answer, "")) {
      return one.has("found") ? found(one, of) : none(Instant.parse(Json.text(one, "readTime")));
    }
    return none(Instant.EPOCH);
  }

  private static DeploymentDocument found(JsonObject answer, Deployment of) {
    JsonObject fields = Json.object(answer, "found.fields");
    Map<Setting, String> settings = new EnumMap<>(Setting.class);
    for (Setting setting : Setting.OF_TOTALS) {
      String value = Json.text(fields, setting.field() + ".stringValue");
      if (!value.isEmpty()) {
        settings.put(setting, value);
      }
    }
    JsonObject claim = Json.object(fields, "deploying.mapValue.fields");
    return new DeploymentDocument(
        Json.text(fields, "counters.stringValue").equals(of.get(Setting.COUNTERS)),
        settings,
        Json.objects(fields, "made.arrayValue.values").stream()
            .map(value -> Json.text(value, "stringValue"))
            .toList(),
        claim.size() == 0 ? Optional.empty() : Optional.of(Claim.of(claim)),
        Json.text(answer, "found.updateTime"),
        Instant.parse(Json.text(answer, "readTime")));
  }

  boolean isThere() {
    return !updateTime.isEmpty();
  }

  /** Is somebody else at work on the deployment? */
  Optional<Claim> heldBySomebodyElse(String me) {
    return deploying.filter(claim -> !claim.by.equals(me) && claim.until.isAfter(readTime));
  }

  /** The first write of a run. Of two runs at once, it succeeds in one. */
  Step claim(Deployment of, String me, List<String> nowMade) {
    JsonObject claim =
        Json.of("by", text(me), "until", Json.of("timestampValue", readTime.plus(CLAIM)));
    JsonObject fields = settings.isEmpty() ? settings(of) : new JsonObject();
    fields.add("counters", text(of.get(Setting.COUNTERS)));
    fields.add("made", texts(made(nowMade, List.of())));
    fields.add("deploying", Json.of("mapValue", Json.of("fields", claim)));
    return write(of, "Nobody else may deploy this meanwhile", fields, List.of(), updateTime);
  }

  private List<String> made(List<String> now, List<String> unmade) {
    Set<String> all = new LinkedHashSet<>(made);
    all.addAll(now);
    all.removeAll(unmade);
    return List.copyOf(all);
  }

  /** Confirms the settings: functions that have them may sweep from then on. */
  static Step confirm(Deployment of) {
    String title = "The settings that totals are made with";
    return write(of, title, settings(of), List.of(), Console.UPDATE_TIME);
  }

  private static JsonObject settings(Deployment of) {
    JsonObject fields = new JsonObject();
    Setting.OF_TOTALS.forEach(setting -> fields.add(setting.field(), text(of.get(setting))));
    return fields;
  }

  /** Takes settings off the list of those that the deployment has made. */
  Step unmade(Deployment of, List<String> left) {
    JsonObject fields = Json.of("made", texts(left));
    return write(of, "Index settings that the deployment has made", fields, List.of(), updateTime);
  }

  /** The last write of a run. */
  Step release(Deployment of, String version, List<String> nowMade, List<String> unmade) {
    JsonObject fields = Json.of("made", texts(made(nowMade, unmade)));
    return write(of, "Others may deploy this again", fields, List.of("deploying"), version);
  }

  private static Step write(
      Deployment of, String title, JsonObject fields, List<String> removed, String version) {
    List<String> mask = new ArrayList<>(fields.keySet());
    mask.addAll(removed);
    JsonObject write =
        Json.of(
            "update", Json.of("name", of.documents() + "/" + of.document(), "fields", fields),
            "updateMask", Json.of("fieldPaths", Json.array(mask)),
            "currentDocument",
                version.isEmpty() ? Json.of("exists", false) : Json.of("updateTime", version));
    return commit(of, title, List.of(write));
  }

  static Step commit(Deployment of, String title, List<JsonObject> writes) {
    return Step.http(title, "POST", url(of, "commit"), body(writes));
  }

  /** The body of a commit. */
  static String body(List<JsonObject> writes) {
    return Json.of("writes", Json.array(writes)).toString();
  }

  private static JsonObject text(String value) {
    return Json.of("stringValue", value);
  }

  private static JsonObject texts(List<String> values) {
    List<JsonObject> each = values.stream().map(DeploymentDocument::text).toList();
    return Json.of("arrayValue", Json.of("values", Json.array(each)));
  }
}
