package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Setting.COUNTERS;
import static dev.tallyroll.deploy.Setting.COUNT_FIELD;
import static dev.tallyroll.deploy.Setting.INCREMENTS_COLLECTION;
import static dev.tallyroll.deploy.Setting.ROLLUPS_COLLECTION;
import static dev.tallyroll.deploy.Setting.RUNS_COLLECTION;
import static dev.tallyroll.deploy.Setting.SHARDS_COLLECTION;
import static dev.tallyroll.deploy.Setting.SUM;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Finds obstacles that a deployment cannot change, and facts that people have to know. */
final class Looks {
  private static final int MOST_SHOWN = 10;

  final Set<String> refusals = new TreeSet<>();
  final List<String> said = new ArrayList<>();
  private final Deployment ours;
  private final State state;
  private final List<Neighbour> neighbours;

  Looks(Deployment ours, State state, List<Neighbour> neighbours) {
    this.ours = ours;
    this.state = state;
    this.neighbours = neighbours;
    database();
    trigger();
    sameName();
    neighbours.forEach(this::neighbour);
    if (state.document().isThere() && !state.document().marked()) {
      refuse(
          "RUNS_COLLECTION: expected no document of others at %s, found one whose field counters is not %s"
              .formatted(ours.document(), ours.get(COUNTERS)));
    }
    documentsInTheWay();
  }

  void refuse(String words) {
    refusals.add(words);
  }

  /** A thing that does not carry the deployment's mark. */
  void foreign(String what, String mark, String found) {
    refuse(
        "%s: expected one of %s by its %s, found %s. It is somebody else's: take another --name"
            .formatted(what, ours.name(), mark, found.isEmpty() ? "none" : "'" + found + "'"));
  }

  /** Nobody can change a database's location or type later, so nothing is guessed here. */
  private void database() {
    if (!state.has("firestore")) {
      return;
    }
    JsonObject database = state.database().orElse(new JsonObject());
    String kind = Json.text(database, "type");
    String place = Json.text(database, "locationId");
    if (state.database().isEmpty()) {
      refuse(
          """
          FIRESTORE_DATABASE: expected a database, found none; choose its location for good with
            gcloud firestore databases create --database='%s' --location=%s --project=%s"""
              .formatted(ours.database(), ours.region(), ours.project()));
    } else if (!kind.equals("FIRESTORE_NATIVE")) {
      refuse("FIRESTORE_DATABASE: expected one in native mode, found " + kind);
    } else if (Json.text(database, "databaseEdition").equals("ENTERPRISE")) {
      refuse(
          "FIRESTORE_DATABASE: expected the Standard edition, found ENTERPRISE (deploy/README.md)");
    } else if (!place.equals(ours.place())) {
      refuse(
          "TRIGGER_LOCATION: expected %s, where the database is, found %s"
              .formatted(place, ours.place()));
    }
  }

  /** A trigger cannot change its pattern. A new trigger would miss the writes in between. */
  private void trigger() {
    JsonObject function = state.function(Deployment.TRIGGERED);
    if (Json.text(function, "eventTrigger.trigger").isEmpty()
        || !State.labelOf(function).equals(ours.name())) {
      return;
    }
    Set<String> found = new TreeSet<>();
    for (JsonObject filter : Json.objects(function, "eventTrigger.eventFilters")) {
      found.add(Json.text(filter, "attribute") + "=" + Json.text(filter, "value"));
    }
    found.removeIf(one -> !one.matches("(?s)(database|document)=.*"));
    found.add("in " + Json.text(function, "eventTrigger.triggerRegion"));
    String expected =
        "database=%s document=%s in %s".formatted(ours.database(), ours.pattern(), ours.place());
    if (!String.join(" ", found).equals(expected)) {
      refuse(
          """
          the trigger of %s differs, and is not recreated, since that loses events:
            expected %s
            found    %s
            Deploy the new pattern beside it (--name another), and then destroy this one; where the two overlap, destroy this one
            first (deploy/README.md, Another pattern)."""
              .formatted(ours.named(Deployment.TRIGGERED), expected, String.join(" ", found)));
    }
    String runs = Json.text(function, State.VARIABLES + RUNS_COLLECTION);
    if (!runs.isEmpty() && !runs.equals(ours.get(RUNS_COLLECTION))) {
      refuse(
          "RUNS_COLLECTION: expected %s, which holds the live list and cannot be moved, found %s; destroy and deploy"
              .formatted(runs, ours.get(RUNS_COLLECTION)));
    }
  }

  private void sameName() {
    for (JsonObject function : state.functions()) {
      String region = State.regionOf(function);
      if (State.labelOf(function).equals(ours.name()) && !region.equals(ours.region())) {
        refuse(
            "NAME: expected one that no other deployment of the project has, found %s in %s, too"
                .formatted(ours.name(), region));
      }
    }
  }

  /** Two deployments may share a database, but never a counter. */
  private void neighbour(Neighbour one) {
    String counters = one.get(COUNTERS);
    if (Paths.overlap(ours.get(COUNTERS), counters)) {
      refuse(
          """
          COUNTERS: expected a path that no other deployment covers, found %s, and %s of %s in %s
            Both would keep the totals of the same counters. Remove that one first (destroy --name %3$s --region %4$s)."""
              .formatted(
                  ours.get(COUNTERS),
                  counters.isEmpty() ? "a path that cannot be read" : counters,
                  one.name(),
                  one.region()));
      return;
    }
    List<String> theirs = List.of(one.get(ROLLUPS_COLLECTION), one.get(RUNS_COLLECTION));
    List<String> own = List.of(ours.get(ROLLUPS_COLLECTION), ours.get(RUNS_COLLECTION));
    if (theirs.contains(ours.get(SHARDS_COLLECTION)) || own.contains(one.get(SHARDS_COLLECTION))) {
      refuse(
          """
          SHARDS_COLLECTION: expected a name that is not another deployment's collection of roll-ups or runs, found
            %s here, %s of %s: one could take the other's totals for shards"""
              .formatted(ours.get(SHARDS_COLLECTION), one.get(SHARDS_COLLECTION), one.name()));
    }
    if (one.has(SHARDS_COLLECTION, ours) && one.has(COUNT_FIELD, ours) && !one.has(SUM, ours)) {
      refuse(
          "SUM: expected %s as %s has it, found %s: the count of shards is either indexed or exempt for both"
              .formatted(one.get(SUM), one.name(), ours.get(SUM)));
    }
    sayWhatIsShared(one);
  }

  private void sayWhatIsShared(Neighbour one) {
    Map<Setting, String> uses = new EnumMap<>(Setting.class);
    uses.put(
        ROLLUPS_COLLECTION,
        "the roll-ups' collection with its exemptions (marks keep the documents apart)");
    uses.put(RUNS_COLLECTION, "the collection of runs (each has its own documents)");
    uses.put(INCREMENTS_COLLECTION, "the TTL policy on " + ours.get(INCREMENTS_COLLECTION));
    uses.keySet().removeIf(setting -> !one.has(setting, ours));
    String shared = uses.isEmpty() ? "nothing" : String.join("; ", uses.values());
    said.add(
        "%s (%s) counts %s in this database, too; both use: %s"
            .formatted(one.name(), one.region(), one.get(COUNTERS), shared));
  }

  /** Finds documents of others in the places of totals. The functions leave them alone. */
  private void documentsInTheWay() {
    List<State.Found> page = state.page(ROLLUPS_COLLECTION);
    String collection = Paths.last(ours.get(COUNTERS));
    List<State.Found> inTheWay =
        page.stream()
            .filter(found -> !isOfCounters(ROLLUPS_COLLECTION, found))
            .filter(found -> Paths.holds(ours.get(COUNTERS), found.parent() + collection))
            .toList();
    if (!inTheWay.isEmpty()) {
      said.add(
          """
          %d of %d documents%s in collections named %s lie where a total would go, and are not ours. The functions
          leave them alone, and a counter there has no total, until you remove them, or hand them over: set the field counter
          to the counter's path.
          %s"""
              .formatted(
                  inTheWay.size(),
                  page.size(),
                  page.size() < State.MOST_DOCUMENTS ? "" : " (there may be more)",
                  ours.get(ROLLUPS_COLLECTION),
                  shown(inTheWay)));
    }
  }

  private static String shown(List<State.Found> found) {
    return String.join("\n", found.stream().limit(MOST_SHOWN).map(one -> "  " + one).toList());
  }

  /** Index settings hold in all collections of a name, so all of them have to be of counters. */
  void refuseOthersIn(Setting setting) {
    List<State.Found> others =
        state.page(setting).stream().filter(one -> !isOfCounters(setting, one)).toList();
    if (!others.isEmpty()) {
      refuse(
          """
          %s: expected only documents of counters in collections named %s, which get index settings, found %d of others:
          %s
            Name another collection (%s%s)."""
              .formatted(
                  setting,
                  ours.get(setting),
                  others.size(),
                  shown(others),
                  setting.flag(),
                  setting == INCREMENTS_COLLECTION ? ", and the client library's option" : ""));
    }
  }

  /** Is it a total with its counter's path, or a document of a collection below a counter? */
  private boolean isOfCounters(Setting setting, State.Found found) {
    if (setting == ROLLUPS_COLLECTION) {
      String own = found.parent() + Paths.last(ours.get(COUNTERS));
      String marked = found.mark().replaceFirst("(^|/)[^/]*$", "");
      boolean isTotal = found.mark().equals(own + "/" + Json.id(found.path()));
      return (isTotal && Paths.holds(ours.get(COUNTERS), own))
          || neighbours.stream().anyMatch(one -> Paths.holds(one.get(COUNTERS), marked));
    }
    String counters = found.parent().replaceFirst("/[^/]*/$", "");
    return Paths.holds(ours.get(COUNTERS), counters)
        || neighbours.stream().anyMatch(one -> Paths.holds(one.get(COUNTERS), counters));
  }
}
