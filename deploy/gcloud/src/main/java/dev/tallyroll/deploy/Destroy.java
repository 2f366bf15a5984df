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
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Removes things that deploy has made, by its marks and by the deployment's document. Data stays.
 */
record Destroy(
    Arguments arguments,
    Console console,
    Path home,
    Deployment named,
    List<Step> steps,
    List<String> foreign) {

  Destroy(Arguments arguments, Console console, Path home) {
    this(arguments, console, home, Target.named(arguments), new ArrayList<>(), new ArrayList<>());
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

  /** Functions go late, because they hold the deployed settings. Their accounts go last. */
  private void plan(Deployment ours, State state) {
    for (String kind : List.of("run", "sweep")) {
      String job = ours.named(kind);
      String delete = "scheduler jobs delete % --location=" + ours.region();
      remove("job ", job, state.jobs().get(job), Deployment.ASKS + kind, delete);
    }
    String exclusion = ours.exclusion();
    String delete = "logging sinks update _Default --remove-exclusions=%";
    remove("log exclusion ", exclusion, state.exclusions().get(exclusion), "", delete);
    for (Monitoring.Kind kind : Monitoring.Kind.values()) {
      steps.addAll(Monitoring.removal(ours, state, kind, Set.of()));
    }
    if (state.channel().size() > 0) {
      steps.add(Monitoring.removeChannel(ours, state.channel()));
    }
    if (arguments.has("--indexes")) {
      fieldSettings(ours, state);
    } else {
      console.say("exemptions from indexing and the TTL policy are left alone (no --indexes)");
    }
    for (String who : FUNCTIONS) {
      delete = "functions delete % --gen2 --region=" + ours.region();
      remove("function ", ours.named(who), state.function(who), "", delete);
    }
    delete = "artifacts repositories delete % --location=" + ours.region();
    remove("repository ", Json.id(ours.images()), state.images(), "", delete);
    @Nullable JsonObject letters = state.subscriptionNamed(ours.deadLetters());
    long kept = letters == null ? 0 : deadLetters(state);
    if (kept > 0) {
      console.say(
          "%d events could not be handled and go with %s; replay would have their counters swept"
              .formatted(kept, ours.deadLetters()));
    }
    remove("subscription ", ours.deadLetters(), letters, "", "pubsub subscriptions delete %");
    // All that carry the label, since the setting may have been another one before.
    for (Map.Entry<String, JsonObject> topic : state.topics().entrySet()) {
      if (isOurs(topic.getValue(), "") || topic.getKey().equals(ours.get(Setting.ROLLUP_TOPIC))) {
        remove("topic ", topic.getKey(), topic.getValue(), "", "pubsub topics delete %");
      }
    }
    ACCOUNTS.forEach(
        (who, does) -> {
          String email = ours.account(who);
          JsonObject account = state.accounts().get(email);
          if (isOurs(account, does) && state.isBound(who)) {
            steps.add(Changes.binding(ours, who, "remove"));
          }
          remove("account ", email, account, does, "iam service-accounts delete %");
        });
  }

  /** A look at metrics that is refused must not stop the removal. */
  private static long deadLetters(State state) {
    try {
      return state.deadLetters();
    } catch (Console.Failure refused) {
      return 0;
    }
  }

  /** Whether the label or the description of a thing has our mark. */
  private boolean isOurs(@Nullable JsonObject thing, String does) {
    return State.labelOf(thing).equals(named.name())
        || named.isMarked(Json.text(thing, "description"), does);
  }

  /** Removes a thing with our mark; a thing without it is somebody else's. */
  private void remove(
      String what, String name, @Nullable JsonObject thing, String does, String command) {
    if (isOurs(thing, does)) {
      steps.add(Step.gcloud("Removed: " + what + name, named, command, name));
    } else if (thing != null) {
      foreign.add(what + name + ": expected the mark of deploy, found none; it was left alone");
    }
  }

  /** Removes settings that deploy has written down, unless another deployment needs them. */
  private void fieldSettings(Deployment ours, State state) {
    List<String> left = new ArrayList<>();
    for (String made : state.document().made()) {
      boolean isTtl = made.startsWith("ttl ");
      String id = made.replace("ttl ", "");
      String group = id.substring(0, id.indexOf('.'));
      boolean isThere = isTtl ? state.ttls().contains(id) : state.indexes(id) == 0;
      String users =
          Neighbour.of(ours, state).stream()
              .filter(one -> one.uses(group, id))
              .map(Neighbour::name)
              .distinct()
              .collect(Collectors.joining(", "));
      if (!users.isEmpty()) {
        left.add(made);
        console.say(
            "kept, since other deployments in this database need it: %s (%s)"
                .formatted(made, users));
      } else if (isThere) {
        steps.add(isTtl ? Changes.expiry(ours, group, "disable") : Changes.clearing(ours, id));
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
}
