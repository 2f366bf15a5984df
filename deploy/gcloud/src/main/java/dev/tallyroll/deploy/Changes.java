package dev.tallyroll.deploy;

import static dev.tallyroll.deploy.Deployment.ACCOUNTS;
import static dev.tallyroll.deploy.Deployment.DELIVERY;
import static dev.tallyroll.deploy.Deployment.FUNCTIONS;
import static dev.tallyroll.deploy.Deployment.ROLLER;
import static dev.tallyroll.deploy.Deployment.TRIGGERED;
import static dev.tallyroll.deploy.Setting.COUNT_FIELD;
import static dev.tallyroll.deploy.Setting.INCREMENTS_COLLECTION;
import static dev.tallyroll.deploy.Setting.ROLLUPS_COLLECTION;
import static dev.tallyroll.deploy.Setting.ROLLUP_TOPIC;
import static dev.tallyroll.deploy.Setting.SHARDS_COLLECTION;
import static dev.tallyroll.deploy.Setting.SUM;

import com.google.gson.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The changes that turn the deployed state into the wanted one, as data. After the changes, deploy
 * makes the same comparison again, as a check.
 */
final class Changes {
  /** The fields that lose their index: those that only rise, and one that nobody searches by. */
  static final List<String> RISING = List.of("live_until", "as_of", "counter");

  /** The cleanup policies of the images, here and where they are staged. */
  static final String IMAGES = "images.json";

  private static final String LETTERS =
      "Events that fail twenty times are kept for a week, and replay has their counters swept";

  /** The consequence of a difference, by the last word of its name. */
  private static final Map<String, String> WHY =
      Map.of(
          "retry", ": lost events would show only at the next sweep; or failed runs would pile up",
          "ingress-settings", ": anyone on the internet can reach it",
          "JAVA_TOOL_OPTIONS", ": it may run out of memory");

  /** How much a difference matters to the person who has to agree to it. */
  enum Kind {
    /** The thing was missing, or had the platform's default. */
    MISSING,
    OTHERWISE,
    /** The change may alter totals. */
    OF_TOTALS
  }

  /** A value that differs from the wanted one; the value of a missing thing is empty. */
  record Difference(Kind kind, String of, String found, String wanted) {
    /** The text that deploy prints before the change. */
    String told() {
      return kind != Kind.OF_TOTALS
          ? "  " + this
          : "!!! %s is to become %s, and was %s: totals may be wrong or new ones"
              .formatted(of, wanted, found);
    }

    @Override
    public String toString() {
      return "%s: expected %s, found %s%s"
          .formatted(
              of,
              wanted.isEmpty() ? "none" : wanted,
              found.isEmpty() ? "none" : found,
              WHY.getOrDefault(of.substring(of.lastIndexOf(' ') + 1), ""));
    }
  }

  final Looks looks;
  final List<Difference> differences = new ArrayList<>();

  /** Faults that a person has to repair. */
  final List<String> wrong = new ArrayList<>();

  private final List<Step> steps = new ArrayList<>();

  /** GROUP.FIELD of the index settings that are made now and were not there, or taken away. */
  private final List<String> made = new ArrayList<>();

  private final List<String> unmade = new ArrayList<>();

  private final Wanted wanted;
  private final Deployment ours;
  private final State state;
  private final List<Neighbour> neighbours;

  /** Compares everything, in the order of the steps. */
  Changes(Wanted wanted, State state) {
    this.wanted = wanted;
    this.ours = wanted.deployment();
    this.state = state;
    this.neighbours = Neighbour.of(ours, state);
    this.looks = new Looks(ours, state, neighbours);
    ACCOUNTS.keySet().forEach(this::account);
    ACCOUNTS.keySet().forEach(this::binding);
    RISING.forEach(field -> exempt(ROLLUPS_COLLECTION, field));
    exempt(INCREMENTS_COLLECTION, "expire_at");
    expiry();
    countIndex();
    rules();
    topic();
    deadLetters();
    confirmation();
    images();
    FUNCTIONS.forEach(this::function);
    FUNCTIONS.forEach(this::invokers);
    FUNCTIONS.forEach(this::ackDeadline);
    if (ours.get(SUM).equals("documents")) {
      exempt(SHARDS_COLLECTION, ours.get(COUNT_FIELD));
    }
    lanes();
    job();
    sweepsJob();
    exclusion();
    monitoring();
  }

  /** All steps. They begin with a claim of the deployment's document and end with its release. */
  List<Step> steps(String me) {
    DeploymentDocument document = state.document();
    List<Step> all = new ArrayList<>();
    if (!steps.isEmpty()) {
      all.add(document.claim(ours, me, made));
      all.addAll(steps);
      all.add(document.release(ours, Console.UPDATE_TIME, made, unmade));
    } else if (document.deploying().isPresent()) {
      // A deploy that died at the very end has left its claim.
      all.add(document.release(ours, document.updateTime(), made, unmade));
    }
    return all;
  }

  /** The release after a failure: a setting that was to be removed may still be there. */
  Step givingUp() {
    return state.document().release(ours, Console.UPDATE_TIME, made, List.of());
  }

  boolean changeSomething() {
    return differences.stream().anyMatch(one -> one.kind != Kind.MISSING);
  }

  private boolean differs(String of, String found, String expected) {
    Kind kind = found.isEmpty() ? Kind.MISSING : Kind.OTHERWISE;
    return differs(kind, of, found, expected);
  }

  private boolean differs(Kind kind, String of, String found, String expected) {
    boolean differs = !found.equals(expected);
    if (differs) {
      differences.add(new Difference(kind, of, found, expected));
    }
    return differs;
  }

  private void step(String title, String command, String... values) {
    steps.add(Step.gcloud(title, ours, command, values));
  }

  /** Each of the three accounts has only the roles for its one task. */
  private void account(String who) {
    String email = ours.account(who);
    JsonObject account = state.accounts().get(email);
    String does = ACCOUNTS.getOrDefault(who, "");
    String description = Json.text(account, "description");
    if (account == null) {
      String name = ours.named(who);
      differs("account " + name, "", email);
      String title = "Service accounts: one delivers events, and each function has its own";
      String create = "iam service-accounts create % --display-name=% --description=%";
      step(title, create, name, name, ours.mark() + does);
    } else if (!ours.isMarked(description, does)) {
      looks.foreign("the service account " + email, "description", description);
    } else if (Json.text(account, "disabled").equals("true")) {
      wrong.add(email + " is disabled: gcloud iam service-accounts enable " + email);
    }
  }

  private void binding(String who) {
    String role = Deployment.roleOf(who);
    if (!state.isBound(who)) {
      differs("role of " + ours.named(who) + " in the project", "", role);
      steps.add(binding(ours, who, "add"));
    }
  }

  static Step binding(Deployment of, String who, String verb) {
    String expression = of.conditionOf(who);
    String condition =
        expression.isEmpty() ? "None" : "expression=" + expression + ",title=" + of.name();
    String words =
        "projects %s-iam-policy-binding %s --member=%s --role=%s --condition=%s --format=none"
            .formatted(verb, of.project(), of.member(who), Deployment.roleOf(who), condition);
    return Step.gcloud("Roles of the accounts in the project", List.of(words.split(" ", -1)));
  }

  /** Exempts a field from indexing, unless it is exempt; refuses index settings of others. */
  private void exempt(Setting setting, String field) {
    String group = ours.get(setting);
    String id = group + "." + field;
    int indexes = state.indexes(id);
    if (indexes > 0) {
      looks.refuse(
          """
          %s: expected no index settings of others on %s, found %d indexes of its own
            Name another collection (%s), or clear them: %s"""
              .formatted(setting, id, indexes, setting.flag(), clearing(ours, id).shown()));
    } else if (indexes < 0) {
      differs("exemption of " + id, "", "one");
      looks.refuseOthersIn(setting);
      made.add(id);
      String title = "Fields that only rise, or that nobody asks for, are not indexed on their own";
      steps.add(indexing(ours, id, title, "disable-indexes"));
    }
  }

  /** Takes back the exemption of GROUP.FIELD. */
  static Step clearing(Deployment of, String id) {
    return indexing(of, id, "Fields that are indexed on their own again", "clear-exemption");
  }

  private static Step indexing(Deployment of, String id, String title, String how) {
    String update = "firestore indexes fields update % --collection-group=% --database=% --%";
    String[] names = id.split("\\.", 2);
    return Step.gcloud(title, of, update, names[1], names[0], of.database(), how);
  }

  private void expiry() {
    String group = ours.get(INCREMENTS_COLLECTION);
    String id = group + ".expire_at";
    for (String ttl : state.ttls()) {
      if (ttl.startsWith(group + ".") && !ttl.equals(id)) {
        looks.refuse(
            """
            INCREMENTS_COLLECTION: expected a collection group without a TTL policy of others, found one on %s
              A group has one TTL field. Name another collection (--increments-collection, and the client library's \
            option)."""
                .formatted(ttl));
      }
    }
    if (!state.ttls().contains(id)) {
      differs("TTL policy on " + id, "", "one");
      looks.refuseOthersIn(INCREMENTS_COLLECTION);
      made.add("ttl " + id);
      steps.add(expiry(ours, group, "enable"));
    }
  }

  static Step expiry(Deployment of, String group, String verb) {
    String update =
        "firestore fields ttls update expire_at --collection-group=% --database=% --%-ttl --async";
    String title = "Names of exactly-once increments expire";
    return Step.gcloud(title, of, update, group, of.database(), verb);
  }

  /** Makes sure that the count is indexed: a sum reads that index. */
  private void countIndex() {
    if (!ours.get(SUM).equals("aggregate")) {
      return;
    }
    String id = ours.get(SHARDS_COLLECTION) + "." + ours.get(COUNT_FIELD);
    if (state.indexes(id) == 0) {
      // Before there was a document, a deployment that summed documents had exempted it.
      String sum = Json.text(state.function(ROLLER), State.VARIABLES + SUM);
      boolean before = !state.document().isThere() && sum.equals("documents");
      if (!state.document().made().contains(id) && !before) {
        looks.refuse(
            """
            SHARDS_COLLECTION: expected an index on %s, which sums read, found that somebody has exempted it
              Name another collection (--shards-collection), deploy --sum documents, or restore it yourself:
              %s"""
                .formatted(id, clearing(ours, id).shown()));
        return;
      }
      differs("index of " + id, "none", "one");
      steps.add(clearing(ours, id));
    }
    unmade.add(id);
    if (!state.isCountIndexed()) {
      steps.add(Step.gcloud("An index on the count: sums read it", State.countQuestion(ours)));
    }
  }

  /** Removes the index that an older version made for its search of live counters. */
  private void lanes() {
    String group = ours.get(ROLLUPS_COLLECTION);
    String field = group + ".live_lane";
    String lanes = Json.text(state.function(ROLLER), State.VARIABLES + "LANES");
    boolean isNeeded =
        neighbours.stream()
            .filter(one -> one.variables().containsKey("LANES"))
            .anyMatch(one -> one.has(ROLLUPS_COLLECTION, ours));
    if (isNeeded || (lanes.isEmpty() && !state.document().made().contains(field))) {
      return;
    }
    for (String index : state.laneIndexes(group)) {
      made.add(field);
      differs("index of live_lane and live_until in " + group, index, "");
      String delete = "firestore indexes composite delete % --database=%";
      step("The index that only older versions need", delete, index, ours.database());
    }
    if (state.indexes(field) == 0) {
      made.add(field);
      differs("exemption of " + field, "one", "");
      steps.add(clearing(ours, field));
    }
    unmade.add(field);
  }

  private void rules() {
    if (wanted.replacesRules() && !state.rulesText().contains(wanted.rules().mark())) {
      String found = state.ruleset().isPresent() ? "others" : "";
      differs("security rules", found, "those of " + wanted.rulesFile());
      steps.addAll(RulesText.replace(ours, wanted.rulesFile(), state.ruleset()));
    }
  }

  /** Two deployments on one topic would answer each other's messages. */
  private void topic() {
    String title = "The topic of the run, wake and sweep messages; both functions publish to it";
    String topic = ours.get(ROLLUP_TOPIC);
    JsonObject there = state.topics().get(topic);
    String label = State.labelOf(there);
    if (there == null) {
      differs("topic " + topic, "", "one");
      step(title, "pubsub topics create % --labels=tallyroll=%", topic, ours.name());
    } else if (!label.equals(ours.name())) {
      looks.refuse(
          """
          ROLLUP_TOPIC: expected a topic of %s, found one %s
            Name another (--rollup-topic), or hand it over: gcloud pubsub topics update %s \
          --update-labels=tallyroll=%1$s --project=%4$s"""
              .formatted(
                  ours.name(),
                  label.isEmpty() ? "without a label" : "of " + label,
                  topic,
                  ours.project()));
    }
    for (String who : FUNCTIONS) {
      if (!state.publishers(topic).contains(ours.member(who))) {
        differs("publisher to " + topic, "", ours.account(who));
        String bind = "pubsub topics add-iam-policy-binding % --member=% --role=% --format=none";
        step(title, bind, topic, ours.member(who), "roles/pubsub.publisher");
      }
    }
  }

  /** A message to a topic without a subscription is lost. */
  private void deadLetters() {
    String name = ours.deadLetters();
    JsonObject topic = state.topics().get(name);
    JsonObject subscription = state.subscriptionNamed(name);
    if (topic == null) {
      differs("topic " + name, "", "one");
      step(LETTERS, "pubsub topics create % --labels=tallyroll=%", name, ours.name());
    } else if (!State.labelOf(topic).equals(ours.name())) {
      looks.foreign("the topic " + name, "label", State.labelOf(topic));
      return;
    }
    if (subscription == null) {
      differs("subscription " + name, "", "one");
      String create =
          """
          pubsub subscriptions create % --topic=% --labels=tallyroll=% --ack-deadline=600 \
          --message-retention-duration=7d --expiration-period=never""";
      step(LETTERS, create, name, name, ours.name());
    } else if (!State.labelOf(subscription).equals(ours.name())) {
      looks.foreign("the subscription " + name, "label", State.labelOf(subscription));
    }
    if (!state.publishers(name).contains(state.carrier())) {
      differs("publisher to " + name, "", state.carrier());
      String bind = "pubsub topics add-iam-policy-binding % --member=% --role=% --format=none";
      step(LETTERS, bind, name, state.carrier(), "roles/pubsub.publisher");
    }
  }

  /** Without dead letters, an event that keeps failing is lost after a day. */
  private void letters(String subscription) {
    String topic = "projects/%s/topics/%s".formatted(ours.project(), ours.deadLetters());
    if (!state.subscribers(subscription).contains(state.carrier())) {
      differs("who carries dead letters", "", state.carrier());
      String bind =
          "pubsub subscriptions add-iam-policy-binding % --member=% --role=% --format=none";
      step(LETTERS, bind, subscription, state.carrier(), "roles/pubsub.subscriber");
    }
    JsonObject there = state.subscriptionNamed(subscription);
    String found = Json.text(there, "deadLetterPolicy.deadLetterTopic");
    if (differs("dead letters of " + ours.named(TRIGGERED), found, topic)) {
      String update =
          "pubsub subscriptions update % --dead-letter-topic=% --max-delivery-attempts=20";
      step(LETTERS, update, subscription, ours.deadLetters());
    }
  }

  /** Functions sweep only with the settings that the document holds. */
  private void confirmation() {
    boolean other = false;
    for (Setting setting : Setting.OF_TOTALS) {
      String found = state.document().settings().getOrDefault(setting, "");
      other |=
          !found.isEmpty()
              && differs(Kind.OF_TOTALS, "TOTALS, " + setting, found, ours.get(setting));
    }
    if (other) {
      steps.add(DeploymentDocument.confirm(ours));
    } else if (!state.document().isThere()) {
      differs("document " + ours.document(), "", "one");
    }
  }

  /** Each deploy of a function makes an image of some hundred megabytes. */
  private void images() {
    String title = "Where images are built: a repository that keeps two of each function";
    String id = Json.id(ours.images());
    JsonObject there = state.images();
    String description = Json.text(there, "description");
    String does = "images of the functions";
    if (there == null) {
      differs("repository " + id, "", "one");
      String create =
          "artifacts repositories create % --location=% --repository-format=docker --description=%";
      step(title, create, id, ours.region(), ours.mark() + does);
    } else if (!ours.isMarked(description, does)) {
      looks.foreign("the repository " + id, "description", description);
      return;
    }
    String kept = Json.text(there, "cleanupPolicies.keep-two.mostRecentVersions.keepCount");
    String deleted = Json.text(there, "cleanupPolicies.delete-others.action");
    boolean cleans = differs("images that are kept in " + id, kept, "2");
    cleans |= differs("older images in " + id, deleted, "DELETE");
    if (cleans) {
      String set =
          "artifacts repositories set-cleanup-policies % --location=% --policy=% --no-dry-run";
      step(title, set, id, ours.region(), wanted.staged(IMAGES));
    }
  }

  private void function(String who) {
    String name = ours.named(who);
    JsonObject there = state.function(who);
    if (there == null && state.services().containsKey(name)) {
      looks.refuse(
          """
          the Cloud Run service %s: expected none, or that of a function of %s, found another. It is somebody \
          else's: take another --name"""
              .formatted(name, ours.name()));
    } else if (there != null && !State.labelOf(there).equals(ours.name())) {
      looks.foreign("the function " + name, "label", State.labelOf(there));
    } else {
      FunctionSpec spec = FunctionSpec.wanted(ours, who, wanted.jvmOptions());
      if (there == null ? differs("function " + name, "", "one") : isChanged(there, name, spec)) {
        steps.add(
            Step.gcloud(
                "The functions: one artifact, two entry points", spec.command(wanted, who)));
      }
    }
  }

  private boolean isChanged(JsonObject there, String name, FunctionSpec spec) {
    Map<String, String> found = new TreeMap<>(FunctionSpec.of(there).all());
    Map<String, String> expected = new TreeMap<>(spec.all());
    expected.put("state", "ACTIVE");
    found.put("state", Json.text(there, "state"));
    if (!wanted.artifact().isEmpty()) {
      expected.put("artifact", wanted.artifact());
      found.put("artifact", Json.text(there, "labels.tallyroll-hash"));
    }
    if (!wanted.builder().isEmpty()) {
      expected.put("builder", Json.id(wanted.builder()));
      found.put("builder", Json.id(Json.text(there, "buildConfig.serviceAccount")));
    }
    Set<String> keys = new TreeSet<>(found.keySet());
    keys.addAll(expected.keySet());
    boolean changed = false;
    for (String key : keys) {
      boolean ofTotals = Setting.OF_TOTALS.stream().anyMatch(one -> one.name().equals(key));
      Kind kind = ofTotals ? Kind.OF_TOTALS : Kind.OTHERWISE;
      String before = found.getOrDefault(key, "");
      changed |= differs(kind, name + " " + key, before, expected.getOrDefault(key, ""));
    }
    return changed;
  }

  /** Nobody else may call the functions. */
  private void invokers(String who) {
    String name = ours.named(who);
    List<String> members = state.invokers(who);
    for (String one : List.of("allUsers", "allAuthenticatedUsers")) {
      if (members.contains(one)) {
        wrong.add(name + ": expected no public invoker, found " + one + ": anyone can call it");
      }
    }
    if (!members.contains(ours.member(DELIVERY))) {
      differs("invoker of " + name, "", ours.account(DELIVERY));
      String bind =
          "run services add-iam-policy-binding % --region=% --member=% --role=% --format=none";
      String role = "roles/run.invoker";
      step("Who may call the functions", bind, name, ours.region(), ours.member(DELIVERY), role);
    }
  }

  static String subscriptionOf(String who) {
    return "SUBSCRIPTION_OF_" + who.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  /** In seconds: an event may wait for an instance and then take 60 s; a run takes 540 s. */
  static int leastAckDeadline(String who) {
    return who.equals(ROLLER) ? 600 : 120;
  }

  /** Eventarc makes the subscription with the function, and gives it 10 s. Longer is fine. */
  private void ackDeadline(String who) {
    int least = leastAckDeadline(who);
    String name = ours.named(who);
    String subscription = state.subscription(who);
    int found = state.ackDeadline(who);
    String id = subscription.isEmpty() ? subscriptionOf(who) : subscription;
    if (state.function(who) != null && subscription.isEmpty()) {
      wrong.add(name + ": expected a subscription, found none: no event arrives");
      return;
    }
    if (who.equals(TRIGGERED)) {
      letters(id);
    }
    if (found < least) {
      String now = found == 0 ? "" : found + " s";
      differs(Kind.MISSING, "ack deadline of " + name, now, least + " s");
      String title = "How long the subscriptions wait before they send again";
      step(title, "pubsub subscriptions update % --ack-deadline=" + least, id);
    }
  }

  /**
   * The finest period of a schedule is a minute, so a run makes its own ticks. In the minute of the
   * hour that the job's messages name, RollUp also asks for a sweep: a second job would cost $0.10.
   */
  private void job() {
    String name = ours.named("run");
    String schedule = "* * * * *";
    String attributes = "kind=run,sweep=17";
    String does = Deployment.ASKS + "run";
    JsonObject there = state.jobs().get(name);
    String description = Json.text(there, "description");
    if (there == null) {
      differs("job " + name, "", schedule);
    } else if (!ours.isMarked(description, does)) {
      looks.foreign("the job " + name, "description", description);
      return;
    } else {
      String is = Json.text(there, "state");
      if (!is.equals("ENABLED")) {
        wrong.add(
            """
            %s: expected an ENABLED job, found %s: totals of busy counters stand still; gcloud scheduler jobs \
            resume %1$s --location=%s --project=%s"""
                .formatted(name, is, ours.region(), ours.project()));
      }
      String topic = Json.id(Json.text(there, "pubsubTarget.topicName"));
      String kind = Json.text(there, "pubsubTarget.attributes.kind");
      String minute = Json.text(there, "pubsubTarget.attributes.sweep");
      String found = "kind=" + kind + (minute.isEmpty() ? "" : ",sweep=" + minute);
      boolean changed = differs("job " + name, Json.text(there, "schedule"), schedule);
      changed |= differs("time zone of " + name, Json.text(there, "timeZone"), "Etc/UTC");
      changed |= differs("topic of " + name, topic, ours.get(ROLLUP_TOPIC));
      changed |= differs(Kind.OTHERWISE, "attributes of " + name, found, attributes);
      if (!changed) {
        return;
      }
    }
    String command =
        """
        scheduler jobs create pubsub % --location=% --schedule=% --time-zone=Etc/UTC --topic=% --message-body=run \
        --attributes=% --description=%""";
    if (there != null) {
      command = command.replace("create", "update").replace("--attributes", "--update-attributes");
    }
    String topic = ours.get(ROLLUP_TOPIC);
    String text = ours.mark() + does;
    step("The schedule", command, name, ours.region(), schedule, topic, attributes, text);
  }

  /** Removes the second job, which earlier snapshots had. */
  private void sweepsJob() {
    String name = ours.named("sweep");
    JsonObject there = state.jobs().get(name);
    if (ours.isMarked(Json.text(there, "description"), Deployment.ASKS + "sweep")) {
      differs("job " + name, "one", "");
      String delete = "scheduler jobs delete % --location=%";
      step("The job that only older versions need", delete, name, ours.region());
    }
  }

  /** The log entry of a request is a kilobyte: $120 a month at 100 a second. Errors stay. */
  private void exclusion() {
    String name = ours.exclusion();
    String title = "Entries of requests that went well are not kept";
    JsonObject there = state.exclusions().get(name);
    String description = Json.text(there, "description");
    boolean isOurs = ours.isMarked(description, "");
    Optional<Boolean> excluded = wanted.arguments().excludeRequestLogs();
    if (there != null && !isOurs) {
      if (excluded.isPresent()) {
        looks.foreign("the log exclusion " + name, "description", description);
      }
    } else if (excluded.orElse(isOurs)) {
      String filter = ours.exclusionFilter();
      if (differs("log exclusion " + name, Json.text(there, "filter"), filter)) {
        step(
            title,
            "logging sinks update _Default --%-exclusion=name=%,description=%,filter=%",
            there == null ? "add" : "update",
            name,
            ours.mark() + "drops entries of requests that went well",
            filter);
      }
    } else if (there != null) {
      differs("log exclusion " + name, "one", "");
      step(title, "logging sinks update _Default --remove-exclusions=%", name);
    }
  }

  /** Alerts go to our channel. It is made first, and removed last. */
  private void monitoring() {
    JsonObject channel = state.channel();
    String told = Json.text(channel, "labels.email_address");
    Optional<String> asked = wanted.arguments().alertsTo();
    String email = asked.orElse(told);
    if (asked.isEmpty() && told.isEmpty()) {
      return;
    }
    boolean changes = differs("alerts to", told, email);
    if (changes && !email.isEmpty()) {
      steps.add(wanted.monitoring().writeChannel(channel, email));
    }
    String name = Json.text(channel, "name");
    for (Monitoring.Kind kind : Monitoring.Kind.values()) {
      Map<String, String> names = email.isEmpty() ? Map.of() : wanted.monitoring().names(kind);
      names.forEach((id, one) -> watch(kind, id, one, name));
      Set<String> kept = Set.copyOf(names.values());
      for (Step removal : Monitoring.removal(ours, state, kind, kept)) {
        differs(removal.title().replace("Removed: ", ""), "one", "");
        steps.add(removal);
      }
    }
    if (changes && email.isEmpty()) {
      steps.add(Monitoring.removeChannel(ours, channel));
    }
  }

  private void watch(Monitoring.Kind kind, String id, String name, String channel) {
    JsonObject there = new JsonObject();
    for (JsonObject one : state.watching(kind)) {
      there = kind.name(one).equals(name) ? one : there;
    }
    String what = kind.words + " " + name;
    JsonObject thing = wanted.monitoring().things(kind).getOrDefault(id, there);
    if (there.size() == 0) {
      differs(what, "", "one");
    } else if (!kind.isOurs(there, ours)) {
      looks.foreign(
          "the " + what,
          kind == Monitoring.Kind.METRIC ? "description" : "label",
          kind.mark(there));
      return;
    } else {
      List<String> difference = Monitoring.difference(there, thing, what);
      boolean isTold =
          kind != Monitoring.Kind.POLICY
              || Json.texts(there, "notificationChannels").contains(channel);
      if (!difference.isEmpty()) {
        differs(Kind.OTHERWISE, difference.get(0), difference.get(1), difference.get(2));
      } else if (!isTold) {
        differs("who is told of " + name, "", "the channel of " + ours.name());
      } else {
        return;
      }
    }
    String told = channel.isEmpty() ? Monitoring.CHANNEL : channel;
    steps.add(wanted.monitoring().write(kind, id, there, told));
  }
}
