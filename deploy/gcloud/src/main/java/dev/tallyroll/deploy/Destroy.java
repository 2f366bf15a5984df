package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Deployment.ACCOUNTS;
import static dev.tallyroll.deploy.Deployment.FUNCTIONS;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Removes what deploy made, by its marks and by what it wrote down. Data stays. */
record Destroy(
    Arguments arguments, Console console, Path home, List<Step> steps, List<String> foreign) {

  Destroy(Arguments arguments, Console console, Path home) {
    this(arguments, console, home, new ArrayList<>(), new ArrayList<>());
  }

  /** Returns the exit code. */
  int run() throws IOException {
    Target target = Target.find(arguments, console, home);
    State state = target.state();
    target.requireAsDeployed(arguments);
    Deployment ours = target.deployment();
    console.say(
        "Totals of %s in project %s, database %s stop moving. Data stays."
            .formatted(ours.get(Setting.COUNTERS), ours.project(), ours.database()));
    if (target.deployed().isEmpty() && !state.document().marked()) {
      console.say(
          "no function of %s is there, nor its document %s: if its --counters or --runs-collection"
                  .formatted(ours.name(), ours.document())
              + " were others, name them");
    }
    String me = Stage.owner(Stage.folder(home, ours).toAbsolutePath().normalize());
    Optional<DeploymentDocument.Claim> others = state.document().heldBySomebodyElse(me);
    if (others.isPresent()) {
      throw new Refusal(others.get().toString());
    }
    plan(ours, state);
    confirm(ours);
    steps.forEach(console::perform);
    foreign.forEach(console::wrong);
    return console.verdict();
  }

  /** Nobody should lose their totals by a typing error. */
  private void confirm(Deployment ours) {
    if (!console.isDryRun() && !arguments.has("--yes")) {
      steps.forEach(step -> console.say("  " + step.title()));
      String question = "Type the name, " + ours.name() + ", to remove it: ";
      console.agree(question, ours.name(), "to confirm it, or --yes");
    }
  }

  /** The functions last but for what they run as: they say what was deployed. */
  private void plan(Deployment ours, State state) {
    for (String kind : List.of("run", "sweep")) {
      String job = ours.named(kind);
      JsonObject there = state.jobs().get(job);
      boolean isOurs = isMarked(ours, there, "asks RollUp for a " + kind);
      remove(
          "job " + job, there, isOurs, "scheduler jobs delete % --location=%", job, ours.region());
    }
    String exclusion = ours.exclusion();
    JsonObject excluded = state.exclusions().get(exclusion);
    String command = "logging sinks update _Default --remove-exclusions=%";
    boolean isOurExclusion = isMarked(ours, excluded, "");
    remove("log exclusion " + exclusion, excluded, isOurExclusion, command, exclusion);
    if (arguments.has("--indexes")) {
      fieldSettings(ours, state);
    } else {
      console.say("exemptions from indexing and the TTL policy are left alone (no --indexes)");
    }
    for (String who : FUNCTIONS) {
      String name = ours.named(who);
      JsonObject there = state.function(who);
      boolean isOurs = State.labelOf(there).equals(ours.name());
      String delete = "functions delete % --gen2 --region=%";
      remove("function " + name, there, isOurs, delete, name, ours.region());
    }
    // All that carry the label, since the setting may have been another one before.
    for (Map.Entry<String, JsonObject> topic : state.topics().entrySet()) {
      String name = topic.getKey();
      boolean isOurs = State.labelOf(topic.getValue()).equals(ours.name());
      if (isOurs || name.equals(ours.get(Setting.ROLLUP_TOPIC))) {
        remove("topic " + name, topic.getValue(), isOurs, "pubsub topics delete %", name);
      }
    }
    ACCOUNTS.forEach((who, does) -> account(ours, state, who, does));
  }

  private static boolean isMarked(Deployment ours, @Nullable JsonObject thing, String does) {
    return ours.isMarked(Json.text(thing, "description"), does);
  }

  /** Something without the mark is somebody else's. */
  private void remove(
      String what, @Nullable JsonObject thing, boolean isOurs, String command, String... values) {
    if (isOurs) {
      steps.add(Step.gcloud("Removed: " + what, Target.named(arguments), command, values));
    } else if (thing != null) {
      foreign.add(what + ": expected the mark of deploy, found none; it was left alone");
    }
  }

  private void account(Deployment ours, State state, String who, String does) {
    String email = ours.account(who);
    JsonObject account = state.accounts().get(email);
    boolean isOurs = isMarked(ours, account, does);
    if (isOurs && state.isBound(who)) {
      steps.add(Changes.binding(ours, who, "remove"));
    }
    remove("account " + email, account, isOurs, "iam service-accounts delete %", email);
  }

  /** Only what deploy wrote down that it made, and no other deployment in this database needs. */
  private void fieldSettings(Deployment ours, State state) {
    List<String> left = new ArrayList<>();
    for (String made : state.document().made()) {
      List<String> users = Neighbour.names(users(made, ours, state));
      boolean isTtl = made.startsWith("ttl ");
      String id = isTtl ? made.substring("ttl ".length()) : made;
      boolean isThere = isTtl ? state.ttls().contains(id) : state.indexes(id) == 0;
      if (!users.isEmpty()) {
        left.add(made);
        console.say(
            "kept, since other deployments in this database need it: %s (%s)"
                .formatted(made, String.join(", ", users)));
      } else if (isThere) {
        steps.add(
            isTtl
                ? Changes.expiry(ours, id.substring(0, id.indexOf('.')), "disable")
                : Changes.clearing(ours, id));
      }
    }
    sayWhatWasThereBefore(ours, state);
    if (!left.equals(state.document().made())) {
      steps.add(state.document().unmade(ours, left));
    }
  }

  private void sayWhatWasThereBefore(Deployment ours, State state) {
    List<String> ids = new ArrayList<>();
    for (String field : Changes.RISING) {
      ids.add(ours.get(Setting.ROLLUPS_COLLECTION) + "." + field);
    }
    String expiry = ours.get(Setting.INCREMENTS_COLLECTION) + ".expire_at";
    ids.add(expiry);
    ids.removeIf(id -> state.indexes(id) != 0);
    if (state.ttls().contains(expiry)) {
      ids.add("ttl " + expiry);
    }
    ids.removeAll(state.document().made());
    if (!ids.isEmpty()) {
      console.say(
          "left, since nothing says that deploy made them: "
              + String.join(", ", ids)
              + " (gcloud firestore indexes fields update --clear-exemption takes one away)");
    }
  }

  private static List<Neighbour> users(String made, Deployment ours, State state) {
    String id = made.replace("ttl ", "");
    String group = id.substring(0, id.indexOf('.'));
    String field = id.substring(id.indexOf('.') + 1);
    return Neighbour.of(ours, state).stream()
        .filter(
            one ->
                one.get(Setting.ROLLUPS_COLLECTION).equals(group)
                    || one.get(Setting.INCREMENTS_COLLECTION).equals(group)
                    || (one.get(Setting.SHARDS_COLLECTION).equals(group)
                        && one.get(Setting.COUNT_FIELD).equals(field)))
        .toList();
  }
}
