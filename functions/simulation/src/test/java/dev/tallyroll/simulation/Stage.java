package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.Value;
import com.google.protobuf.Message;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.CounterPages.Group;
import dev.tallyroll.protocol.RollUpTasks;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.runs.Pass;
import dev.tallyroll.runs.PassKind;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.RunStore.Claim;
import dev.tallyroll.runs.RunStore.Place;
import dev.tallyroll.runs.RunStore.Round;
import dev.tallyroll.runs.Runs;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.TickTask;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.simulation.History.LogLine;
import dev.tallyroll.store.FirestoreStore;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A stage for short stories: given these documents, this call fails, that commit is refused; then
 * these documents are there, and these lines in the log. An instance of RollUp plays them with the
 * deployed store, in a {@link World} without other faults.
 */
final class Stage implements StructuredLog {
  /** No story takes longer. */
  private static final Duration LONGEST = Duration.ofHours(1);

  /**
   * A call that has reached the server.
   *
   * @param path of the first document, or of the counter whose shards are summed; of a page, the
   *     document that it begins behind, or the name of the collection
   */
  private record Made(Call call, String path) {}

  final World world;
  final World.Instance instance;
  private final Layout layout;
  private final RunSettings settings;
  private final List<String> log = new ArrayList<>();
  private final List<Made> calls = new ArrayList<>();
  private final Set<Made> failing = new HashSet<>();
  private final Map<Made, Runnable> meanwhile = new HashMap<>();
  private Optional<Made> delaying = Optional.empty();
  private Optional<CommitRequest> delayed = Optional.empty();
  private int largestPage = Integer.MAX_VALUE;
  private FirestoreStore store;
  private Runs.Tasks rollers;

  /** A stage for handlers, or for stores alone. */
  Stage(Timing timing) {
    this(timing, /* documents= */ 1);
  }

  /**
   * @param documents how many a sweep, or a poll, may look at
   */
  Stage(Timing timing, int documents) {
    this(timing, documents, Layout.DEFAULT);
  }

  /** A stage for counters in another place; those in {@link ServerTotals#POLLED} have no events. */
  Stage(Timing timing, int documents, Layout layout) {
    this.layout = layout;
    this.settings =
        new RunSettings(
            RunSettings.look(timing.tick()),
            timing.slack(),
            /* workers= */ 1,
            Duration.ofSeconds(70),
            Duration.ofSeconds(1),
            Duration.ofMinutes(1),
            documents);
    world =
        new World(
            new Faults(/* seed= */ 1, Faults.Level.NONE), timing, settings, () -> Duration.ZERO);
    if (!layout.equals(Layout.DEFAULT) && !layout.equals(ServerTotals.POLLED)) {
      world.totals.checks = false; // it knows no other places
    }
    world.beforeRead = this::arrives;
    world.beforeCommit = this::arrives;
    instance = world.instance();
    store = world.store(instance, layout);
    roll();
  }

  /** From now on, runs know nothing of those before, but what the store remembers. */
  void roll() {
    rollers = RollUpTasks.of(store.counters(), store.runs(), this, instance, settings);
  }

  /** Lets the counters' own documents show their figures. */
  void showFields() {
    world.totals.showsFields = true;
    store = world.store(instance, layout);
    roll();
  }

  /** Shows each commit to {@code sees}, too, before the server carries it out. */
  void beforeCommits(Consumer<CommitRequest> sees) {
    world.beforeCommit = world.beforeCommit.andThen(sees);
  }

  // What is there.

  /** Writes the shards of a counter, without an event. */
  void shards(CounterPath counter, Object... counts) {
    for (int i = 0; i < counts.length; i++) {
      world.put(counter, i, Optional.of(counts[i]));
    }
  }

  /** Deletes the only shard of a counter. */
  void deleteShard(CounterPath counter) {
    world.delete(ServerTotals.shard(counter, 0));
  }

  /** Writes a roll-up of one shard, right or wrong, as of now. */
  void rollup(CounterPath counter, Number total) {
    rollup(counter, total, Optional.empty());
  }

  private void rollup(CounterPath counter, Number total, Optional<Instant> liveUntil) {
    Map<String, Object> fields = new HashMap<>();
    fields.putAll(ServerTotals.mark(ServerTotals.layoutOf(counter), counter));
    fields.put("count", total);
    fields.put("shards", 1L);
    fields.put("as_of", world.server.tick());
    liveUntil.ifPresent(until -> fields.put("live_until", until));
    world.put(pathOfRollup(counter), fields);
  }

  private String pathOfRollup(CounterPath counter) {
    return world.counter(counter).rollup();
  }

  /** Writes a roll-up with a lease, and the counter's entry in the live list. */
  void live(CounterPath counter, Number total, Duration lease) {
    lease(counter, total, lease);
    enter(world.counter(counter));
  }

  /** Writes a roll-up with a lease. */
  void lease(CounterPath counter, Number total, Duration lease) {
    rollup(counter, total, Optional.of(now().plus(lease)));
  }

  /** Enters a counter into the live list. */
  void enter(CounterId counter) {
    enter(counter, now());
  }

  /** The same, at the time of a request that has waited for its commit. */
  void enter(CounterId counter, Instant since) {
    Map<String, Object> fields = new HashMap<>(ServerTotals.mark(layout, counter.path()));
    fields.put("since", since);
    world.put(entry(counter), fields);
  }

  private String entry(CounterId counter) {
    return Functions.of(layout).liveList() + "/" + counter.liveId();
  }

  /** Counters whose roll-ups are right, which sort before the others. */
  void rightOnes(int number) {
    for (int i = 0; i < number; i++) {
      CounterPath counter = CounterPath.of("a%03d".formatted(i));
      shards(counter, 1L);
      rollup(counter, 1L);
    }
  }

  /** A poll has come so far, and left the rest to the next. */
  void pollHasLeft(String after) {
    Place place = new Place(Group.WITH_SHARDS.name(), after, now());
    assertThat(
            get(
                store
                    .runs()
                    .savePlace("poll-0-" + ServerTotals.nameOf(layout), place, Optional.empty())))
        .isTrue();
  }

  /** Another instance has come so far, and says to be at work for a time. */
  void anotherSweeps(Duration forTime, Group group, String after) {
    anotherSweeps(forTime, group, after, /* all= */ false);
  }

  /** The same; it may look at everything. */
  void anotherSweeps(Duration forTime, Group group, String after, boolean all) {
    Claim claim = new Claim("another", now().plus(forTime));
    Optional<Place> place =
        Optional.of(new Place(group.name(), after, now(), new Round(0, 0, all)));
    assertThat(
            get(
                store
                    .runs()
                    .claim("sweep-" + ServerTotals.nameOf(layout), claim, place, Optional.empty())))
        .isPresent();
  }

  /** Puts a document of others into the place of a roll-up. */
  void foreign(CounterPath counter, String mark) {
    world.put(pathOfRollup(counter), Map.of("counter", mark, "count", 77L));
  }

  // What happens.

  Instant now() {
    return world.time.now();
  }

  void pass(Duration duration) {
    world.time.pass(duration);
  }

  <T> T get(CompletableFuture<T> answer) {
    world.time.run(LONGEST, answer::isDone);
    return answer.join();
  }

  /** Lets time pass until it is known whether a call fails. */
  boolean fails(CompletableFuture<?> answer) {
    world.time.run(LONGEST, answer::isDone);
    return answer.isCompletedExceptionally();
  }

  /** The deployed store of another instance. */
  FirestoreStore store() {
    return world.store(world.instance(), layout);
  }

  /** From now on, a call for a document or for a counter's sum fails. */
  void fail(Call call, String path) {
    failing.add(new Made(call, path));
  }

  /** The next writes of roll-ups are aborted, whatever their versions. */
  void abortNextWrites(int number) {
    world.faults.aborts = number;
  }

  void failSums(CounterPath counter) {
    fail(Call.SUM, world.counter(counter).document());
  }

  /** Pages of more documents fail. */
  void failPagesLargerThan(int documents) {
    largestPage = documents;
  }

  /** No call fails any more. */
  void heal() {
    failing.clear();
  }

  /** Lets something happen once, just before a call for a document takes effect. */
  void before(Call call, String path, Runnable happens) {
    meanwhile.put(new Made(call, path), happens);
  }

  /** Lets something happen once, just before the next write of a roll-up takes effect. */
  void beforeWrite(CounterPath counter, Runnable happens) {
    before(Call.WRITE, pathOfRollup(counter), happens);
  }

  /** Others write the roll-up just before its next writes, which are refused for that. */
  void refuse(CounterPath counter, int writes) {
    beforeWrite(
        counter,
        () -> {
          touch(pathOfRollup(counter), writes);
          if (writes > 1) {
            refuse(counter, writes - 1);
          }
        });
  }

  private void touch(String path, int number) {
    Map<String, Object> fields =
        Protos.objects(world.server.document(path).orElseThrow().getFieldsMap());
    fields.put("touched", (long) number);
    world.put(path, fields);
  }

  /** Lets the next write of a roll-up fail: it may take effect later. */
  void delayWrite(CounterPath counter) {
    delaying = Optional.of(new Made(Call.WRITE, pathOfRollup(counter)));
  }

  /** Now it does, if the roll-up is still at its version. */
  void applyDelayedWrite() {
    var unused =
        world.server.commit(
            delayed.orElseThrow(),
            Optional.of(Functions.of(layout)),
            now(),
            /* hidden= */ Duration.ZERO);
  }

  private void arrives(Message request) {
    Made made = made(request);
    calls.add(made);
    Runnable happens = meanwhile.remove(made);
    if (happens != null) {
      happens.run();
    }
    boolean delays = delaying.filter(made::equals).isPresent();
    if (delays) {
      delaying = Optional.empty();
      delayed = Optional.of((CommitRequest) request);
    }
    if (delays || failing.contains(made) || limit(request) > largestPage) {
      throw SimulatedServer.failure(Status.Code.UNAVAILABLE, "simulated");
    }
  }

  private static int limit(Message request) {
    return request instanceof RunQueryRequest query && Call.of(query) == Call.PAGE
        ? query.getStructuredQuery().getLimit().getValue()
        : 0;
  }

  private static Made made(Message request) {
    if (request instanceof CommitRequest commit) {
      return new Made(Call.of(commit), SimulatedServer.path(commit.getWrites(0)));
    } else if (request instanceof BatchGetDocumentsRequest get) {
      return new Made(Call.of(get), SimulatedServer.relative(get.getDocuments(0)));
    } else if (request instanceof RunQueryRequest query) {
      StructuredQuery of = query.getStructuredQuery();
      return new Made(
          Call.of(query),
          of.getStartAt().getValuesList().stream().anyMatch(Value::hasReferenceValue)
              ? SimulatedServer.relative(of.getStartAt().getValues(0).getReferenceValue())
              : of.getFrom(0).getCollectionId());
    } else {
      String parent = ((RunAggregationQueryRequest) request).getParent();
      return new Made(Call.SUM, SimulatedServer.relative(parent));
    }
  }

  /** Sweeps a part, or all. */
  Pass.End sweep(PassKind extent) {
    return get(beginSweep(extent));
  }

  CompletableFuture<Pass.End> beginSweep(PassKind extent) {
    return new Sweep(store.counters(), store.runs(), this, instance, settings).run(extent);
  }

  /** The roller of a new run. */
  TickTask roller() {
    return rollers.of(0, /* isScheduled= */ true);
  }

  /** Lets a roller do the work of a tick. */
  void tick(TickTask roller) {
    roller.begin();
    get(roller.worked());
  }

  void tick(TickTask roller, int times) {
    for (int i = 0; i < times; i++) {
      tick(roller);
    }
  }

  // What came of it.

  /** The total that is shown; empty without a roll-up. */
  Optional<Number> total(CounterPath counter) {
    return world.totals.rollup(counter).map(Rollup::total).map(Total::number);
  }

  /** Whether a roll-up has a lease. */
  boolean isLive(CounterPath counter) {
    return world.totals.isLive(counter);
  }

  boolean isListed(CounterId counter) {
    return world.server.document(entry(counter)).isPresent();
  }

  /** A field of a document; empty without it. */
  Optional<Object> field(String path, String name) {
    return world
        .server
        .document(path)
        .map(document -> document.getFieldsMap().get(name))
        .map(Protos::object);
  }

  boolean hasRunDocument(String job) {
    return world.server.document(runDocument(job)).isPresent();
  }

  private String runDocument(String job) {
    return Layout.runDocument(
        Functions.of(layout).deployment(), job + "-" + ServerTotals.nameOf(layout));
  }

  /** Where a pass goes on, by its run document: a group, and what is behind it. */
  String place(String job) {
    String document = runDocument(job);
    return field(document, "group").map(group -> group + " ").orElse("")
        + field(document, "after").orElse("");
  }

  @Override
  public void write(Severity severity, String message, Map<String, ?> fields) {
    world.history.note(() -> "log: " + severity + " " + message + " " + fields);
    log.add(severity + " " + message + " " + fields);
  }

  /** The lines of the log. */
  List<String> log() {
    return List.copyOf(log);
  }

  /** The errors and warnings of handlers and stores. */
  List<String> warnings() {
    return world.history.warnings.stream().map(LogLine::toString).toList();
  }

  /** The functions' calls of Firestore in a step; a kind that is not made is not there. */
  Map<Call, Integer> costs(Runnable step) {
    Map<Call, Integer> cost = calls();
    cost.replaceAll((call, before) -> -before);
    step.run();
    calls().forEach((call, after) -> cost.merge(call, after, Integer::sum));
    cost.values().removeIf(number -> number == 0);
    return cost;
  }

  private Map<Call, Integer> calls() {
    Map<Call, Integer> calls = new EnumMap<>(Call.class);
    for (Call call : Call.values()) {
      calls.put(call, world.calls.of(call));
    }
    return calls;
  }

  /** How many calls of these kinds the server got. */
  int calls(Call... kinds) {
    return (int) calls.stream().filter(made -> List.of(kinds).contains(made.call)).count();
  }

  /** How many of them were for this document. */
  int calls(Call kind, String path) {
    return (int) calls.stream().filter(new Made(kind, path)::equals).count();
  }

  int sums(CounterPath counter) {
    return calls(Call.SUM, world.counter(counter).document());
  }

  int reads(CounterPath counter) {
    return calls(Call.READ, pathOfRollup(counter));
  }

  int writes(CounterPath counter) {
    return calls(Call.WRITE, pathOfRollup(counter));
  }
}
