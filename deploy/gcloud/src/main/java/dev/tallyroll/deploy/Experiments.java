package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Deployment.ROLLER;
import static dev.tallyroll.deploy.Deployment.TRIGGERED;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.tallyroll.deploy.Prices.Kind;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The work of a canary between its deploy and its removal. Each part answers some questions. */
record Experiments(
    Canary canary,
    Deployment ours,
    Cloud cloud,
    Console.Surroundings here,
    Findings findings,
    Instant from,
    Prices prices) {

  /** A new trigger may need a minute or two until it delivers. */
  private static final int SMOKE_TRIES = 3;

  /** Metrics may show up to four minutes late. */
  private static final Duration METRICS_LATE = Duration.ofMinutes(4);

  /** The size of a document at most, and of its names and fields beside their texts. */
  private static final int DOCUMENT = 1 << 20;

  private static final int OVERHEAD = 65;

  /** Too little for the three fields of a total. */
  private static final int ROOM = 20;

  /** The first part that throws ends the run. */
  void run() throws IOException {
    Load load = new Load(cloud, canary.console(), ours);
    place();
    smoke();
    load(load);
    fill(load);
    Instant counted = now();
    rules(load);
    redeploy();
    metrics(load, counted);
  }

  private void title(String words) {
    Canary.stopIfInterrupted();
    here.out().println("\n# Canary: " + words);
  }

  private State state() {
    return new State(canary.console(), ours);
  }

  /** Firestore's time. */
  private Instant now() {
    return Instant.parse(Json.text(state().readNow(List.of(ours.document())), "0.readTime"));
  }

  private void place() {
    State state = state();
    String database = state.database().map(one -> Json.text(one, "locationId")).orElse("");
    String words =
        "the database is in %s, the trigger in %s, the functions in %s"
            .formatted(
                database,
                Json.text(state.function(TRIGGERED), "eventTrigger.triggerRegion"),
                ours.region());
    boolean regional = database.equals(ours.region());
    String multi = regional ? "; for nam5 and eur3 not determined: this is another place" : "";
    findings.answer(Question.TRIGGER_PLACE, words + multi);
  }

  private void smoke() throws IOException {
    for (int tries = 0; tries < SMOKE_TRIES; tries++) {
      title("a first counter");
      if (canary.smoke() == 0) {
        return;
      }
    }
    throw new Undetermined("no total came; the output of smoke says more");
  }

  private void load(Load load) {
    String counters = ours.get(Setting.COUNTERS);
    boolean anywhere = counters.startsWith(Paths.ANYWHERE);
    String collection = Paths.filled(counters, "tallyroll-canary");
    String below = anywhere ? "tallyroll_canary_rooms/r1/" + collection : collection;
    load(load, 1, below, Question.LAG_1);
    load(load, 20, below, Question.LAG_20);
    load(load, 100, below, Question.LAG_100);
    findings.answer(
        Question.ANYWHERE,
        anywhere
            ? "yes: counters in %s and %s got their totals".formatted(collection, below)
            : "not determined: the canary was deployed with " + counters);
    findings.ask(Question.IAM_CONDITION, this::condition);
  }

  private void load(Load load, int rate, String collection, Question question) {
    title("increments, %d a second".formatted(rate));
    findings.answer(question, load.at(rate, collection));
  }

  private String condition() {
    List<String> question = List.of("projects", "get-iam-policy", ours.project());
    for (JsonObject binding : Json.objects(canary.console().ask(question).json(), "bindings")) {
      for (String who : Deployment.FUNCTIONS) {
        String condition = Json.text(binding, "condition.expression");
        if (Json.texts(binding, "members").contains(ours.member(who))
            && !condition.equals(ours.conditionOf(who))) {
          throw new Undetermined(ours.named(who) + " has " + Json.text(binding, "role") + ", too");
        }
      }
    }
    return "yes: both functions keep totals under `%s`".formatted(ours.conditionOf(ROLLER));
  }

  /** A total's document that has no room for a total: the event fails, and comes again. */
  private void fill(Load load) {
    title("an event that fails");
    String collection = Paths.filled(ours.get(Setting.COUNTERS), "tallyroll-canary");
    String counter = collection + "/full";
    String rollup = ours.rollupsBeside(collection) + "/full";
    int room = DOCUMENT - OVERHEAD - rollup.length() - counter.length() - ROOM;
    String filler = Base64.getEncoder().encodeToString(new byte[room]);
    JsonObject fields =
        Json.of(
            "counter", Json.of("stringValue", counter),
            "filler", Json.of("bytesValue", filler));
    JsonObject full = Json.of("name", ours.documents() + "/" + rollup, "fields", fields);
    String shard = Smoke.shard(ours, counter, 0);
    String field = ours.get(Setting.COUNT_FIELD);
    try {
      load.commit(List.of(Json.of("update", full)));
      load.commit(List.of(Smoke.write(Smoke.SET, ours.documents(), shard, field, 1)));
    } catch (CloudException e) {
      findings.remark("No event was made to fail: " + e.said());
    }
  }

  private void rules(Load load) throws IOException {
    title("the rules, without deploying them");
    Map<Setting, String> settings = new EnumMap<>(ours.settings());
    settings.put(Setting.COUNTERS, Paths.ANYWHERE + Paths.last(ours.get(Setting.COUNTERS)));
    String text =
        canary
            .rules(ours.with(ours.place(), settings))
            .text()
            .replace("return false;", "return parent.matches('/rooms/[^/]+');");
    findings.ask(Question.STRING_OF_PATH, () -> tested(text));
    title("the rules, as a client");
    String own = canary.rules(ours).text().replace("return false;", "return true;");
    findings.ask(Question.TWO_WRITES, () -> twoWrites(load, own));
  }

  /** The Rules API evaluates rules that are not deployed. */
  private String tested(String text) {
    JsonObject cases =
        Json.of("testCases", Json.array(List.of(get("rooms", "ALLOW"), get("halls", "DENY"))));
    JsonObject body = Json.of("source", RulesText.source(text), "testSuite", cases);
    String url = RulesText.API + "projects/" + ours.project() + ":test";
    JsonElement answer = cloud.http("POST", url, body.toString());
    List<String> states = new ArrayList<>();
    Json.objects(answer, "testResults").forEach(one -> states.add(Json.text(one, "state")));
    if (states.size() != 2) {
      throw new Undetermined("the Rules API answered " + answer);
    }
    return states.equals(List.of("SUCCESS", "SUCCESS"))
        ? "yes: a total in rooms was allowed, one in halls was not"
        : "no: a total in rooms is to be allowed, one in halls not; the Rules API answered "
            + answer;
  }

  private String twoWrites(Load load, String rules) {
    String collection = Paths.filled(ours.get(Setting.COUNTERS), "tallyroll-canary");
    String shard = Smoke.shard(ours, collection + "/rules", 0);
    String field = ours.get(Setting.COUNT_FIELD);
    load.commit(List.of(Smoke.write(Smoke.SET, ours.documents(), shard, field, 0)));
    return new RulesTrial(cloud, canary.console(), ours).twoWrites(shard, rules);
  }

  private JsonObject get(String rooms, String expectation) {
    String parent = rooms + "/r1/";
    String path = "/databases/(default)/documents/" + parent;
    String counter = parent + Paths.last(ours.get(Setting.COUNTERS)) + "/likes";
    return Json.of(
        "expectation", expectation,
        "request",
            Json.of(
                "method", "get", "path", path + ours.get(Setting.ROLLUPS_COLLECTION) + "/likes"),
        "resource", Json.of("data", Json.of("counter", counter)));
  }

  private void redeploy() throws IOException {
    title("a second deploy");
    canary.redeploy();
    findings.ask(
        Question.ACK_DEADLINES,
        () -> {
          State state = state();
          int events = state.ackDeadline(TRIGGERED);
          int messages = state.ackDeadline(ROLLER);
          boolean kept =
              events >= Changes.leastAckDeadline(TRIGGERED)
                  && messages >= Changes.leastAckDeadline(ROLLER);
          return "%s: %d s for events, %d s for messages"
              .formatted(kept ? "yes" : "no", events, messages);
        });
    findings.ask(Question.DEAD_LETTERS, this::deadLetters);
  }

  private String deadLetters() {
    State state = state();
    String name = state.subscription(TRIGGERED);
    String topic = Json.text(state.subscriptionNamed(name), "deadLetterPolicy.deadLetterTopic");
    return "%s has %s".formatted(Json.id(name), topic.isEmpty() ? "none" : Json.id(topic));
  }

  /** The second deploy takes most of the time that the metrics of the counting need. */
  private void metrics(Load load, Instant counted) {
    title("the metrics, which show up to four minutes late");
    Duration left = Duration.between(now(), counted.plus(METRICS_LATE));
    if (!left.isNegative()) {
      canary.console().pause(left);
    }
    Canary.stopIfInterrupted();
    State state = state();
    Metrics metrics = new Metrics(url -> cloud.http("GET", url, ""), ours.project(), from, now());
    findings.ask(Question.RETRIES, () -> retries(metrics, state));
    findings.ask(
        Question.COLD_START,
        () -> metrics.mean("run.googleapis.com/container/startup_latencies", service(ROLLER)));
    findings.ask(Question.OPERATIONS, () -> operations(metrics, load));
    findings.ask(Question.DOLLARS, () -> dollars(metrics, load));
  }

  private String service(String who) {
    return Metrics.of("service_name", ours.named(who));
  }

  private String retries(Metrics metrics, State state) {
    String label = "response_code_class";
    Map<String, Long> events = metrics.by(label, Metrics.REQUESTS, service(TRIGGERED));
    Map<String, Long> pushes =
        metrics.by(
            "response_class",
            Metrics.PUSHES,
            Metrics.of("subscription_id", Json.id(state.subscription(TRIGGERED))));
    if (!events.containsKey("5xx")) {
      throw new Undetermined(
          "no event failed: OnShardWritten %s, Pub/Sub %s".formatted(events, pushes));
    }
    return "as 5xx of the service: OnShardWritten %s, Pub/Sub's pushes to it %s; RollUp %s"
        .formatted(events, pushes, metrics.by(label, Metrics.REQUESTS, service(ROLLER)));
  }

  /** The operations of the functions: all, without the canary's own. */
  private double operations(Metrics metrics, String kind, int own) {
    return metrics.sum(
            Metrics.OPERATIONS.formatted(kind), Metrics.of("database_id", ours.database()))
        - own;
  }

  private String operations(Metrics metrics, Load load) {
    double reads = operations(metrics, "read", load.reads) / load.increments;
    double writes = operations(metrics, "write", load.writes) / load.increments;
    return String.format(
        Locale.ROOT,
        "%.3f reads and %.3f writes, over %d increments at the three rates",
        reads,
        writes,
        load.increments);
  }

  private String dollars(Metrics metrics, Load load) {
    double dollars =
        prices.dollars(Kind.READ, operations(metrics, "read", load.reads))
            + prices.dollars(Kind.WRITE, operations(metrics, "write", load.writes));
    for (String who : Deployment.FUNCTIONS) {
      String service = service(who);
      dollars += prices.dollars(Kind.VCPU_SECOND, metrics.sum(Metrics.VCPU_SECONDS, service));
      dollars += prices.dollars(Kind.GIB_SECOND, metrics.sum(Metrics.GIB_SECONDS, service));
      dollars += prices.dollars(Kind.REQUEST, metrics.sum(Metrics.REQUESTS, service));
    }
    return String.format(
        Locale.ROOT,
        "$%.2f a million, without the increments' own writes, events and logs; the starts of these minutes are in it",
        dollars / load.increments * 1e6);
  }
}
