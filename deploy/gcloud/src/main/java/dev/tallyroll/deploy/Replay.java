package dev.tallyroll.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Takes the events that OnShardWritten could not handle: names their counters, has these swept, and
 * lets the events go. A total is a sum of shards, not of events, so a sweep puts all of them right.
 */
record Replay(Arguments arguments, Console console, Path home) {
  private static final int AT_ONCE = 100;
  private static final int MOST_ROUNDS = 100;

  /** One message each; for more counters than these, a sweep of all is sooner done. */
  private static final int MOST_COUNTERS = 50;

  /** Pub/Sub takes 1,024 bytes in an attribute; a path may be longer. */
  private static final int MOST_BYTES = 1_024;

  /** Returns the exit code. */
  int run() throws IOException {
    Target target = Target.find(arguments, console, home);
    target.requireAsDeployed(arguments);
    Deployment ours = target.deployment();
    String name = ours.deadLetters();
    JsonObject subscription = target.state().subscriptionNamed(name);
    if (!State.labelOf(subscription).equals(ours.name()) && !console.isDryRun()) {
      throw new Refusal("expected the subscription " + name + " of deploy, found none: run deploy");
    }
    Map<String, Integer> counters = new TreeMap<>();
    List<String> taken = pull(ours, counters);
    console.title(taken.size() + " events of " + counters.size() + " counters");
    counters.forEach((counter, events) -> console.say(counter + ": " + events));
    if (!taken.isEmpty()) {
      sweep(ours, counters.keySet());
      for (int i = 0; i < taken.size(); i += AT_ONCE) {
        String ids = String.join(",", taken.subList(i, Math.min(taken.size(), i + AT_ONCE)));
        String ack = "pubsub subscriptions ack % --ack-ids=%";
        console.perform(Step.gcloud("The events are let go", ours, ack, name, ids));
      }
    }
    return console.verdict();
  }

  private void sweep(Deployment ours, Set<String> counters) {
    if (counters.size() > MOST_COUNTERS || !counters.stream().allMatch(Replay::isPath)) {
      console.perform(Deploy.sweep(ours));
      return;
    }
    String topic = ours.get(Setting.ROLLUP_TOPIC);
    for (String counter : counters) {
      // Two slashes separate the attributes, because no path holds them.
      String attributes = "^//^kind=sweep//counter=" + counter;
      String publish = "pubsub topics publish % --message=sweep --attribute=%";
      console.perform(Step.gcloud("A sweep of " + counter, ours, publish, topic, attributes));
    }
  }

  private static boolean isPath(String counter) {
    return counter.contains("/") && counter.getBytes(UTF_8).length <= MOST_BYTES;
  }

  /** Takes all events, and counts them by their counters. */
  private List<String> pull(Deployment ours, Map<String, Integer> counters) {
    List<String> question =
        Step.words(ours, "pubsub subscriptions pull % --limit=" + AT_ONCE, ours.deadLetters());
    List<String> taken = new ArrayList<>();
    for (int round = 0; round < MOST_ROUNDS; round++) {
      List<JsonObject> pulled = Json.objects(console.ask(question).json(), "");
      if (pulled.isEmpty()) {
        break;
      }
      for (JsonObject one : pulled) {
        taken.add(Json.text(one, "ackId"));
        String shard = Json.text(one, "message.attributes.ce-document");
        counters.merge(shard.isEmpty() ? "not known" : counterOf(shard), 1, Integer::sum);
      }
    }
    return taken;
  }

  private static String counterOf(String shard) {
    return shard.replaceFirst("/[^/]*/[^/]*$", "");
  }
}
