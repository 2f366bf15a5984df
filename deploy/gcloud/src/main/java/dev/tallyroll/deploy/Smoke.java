package dev.tallyroll.deploy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Proves a deployment: makes a counter, increments it, waits for its total, deletes it again. */
record Smoke(Arguments arguments, Console console, Path home) {
  private static final int INCREMENTS = 5;
  private static final int SHARDS = 2;

  static final String SET = "{'update':{'name':'%s/%s','fields':{'%s':{'integerValue':'%d'}}}}";

  /** The samples' increment. */
  static final String INCREMENT =
      "{'transform':{'document':'%s/%s','fieldTransforms':[{'fieldPath':'%s','increment':{'integerValue':'%d'}}]}}";

  /** One schedule's minute, and a cold start. */
  private static final int MOST_SECONDS = 90;

  /** Returns the exit code; the counter is deleted whatever happens. */
  int run() throws IOException {
    Target target = Target.find(arguments, console, home);
    target.requireAsDeployed(arguments);
    Deployment ours = target.deployment();
    String collection = Paths.filled(ours.get(Setting.COUNTERS), "tallyroll-smoke");
    String id = "tallyroll-smoke-" + Instant.now().getEpochSecond();
    String counter = collection + "/" + id;
    String rollup = ours.rollupsBeside(collection) + "/" + id;
    try {
      count(ours, target.state(), counter, rollup);
    } finally {
      delete(ours, counter);
    }
    if (!console.isDryRun()) {
      await(target.state(), rollup, "no roll-up any more", found -> found.size() == 0);
    }
    return console.verdict();
  }

  private void count(Deployment ours, State state, String counter, String rollup) {
    String field = ours.get(Setting.COUNT_FIELD);
    List<JsonObject> writes = new ArrayList<>();
    writes.add(write(SET, ours.documents(), counter, "num_shards", SHARDS));
    for (int shard = 0; shard < SHARDS; shard++) {
      writes.add(write(SET, ours.documents(), shard(ours, counter, shard), field, 0));
    }
    // As a server would: the counter and all its shards in one commit.
    console.perform(DeploymentDocument.commit(ours, "A counter: " + counter, writes));
    String committed = "";
    String title = INCREMENTS + " increments, and the total";
    for (int i = 0; i < INCREMENTS; i++) {
      String shard = shard(ours, counter, i % SHARDS);
      List<JsonObject> one = List.of(write(INCREMENT, ours.documents(), shard, field, 1));
      Step increment = DeploymentDocument.commit(ours, title, one);
      committed = Json.text(console.perform(increment), "commitTime");
    }
    if (console.isDryRun()) {
      return;
    }
    String expected = Integer.toString(INCREMENTS);
    JsonObject total =
        await(state, rollup, "a total of " + expected, found -> countIn(found).equals(expected));
    if (total.size() > 0) {
      Instant shown = Instant.parse(Json.text(total, "updateTime"));
      Duration lag = Duration.between(Instant.parse(committed), shown);
      console.say("the total is " + INCREMENTS + "; lag " + lag.toMillis() + " ms");
    }
  }

  /** Asks once a second until the document is as expected; one that is not there is empty. */
  private JsonObject await(State state, String path, String what, Predicate<JsonObject> expected) {
    JsonObject found = new JsonObject();
    for (int second = 0; second < MOST_SECONDS; second++) {
      found = Json.object(state.readNow(List.of(path)), "0.found");
      if (expected.test(found)) {
        return found;
      }
      console.pause(Duration.ofSeconds(1));
    }
    console.wrong(
        "expected %s within %d s, found '%s'; see status, and the functions' logs"
            .formatted(what, MOST_SECONDS, countIn(found)));
    return new JsonObject();
  }

  private static String countIn(JsonObject document) {
    return Json.text(document, "fields.count.integerValue");
  }

  /** The functions then delete the roll-up. */
  private void delete(Deployment ours, String counter) {
    List<JsonObject> writes = new ArrayList<>();
    for (int shard = 0; shard < SHARDS; shard++) {
      writes.add(Json.of("delete", ours.documents() + "/" + shard(ours, counter, shard)));
    }
    writes.add(Json.of("delete", ours.documents() + "/" + counter));
    console.perform(DeploymentDocument.commit(ours, "The counter goes again", writes));
  }

  static String shard(Deployment ours, String counter, int shard) {
    return counter + "/" + ours.get(Setting.SHARDS_COLLECTION) + "/" + shard;
  }

  static JsonObject write(String form, String in, String path, String field, int value) {
    return JsonParser.parseString(form.formatted(in, path, field, value)).getAsJsonObject();
  }
}
