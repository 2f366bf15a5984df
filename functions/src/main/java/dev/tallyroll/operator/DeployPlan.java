package dev.tallyroll.operator;

import com.google.api.gax.rpc.StatusCode;
import com.google.gson.JsonObject;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.operator.Documents.Lying;
import dev.tallyroll.operator.Documents.Numbers;
import dev.tallyroll.operator.Documents.Size;
import dev.tallyroll.operator.FieldIndexes.Field;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.settings.Meeting;
import dev.tallyroll.settings.OperatorSettings;
import dev.tallyroll.settings.Settings;
import dev.tallyroll.settings.TotalsFile;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What deploy will do, by what gcloud and the database say is there. {@link #check} refuses what is
 * in the way, all of it together; {@link #remarks} is for people; {@link #lines} for bash. Used by
 * one thread.
 */
final class DeployPlan {
  /** The fields of roll-ups that only rise, or by which nobody searches. */
  private static final List<String> UNINDEXED =
      List.of(RollupFields.AS_OF, RollupFields.LIVE_UNTIL, RollupFields.COUNTER);

  /** When a name of an exactly-once increment may go. */
  private static final String EXPIRE_AT = "expire_at";

  private static final String UNSEEN = "go on without having looked";

  /** Changes of what security rules speak of. */
  private static final String OF_RULES =
      "> ([a-z][a-z0-9-]*\\.(of|sum|into|rollups|rules)|FOLD_DOCUMENTS|FOLD_FIELDS)=.*";

  private static final Set<String> NATIVE = Set.of("", "FIRESTORE_NATIVE");
  private static final Set<String> STANDARD = Set.of("", "STANDARD");

  private final OperatorSettings settings;
  private final List<Entry> entries;
  private final ResourceNames names;
  private final Answers answers;
  private final Optional<Documents> documents;
  private final Prices prices;
  private final String settingsFile;

  private final List<DeployedFunction> functions;
  private final FieldIndexes indexes;
  private final Neighbours neighbours;
  private final Triggers triggers;
  private final List<String> refusals = new ArrayList<>();
  private final List<String> remarks = new ArrayList<>();
  private final Set<String> questions = new LinkedHashSet<>();
  private final Set<String> changes = new LinkedHashSet<>();

  /** The entries of the deployed functions, which are the same in both unless a step has failed. */
  private final Set<Entry> before = new LinkedHashSet<>();

  private final Set<Field> missing = new LinkedHashSet<>();

  /** Over several fields, which sums need. */
  private final Set<CompositeIndex> composite = new LinkedHashSet<>();

  private final Set<String> unexempt = new LinkedHashSet<>();

  /** Fields that get their index again, with gcloud's flag for that. */
  private final Map<Field, String> indexAgain = new LinkedHashMap<>();

  /**
   * @param documents empty if nobody is signed in: then the plan is that of an empty project
   * @param settingsFile as it was given, for commands that are printed
   */
  DeployPlan(
      OperatorSettings settings,
      Answers answers,
      Optional<Documents> documents,
      Prices prices,
      String settingsFile) {
    this.settings = settings;
    this.entries = settings.entries();
    this.names = new ResourceNames(settings);
    this.answers = answers;
    this.documents = documents;
    this.prices = prices;
    this.settingsFile = settingsFile;
    this.functions = DeployedFunction.of(answers.list("functions"));
    this.indexes = new FieldIndexes(answers.list("fields"), answers.list("ttls"));
    this.neighbours = new Neighbours(settings, functions);
    this.triggers = Triggers.of(settings, functions, answers.list("triggers"));
  }

  /**
   * Looks at all that may be in the way.
   *
   * @throws IllegalArgumentException if something is; the message has a line or more for each
   */
  void check() throws ExecutionException, InterruptedException {
    checkDatabase();
    checkOwners();
    neighbours.check(refusals::add);
    checkChanges();
    checkIndexes();
    if (documents.isPresent() && refusals.isEmpty()) {
      checkDocuments(documents.get());
    }
    if (!refusals.isEmpty()) {
      throw new IllegalArgumentException(String.join("\n", refusals));
    }
  }

  /** Refuses a database that is missing, and makes none: its location could never be changed. */
  private void checkDatabase() {
    JsonObject database = answers.one("database");
    if (documents.isPresent() && Answers.text(database, "locationId").isEmpty()) {
      refusals.add(
          "FIRESTORE_DATABASE: expected a database; found none. Its location cannot be changed:\n"
              + "  gcloud firestore databases create --database='%s' --location=%s --project=%s"
                  .formatted(settings.database(), settings.region(), settings.project()));
    }
    String type = Answers.text(database, "type");
    String edition = Answers.text(database, "databaseEdition");
    if (!NATIVE.contains(type) || !STANDARD.contains(edition)) {
      refusals.add(
          "FIRESTORE_DATABASE: expected native mode and the Standard edition; found %s, %s"
              .formatted(type, edition));
    }
  }

  /** A resource with one of our names must carry our mark. */
  private void checkOwners() {
    functions.stream()
        .filter(function -> function.region().equals(settings.region()))
        .filter(function -> names.functions().contains(function.name()))
        .forEach(function -> checkOwner("function", function.name(), function.deployment()));
    answers.list("topics").stream()
        .filter(topic -> Answers.id(topic).equals(settings.topic()))
        .forEach(
            topic ->
                checkOwner("topic", settings.topic(), Answers.text(topic, "labels", "tallyroll")));
    answers.list("jobs").stream()
        .filter(job -> Answers.id(job).equals(names.job()))
        .forEach(job -> checkDescription("job", names.job(), job));
    answers.list("triggers").stream()
        .filter(trigger -> triggers.wanted().containsKey(Answers.id(trigger)))
        .forEach(
            trigger ->
                checkOwner(
                    "trigger", Answers.id(trigger), Answers.text(trigger, "labels", "tallyroll")));
    answers.list("accounts").stream()
        .filter(account -> names.accounts().contains(Answers.text(account, "email")))
        .forEach(
            account ->
                checkDescription("service account", Answers.text(account, "email"), account));
  }

  private void checkDescription(String kind, String name, JsonObject resource) {
    String description = Answers.text(resource, "description");
    checkOwner(kind, name, description.startsWith(names.mark()) ? settings.name() : description);
  }

  private void checkOwner(String kind, String name, String owner) {
    if (!owner.equals(settings.name())) {
      refusals.add(
          "NAME: expected the mark of the deployment %s on the %s %s; found '%s'. It is somebody else's: take another NAME"
              .formatted(settings.name(), kind, name, owner));
    }
  }

  /**
   * Refuses changes of what the deployed totals sum, and a change from or to FOLD: the functions
   * would not know the old totals as theirs.
   */
  private void checkChanges() {
    List<DeployedFunction> deployed = names.deployed(functions);
    boolean wasFolding =
        deployed.stream()
            .anyMatch(function -> OperatorSettings.isFolding(function.environment()::get));
    if (!deployed.isEmpty() && wasFolding != settings.fold().isPresent()) {
      refusals.add(
          "FOLD: expected it as deployed; found another. Take another NAME: a deployment with FOLD may"
              + " run beside one without");
      return;
    }
    for (DeployedFunction function : deployed) {
      changes.addAll(function.changes(settings.environment()));
      if (settings.fold().isEmpty()) {
        addBefore(function);
      }
    }
    if (changes.stream().anyMatch(change -> change.startsWith("> FIRESTORE_DATABASE="))) {
      refusals.add(
          "FIRESTORE_DATABASE: expected it as deployed; found another. destroy, and then deploy, or take"
              + " another NAME:\n"
              + String.join("\n", changes));
    }
    for (Entry ours : entries) {
      before.stream()
          .filter(old -> Meeting.mayShareRollups(old, ours) && !isOfTheSame(old, ours))
          .findFirst()
          .ifPresent(old -> refuseOther(ours, old.totalOf()));
    }
  }

  private static boolean isOfTheSame(Entry one, Entry other) {
    return one.totalOf().equals(other.totalOf());
  }

  private void addBefore(DeployedFunction function) {
    String text = function.environment().getOrDefault(Settings.TOTALS.name(), "");
    try {
      before.addAll(TotalsFile.parse(text.isEmpty() ? TotalsFile.DEFAULT : text).entries());
    } catch (IllegalArgumentException unreadable) {
      refusals.add(
          "TOTALS: expected a text in %s that this version can read; found: %s. destroy, and then deploy"
              .formatted(function.name(), unreadable.getMessage()));
    }
  }

  /** The same totals as they were deployed, under whatever name. */
  private Stream<Entry> before(Entry ours) {
    return before.stream()
        .filter(old -> isOfTheSame(old, ours))
        .filter(old -> old.layout().rollups().equals(ours.layout().rollups()));
  }

  /**
   * Whether a field has been another total's until now: an old instance may write it until the
   * platform has ended it.
   */
  private boolean haveFieldsChangedHands() {
    return entries.stream()
        .anyMatch(
            ours ->
                before.stream()
                    .filter(old -> !isOfTheSame(old, ours))
                    .anyMatch(old -> !Meeting.fields(ours, old).isEmpty()));
  }

  /** A fold has no totals and no sums, so it needs none. */
  private void checkIndexes() {
    exempted(entries).forEach(this::checkExemption);
    Set<Field> read = new LinkedHashSet<>();
    for (Entry entry : entries) {
      // Documents are counted without an index.
      Optional<Field> counted = counted(entry);
      if (counted.isPresent() && read.add(counted.get())) {
        if (entry.isIndexed()) {
          checkSummed(entry, counted.get());
        } else {
          checkExemption(counted.get());
        }
      }
    }
    List<JsonObject> there = answers.list("indexes");
    entries.stream()
        .flatMap(entry -> CompositeIndex.of(entry).stream())
        .filter(needed -> there.stream().noneMatch(needed::is))
        .forEach(composite::add);
    unindexed(before)
        .filter(field -> !read.contains(field) && !neighbours.reads(field))
        .forEach(field -> unexempt.add(field.word()));
  }

  /** The fields that have no index, of roll-ups and of names of increments; none with FOLD. */
  static List<Field> exempted(List<Entry> entries) {
    Set<Field> exempted = new LinkedHashSet<>();
    for (Entry entry : entries) {
      UNINDEXED.forEach(field -> exempted.add(new Field(entry.layout().rollups(), field)));
    }
    if (hasNames(entries)) {
      exempted.add(expiring());
    }
    return List.copyOf(exempted);
  }

  /** Whether clients may increment shards by names, which are kept for a time. */
  static boolean hasNames(List<Entry> entries) {
    return entries.stream().anyMatch(Entry::looksLikeShardedCounter);
  }

  /** The field with a TTL policy. */
  static Field expiring() {
    return new Field(Layout.INCREMENT_NAMES, EXPIRE_AT);
  }

  /** The field of shards that is summed; empty if documents are counted. */
  static Optional<Field> counted(Entry entry) {
    return entry
        .layout()
        .counted()
        .map(field -> new Field(entry.layout().shards(), field.toString()));
  }

  /** The summed fields that these entries read without an index. */
  static Stream<Field> unindexed(Collection<Entry> entries) {
    return entries.stream()
        .filter(entry -> !entry.isIndexed())
        .flatMap(entry -> counted(entry).stream());
  }

  private void checkExemption(Field field) {
    int own = indexes.own(field).orElse(0);
    if (own > 0) {
      refusals.add(
          "%s: expected no index settings of others; found %d indexes. Name another collection, or clear them:\n  %s"
              .formatted(field, own, update(field, "--clear-exemption")));
    } else if (!indexes.isExempt(field)) {
      missing.add(field);
    }
  }

  private void checkSummed(Entry entry, Field counted) {
    Optional<Field> exemption = indexes.exemption(counted);
    if (exemption.isEmpty()) {
      return;
    }
    String flag = indexes.again(counted);
    indexAgain.put(counted, flag);
    boolean isOurs = unindexed(before).anyMatch(exemption.get()::equals);
    if (!exemption.get().equals(counted) || !isOurs) {
      refusals.add(
          ("%s.index: expected an index on %s, which sums read; found an exemption of %s, of a"
                  + " deployment that is gone or of somebody else. Take \"index\": false, name another"
                  + " collection, or give it the index:\n  %s")
              .formatted(entry, counted, exemption.get(), update(counted, flag)));
    }
  }

  private String update(Field field, String flag) {
    return "gcloud firestore indexes fields update %s --collection-group=%s --database=%s %s --project=%s"
        .formatted(
            field.path(),
            field.collection(),
            Shell.quoted(settings.database()),
            flag,
            settings.project());
  }

  private void checkDocuments(Documents database) throws ExecutionException, InterruptedException {
    if (settings.fold().isPresent()) {
      asked(() -> database.shardedCounter(settings.fold().get().layout()))
          .flatMap(found -> found)
          .ifPresent(
              document ->
                  refusals.add(
                      "FOLD_DOCUMENTS: expected no shards of sharded counters, which a fold would"
                          + " delete; found '%s', which has num_shards, with numbered shards below it"
                              .formatted(document)));
      return;
    }
    for (Entry ours : entries) {
      asked(() -> database.otherTotal(ours.layout()))
          .flatMap(found -> found)
          .ifPresent(text -> refuseOther(ours, text));
    }
    Set<String> summed =
        entries.stream()
            .map(ours -> ours.layout().shards())
            .collect(Collectors.toUnmodifiableSet());
    Set<String> collections =
        missing.stream()
            .map(Field::collection)
            .filter(name -> !summed.contains(name))
            .collect(Collectors.toCollection(LinkedHashSet::new));
    for (String collection : collections) {
      asked(() -> database.foreign(entries, collection))
          .flatMap(found -> found)
          .ifPresent(
              path ->
                  refusals.add(
                      ("%s: expected only documents of counters in collections of this name, which get"
                              + " index settings; found '%s'. Name another collection")
                          .formatted(keyOf(collection), path)));
    }
  }

  /** The key of the file that names a collection; of other collections, their own name. */
  private String keyOf(String collection) {
    return entries.stream()
        .filter(entry -> entry.layout().rollups().equals(collection))
        .map(entry -> entry + ".rollups")
        .findFirst()
        .orElse(collection);
  }

  /**
   * Refuses an entry where roll-ups of another sum are: the functions leave such roll-ups alone.
   */
  private void refuseOther(Entry ours, String other) {
    refusals.add(
        ("%s.rollups: expected no totals of others where these go, which are the '%s'; found one in"
                + " %s that is the '%s'. What totals are of cannot change: take another name for the"
                + " entry, or other \"rollups\", or set \"of\" and \"sum\" back. Or remove the old"
                + " totals, ten minutes after no function keeps them any more:\n"
                + "  deploy/gcloud/remove-totals %s %s --settings %s --project %s --region %s")
            .formatted(
                ours,
                ours.totalOf(),
                ours.layout().rollups(),
                other,
                Shell.quoted(other),
                Shell.quoted(ours.layout().rollups()),
                Shell.quoted(settingsFile),
                settings.project(),
                settings.region()));
  }

  /** What people are told before anything is changed. */
  List<String> remarks() throws ExecutionException, InterruptedException {
    if (settings.fold().isPresent() && documents.isPresent()) {
      remarkShards(documents.get());
    }
    for (Entry ours : entries) {
      remark(ours);
    }
    remarkChanges();
    remarkTriggers();
    remarkIndexes();
    remarkEnd();
    return remarks;
  }

  /** What becomes of an entry, what the pass at the end reads for it, and what it costs. */
  private void remark(Entry ours) throws ExecutionException, InterruptedException {
    List<Entry> old = before(ours).toList();
    String state =
        old.isEmpty() ? "new" : old.stream().allMatch(ours::equals) ? "as deployed" : "changed";
    Optional<Size> size = documents.flatMap(database -> size(database, ours.layout()));
    remarks.add("%s (%s): %s".formatted(ours, state, CheckTotals.words(ours)));
    remarks.add("  " + new EntryCosts(ours, size, prices, settings.platform()).words());
    if (documents.isPresent()) {
      remarkNumbers(documents.get(), ours, old);
    }
  }

  private void remarkShards(Documents database) throws ExecutionException, InterruptedException {
    var layout = settings.fold().orElseThrow().layout();
    asked(() -> database.lying(layout.shards(), layout::holds))
        .filter(found -> !found.patterns().isEmpty())
        .ifPresent(this::remarkShards);
  }

  private void remarkShards(Lying found) {
    remarks.add(
        "FOLD_DOCUMENTS does not name the documents above these shards, which will not be folded:");
    found
        .patterns()
        .forEach(
            (pattern, shards) ->
                remarks.add("  %s   %d of %d shards".formatted(pattern, shards, found.looked())));
  }

  /** The functions write their fields over a number, or where there is nothing. */
  private void remarkNumbers(Documents database, Entry ours, List<Entry> old)
      throws ExecutionException, InterruptedException {
    for (Map.Entry<Figure, FieldName> shown : ours.fields().entrySet()) {
      Figure figure = shown.getKey();
      FieldName field = shown.getValue();
      if (old.isEmpty() || old.stream().anyMatch(one -> !field.equals(one.fields().get(figure)))) {
        Optional<Numbers> found = asked(() -> database.numbers(ours, figure, field));
        found.ifPresent(numbers -> remarkNumbers(numbers, field, ours, figure));
        if (found.filter(numbers -> !numbers.numbers().isEmpty()).isPresent()) {
          questions.add("replace these numbers");
        }
      }
    }
  }

  private void remarkNumbers(Numbers found, FieldName field, Entry ours, Figure figure) {
    if (found.others() > 0) {
      remarks.add(
          "%d of %d documents of counters hold something else than a number in %s: the functions leave it; their totals are in their roll-ups only."
              .formatted(found.others(), found.looked(), field));
    }
    if (found.numbers().isEmpty()) {
      return;
    }
    remarks.add(
        "%d of %d documents of counters hold a number of the app's own in %s, which the functions replace by theirs:"
            .formatted(found.numbers().size(), found.looked(), field));
    found.numbers().entrySet().stream()
        .limit(5)
        .forEach(number -> remarks.add("  " + number.getKey() + ": " + number.getValue()));
    remarks.add(
        (figure == Figure.SUM && ours.looksLikeShardedCounter()
                ? "To keep these numbers, start the counters from them first, by startAll (\"A number to"
                    + " start from\" in deploy/clients/README.md), or set %s to another field."
                    + " Counters that were started from them have them in their totals."
                : "To keep these numbers, set %s to another field.")
            .formatted(key(ours, figure)));
  }

  /** Such as likes.into.count. */
  private static String key(Entry of, Figure figure) {
    return of + ".into." + figure.name().toLowerCase(Locale.ROOT);
  }

  private void remarkChanges() {
    if (changes.isEmpty()) {
      return;
    }
    remarks.add("Settings of the functions that change, < deployed > new:");
    remarks.addAll(changes);
    before.forEach(this::remarkLeft);
    if (changes.stream().anyMatch(change -> change.matches(OF_RULES))) {
      remarks.add(
          "Security rules depend on these settings: print them by deploy/gcloud/rules, and publish them.");
    }
    questions.add("change these settings");
  }

  /** What nobody writes any more. */
  private void remarkLeft(Entry old) {
    boolean isGone = entries.stream().noneMatch(ours -> before(ours).anyMatch(old::equals));
    Set<FieldName> written =
        entries.stream()
            .filter(ours -> ours.layout().document().equals(old.layout().document()))
            .flatMap(ours -> ours.fields().values().stream())
            .collect(Collectors.toSet());
    old.fields().values().stream()
        .filter(field -> !written.contains(field))
        .sorted(Comparator.comparing(FieldName::toString))
        .forEach(
            field ->
                remarks.add(
                    "%s.into: %s of %s keeps its last values, since nobody writes it any more."
                        .formatted(old, field, old.layout().document())));
    if (isGone) {
      remarks.add(
          "%s: the totals in %s stay there, and stand still. Its index exemptions stay. deploy/gcloud/remove-totals removes such totals."
              .formatted(old, old.layout().rollups()));
    }
  }

  private void remarkTriggers() {
    if (!triggers.isUsed() && !triggers.own().isEmpty()) {
      remarks.add(
          "The trigger that OnShardWritten was made with watches %s, which no entry counts any more. It cannot be changed: its events are dropped, at %s a million. destroy, and then deploy, ends that."
              .formatted(
                  triggers.own(),
                  EntryCosts.dollars(1_000 * prices.droppedEvents(settings.platform()))));
    }
    if (haveFieldsChangedHands()) {
      remarks.add(
          "A field is another entry's now. The pass at the end begins after ten minutes, when no old instance writes the field any more.");
    }
  }

  private void remarkIndexes() {
    if (!composite.isEmpty()) {
      remarks.add(
          "Sums need these indexes, which deploy makes before the functions: some minutes, for millions of documents hours. Add them to your firestore.indexes.json, too: the Firebase CLI, with --force, deletes those that its file lacks:");
      composite.forEach(index -> remarks.add("  " + index.json()));
    }
  }

  private static Optional<Size> size(Documents database, Layout layout) {
    try {
      return Optional.of(database.size(layout));
    } catch (ExecutionException unanswered) {
      return Optional.empty(); // a count may take longer than Firestore allows
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  /** Asks the database, unless this account may not: then people are told, and asked. */
  private <T> Optional<T> asked(Question<T> question)
      throws ExecutionException, InterruptedException {
    try {
      return Optional.of(question.ask());
    } catch (ExecutionException failure) {
      if (Failures.code(failure.getCause()) != StatusCode.Code.PERMISSION_DENIED) {
        throw failure;
      }
      if (!questions.contains(UNSEEN)) {
        remarks.add(
            "This account may not read the database (roles/datastore.user), so nothing there was looked at.");
        questions.add(UNSEEN);
      }
      return Optional.empty();
    }
  }

  /** One of the database. */
  @FunctionalInterface
  private interface Question<T> {
    T ask() throws ExecutionException, InterruptedException;
  }

  private void remarkEnd() {
    int patterns = settings.patterns().size();
    remarks.add(
        "In the end there are the functions %s, %sthe topic %s, the job %s and %d accounts%s."
            .formatted(
                String.join(" and ", names.functions()),
                patterns > 1 ? "a trigger for each of %d patterns, ".formatted(patterns) : "",
                settings.topic(),
                names.job(),
                names.parts(settings.hasTrigger()).count(),
                entries.isEmpty()
                    ? ""
                    : ", and no index on %s of %s%s"
                        .formatted(
                            String.join(", ", UNINDEXED),
                            entries.stream()
                                .map(entry -> entry.layout().rollups())
                                .distinct()
                                .collect(Collectors.joining(", ")),
                            hasNames(entries) ? ", nor on " + expiring() : "")));
    remarks.add(
        String.format(
            Locale.ROOT,
            "%s $%.2f a month, and the hourly sweeps; deploy/local/bill says what writes cost.",
            settings.worksWithoutPause()
                ? "RollUp works without pause, which costs"
                : "At rest they cost about",
            settings.worksWithoutPause() ? prices.instance(settings.platform()) : Prices.AT_REST));
    remarks.add(
        "This undoes it: deploy/gcloud/destroy --settings %s --project %s --region %s"
            .formatted(Shell.quoted(settingsFile), settings.project(), settings.region()));
  }

  /** The plan, as bash reads it. */
  List<String> lines() {
    Roles roles = Roles.of(answers.one("policy"));
    boolean trigger = settings.hasTrigger();
    Set<String> accounts =
        answers.list("accounts").stream()
            .map(account -> Answers.text(account, "email"))
            .collect(Collectors.toSet());
    List<String> lines = new ArrayList<>();
    lines.add(
        Shell.variable(
            "question",
            questions.isEmpty() ? "" : "Type yes to " + String.join(", and to ", questions) + ":"));
    lines.add(Shell.variable("location", Answers.text(answers.one("database"), "locationId")));
    lines.add(Shell.variable("number", Answers.text(answers.one("project"), "projectNumber")));
    lines.add(
        Shell.words(
            "new_accounts",
            names.parts(trigger).filter(part -> !accounts.contains(names.account(part))).toList()));
    lines.add(Shell.lines("stale_roles", stale(roles, trigger)));
    lines.add(
        Shell.variable(
            "new_topic",
            answers.list("topics").stream().map(Answers::id).anyMatch(settings.topic()::equals)
                ? ""
                : "yes"));
    lines.add(
        Shell.variable(
            "new_job",
            answers.list("jobs").stream().map(Answers::id).anyMatch(names.job()::equals)
                ? ""
                : "yes"));
    lines.add(
        Shell.lines(
            "index_again",
            indexAgain.entrySet().stream()
                .map(field -> field.getKey().word() + "|" + field.getValue())
                .toList()));
    lines.add(Shell.lines("new_indexes", composite.stream().map(CompositeIndex::word).toList()));
    lines.add(Shell.variable("own_pattern", triggers.own()));
    lines.add(Shell.words("triggers_go", triggers.going()));
    lines.add(Shell.lines("new_triggers", triggers.missing().toList()));
    lines.add(Shell.words("triggers", triggers.wanted().keySet()));
    lines.add(Shell.variable("wait_for_old", haveFieldsChangedHands() ? "yes" : ""));
    lines.add(Shell.words("unexempt", unexempt));
    lines.add(Shell.words("exempt", missing.stream().map(Field::word).toList()));
    lines.add(
        Shell.variable(
            "new_ttl",
            hasNames(entries) && !indexes.isExpiring(expiring()) ? expiring().word() : ""));
    lines.add(
        Shell.variable(
            "handler_goes",
            !trigger
                    && names.deployed(functions).stream()
                        .anyMatch(function -> function.name().equals(names.handler()))
                ? "yes"
                : ""));
    lines.addAll(
        Leaving.of(names, trigger ? List.of() : List.of("on-shard-written"), accounts, roles));
    lines.add(
        Shell.variable(
            "publisher_goes",
            !trigger
                    && Roles.of(answers.one("topic-policy"))
                        .has(names.account("on-shard-written"), "pubsub.publisher")
                ? "yes"
                : ""));
    lines.add(
        Shell.variable(
            "new_exclusion",
            Answers.objects(answers.one("sink"), "exclusions").stream()
                    .anyMatch(
                        exclusion -> Answers.text(exclusion, "name").equals(names.exclusion()))
                ? ""
                : "yes"));
    return lines;
  }

  /** An account that was here before may have the role for another database, or for all. */
  private List<String> stale(Roles roles, boolean trigger) {
    return names
        .parts(trigger)
        .filter(part -> !part.equals("build") && !part.equals("delivery"))
        .flatMap(
            part ->
                names.otherDatabases(roles, part).stream()
                    // status names what somebody else made
                    .filter(role -> role.title().equals(settings.name()) || role.title().isEmpty())
                    .map(role -> part + "|" + role.condition()))
        .toList();
  }
}
