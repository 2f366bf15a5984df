package dev.tallyroll.simulation;

import com.google.cloud.firestore.Firestore;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.Write;
import com.google.protobuf.Message;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.platform.Role;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.protocol.ShardWrite;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.protocol.Sweep;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Pass;
import dev.tallyroll.runs.PassKind;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.runs.WakeUps;
import dev.tallyroll.simulation.Faults.Branch;
import dev.tallyroll.simulation.Faults.Kind;
import dev.tallyroll.store.FirestoreStore;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The world in which simulated functions and their clients run, all in one thread: time, Firestore,
 * instances, faults, and the history, which checks each written roll-up.
 */
final class World {
  private static final Duration LONGEST_SWEEP = Duration.ofHours(26);
  private static final Duration LONGEST_POLL = Duration.ofMinutes(8);

  final VirtualTime time = new VirtualTime();
  final SimulatedServer server = new SimulatedServer(time);
  final ServerTotals totals = new ServerTotals(time, server);
  final AppDocuments appDocuments = new AppDocuments(time, server);
  final History history = new History(time, totals, appDocuments);
  final Faults faults;
  final Timing timing;
  final RunSettings settings;

  /** The calls of all instances; those of the library's users are not among them. */
  final Call.Counts calls = new Call.Counts();

  /** The reads that they are billed for. */
  final Call.Counts billed = new Call.Counts();

  /** The number of calls without an answer yet, those of crashed callers included. */
  int underWay;

  /**
   * A test sets this: gets each commit of functions just before it takes effect, and may refuse it.
   */
  Consumer<CommitRequest> beforeCommit = request -> {};

  /** The same of each read, query and sum of functions. */
  Consumer<Message> beforeRead = request -> {};

  /** Gets each commit of functions that the server has refused. */
  Consumer<CommitRequest> afterRefusal = request -> {};

  /** The instance whose step is taken; empty for all others. */
  Optional<Instance> current = Optional.empty();

  /** The fields of counters' own documents that functions with a layout show figures in. */
  Function<Layout, Map<Figure, FieldName>> fields;

  /** The layouts of the counters whose writes make no events. */
  final Set<Layout> withoutEvents = new HashSet<>(Set.of(ServerTotals.POLLED));

  private final Map<Functions, Firestore> clients = new HashMap<>();
  private final Supplier<Duration> clockErrors;
  private int names;

  /**
   * @param clockErrors draws the error of an instance's clock
   */
  World(Faults faults, Timing timing, RunSettings settings, Supplier<Duration> clockErrors) {
    this.faults = faults;
    this.settings = settings;
    this.timing = timing;
    this.clockErrors = clockErrors;
    fields =
        layout ->
            totals.showsFields && ServerTotals.LAYOUTS.contains(layout)
                ? AppDocuments.FIELDS
                : Map.of();
    totals.onRollup(history::rollupChanged);
    totals.branches = faults.branches;
    afterRefusal = request -> faults.branches.add(Branch.REFUSED);
    totals.onShards(history::shardsChanged);
    server.observe(
        commit -> {
          if (totals.showsFields) {
            appDocuments.committed(commit);
          }
        });
  }

  /** A world in which only a script causes faults. */
  static World scripted(Timing timing) {
    return new World(
        new Faults(/* seed= */ 1, Faults.Level.NONE),
        timing,
        settings(timing, 1),
        () -> Duration.ZERO);
  }

  /** The default settings, except these. A sweep stops after its second page. */
  static RunSettings settings(Timing timing, int workers) {
    return settings(timing, workers, /* sweepCounters= */ 200);
  }

  static RunSettings settings(Timing timing, int workers, int sweepCounters) {
    Duration look = RunSettings.look(timing.tick());
    return new RunSettings(
        look,
        timing.slack(),
        workers,
        Duration.ofSeconds(70),
        look,
        Duration.ofMillis(30),
        sweepCounters);
  }

  /** The timing of counters that are polled. */
  Timing polling(Duration poll) {
    return polling(timing, poll);
  }

  /** The same, of another timing. */
  Timing polling(Timing timing, Duration poll) {
    Timing polled =
        new Timing(
            poll,
            timing.lease(),
            timing.slack(),
            timing.burst(),
            timing.hold(),
            timing.precision());
    // One that says its own period is never large.
    return poll.equals(Duration.ofSeconds(1)) ? polled.withMost(timing.most()) : polled;
  }

  /** The settings of functions whose shortest period this is. */
  RunSettings settings(Duration shortest) {
    Duration look = RunSettings.look(shortest);
    return new RunSettings(
        look,
        settings.slack(),
        settings.workers(),
        settings.run(),
        look,
        shortest.equals(timing.tick()) ? settings.sweep() : LONGEST_POLL,
        settings.sweepCounters());
  }

  /** A counter of the entry that this world's functions have for it. */
  CounterId counter(CounterPath counter) {
    return entry(ServerTotals.layoutOf(counter)).counter(counter);
  }

  /** The write of a counter's first shard, as its event tells. */
  ShardWrite event(CounterPath counter, Instant committed) {
    return new ShardWrite(counter(counter), "0", Optional.of(committed), Optional.empty());
  }

  /** The entry of a layout, as this world's functions have it now. */
  Entry entry(Layout layout) {
    return ServerTotals.entry(
        layout, fields.apply(layout), !withoutEvents.contains(layout), timing);
  }

  /** A function instance: an event loop with its own clock, which may be wrong. It can crash. */
  final class Instance implements EventLoop {
    private final Duration clockError;

    /** The calls that its steps have made. */
    final Call.Counts calls = new Call.Counts();

    private boolean crashed;

    private Instance(Duration clockError) {
      this.clockError = clockError;
    }

    /** Ends the instance and all its work. */
    void crash() {
      crashed = true;
    }

    boolean isCrashed() {
      return crashed;
    }

    @Override
    public void execute(Runnable step) {
      step(Duration.ZERO, step);
    }

    @Override
    public Instant instant() {
      return time.now().plus(clockError).plus(faults.clockError);
    }

    @Override
    public Duration uptime() {
      return Duration.between(Instant.EPOCH, time.now());
    }

    @Override
    public CompletableFuture<Void> after(Duration delay) {
      CompletableFuture<Void> passed = new CompletableFuture<>();
      step(delay, () -> passed.complete(null));
      return passed;
    }

    @Override
    public Duration jitter(Duration most) {
      return most.dividedBy(2).plus(faults.upTo(most.dividedBy(2)));
    }

    @Override
    public String newName() {
      return World.this.newName();
    }

    private void step(Duration delay, Runnable step) {
      time.after(
          delay,
          () -> {
            if (!crashed) {
              current = Optional.of(this);
              step.run();
              current = Optional.empty();
            }
          });
    }
  }

  Instance instance() {
    return new Instance(clockErrors.get());
  }

  /** The deployed store of an instance of RollUp. */
  FirestoreStore store(Instance instance, Layout layout) {
    return store(instance, Functions.of(layout).deployment(), List.of(entry(layout)));
  }

  /** The same, with these entries. */
  FirestoreStore store(Instance instance, String deployment, List<Entry> entries) {
    return store(Role.ROLL_UP.calls(instance), deployment, entries);
  }

  /** The handler of an instance of OnShardWritten. */
  ShardWrites handler(Instance instance, Layout layout, WakeUps wakeUps) {
    return handler(instance, Functions.of(layout).deployment(), List.of(entry(layout)), wakeUps);
  }

  /** The same, with these entries. */
  ShardWrites handler(Instance instance, String deployment, List<Entry> entries, WakeUps wakeUps) {
    WakeUps shared = WakeUps.shared(wakeUps, settings.workers(), instance);
    FirestoreStore store = store(Role.ON_SHARD_WRITTEN.calls(instance), deployment, entries);
    return new ShardWrites(store.counters(), shared, history, instance);
  }

  private FirestoreStore store(Calls calls, String deployment, List<Entry> entries) {
    Functions functions = new Functions(deployment, entries.stream().map(Entry::layout).toList());
    return FirestoreStore.of(client(functions), entries, deployment, calls, history);
  }

  /** The official client of functions; to make one takes long. */
  Firestore client(Functions functions) {
    return clients.computeIfAbsent(
        functions, own -> new SimulatedRpc(this, Optional.of(own)).client());
  }

  /** A name that nothing else in this world has. */
  String newName() {
    return "run-" + names++;
  }

  CompletableFuture<Void> pause(Duration duration) {
    CompletableFuture<Void> passed = new CompletableFuture<>();
    time.after(duration, () -> passed.complete(null));
    return passed;
  }

  /** For how long the next commit is invisible. */
  Duration hidden() {
    return !faults.lateness.isZero() && faults.happens(Kind.LATE_COMMIT, 0.3)
        ? faults.upTo(faults.lateness)
        : Duration.ZERO;
  }

  /**
   * Commits what others than the functions write.
   *
   * @return the commit's time
   */
  Instant commit(Write... writes) {
    return commit(hidden(), writes);
  }

  private Instant commit(Duration hidden, Write... writes) {
    CommitRequest request = CommitRequest.newBuilder().addAllWrites(List.of(writes)).build();
    var unused = server.commit(request, Optional.empty(), time.now(), hidden);
    return server.lastCommit();
  }

  /** Writes a whole document, at once. */
  Instant put(String path, Map<String, ?> fields) {
    return commit(Duration.ZERO, Writes.set(path, fields));
  }

  /** A server puts a field of its own into a document, if that is there: its version changes. */
  void addField(String path) {
    server
        .document(path)
        .ifPresent(
            document -> {
              Map<String, Object> fields = Protos.objects(document.getFieldsMap());
              fields.put("title", "x");
              put(path, fields);
            });
  }

  void delete(String path) {
    commit(Duration.ZERO, Writes.delete(path));
  }

  /** Writes a shard, at once; an empty value makes a document without the field. */
  Instant put(CounterPath counter, int shard, Optional<Object> count) {
    String own = ServerTotals.layoutOf(counter).counterDocument(counter);
    Map<String, Object> fields =
        count.<Map<String, Object>>map(value -> Map.of("count", value)).orElse(Map.of());
    Write write = Writes.set(ServerTotals.shard(counter, shard), fields);
    return server.document(own).isPresent()
        ? commit(Duration.ZERO, write)
        : commit(Duration.ZERO, Writes.set(own, Map.of()), write);
  }

  /** Writes the only shard of a counter, without an event. */
  Instant put(CounterPath counter, Total count) {
    return put(counter, 0, Optional.of(count.number()));
  }

  /** Gives a counter its first shard, and a roll-up with a lease. */
  void makeLive(CounterPath counter, Duration forTime) {
    CounterId located = counter(counter);
    putRollup(counter, 0, Optional.of(time.now().plus(forTime)));
    put(
        ServerTotals.liveList(counter) + "/" + located.liveId(),
        ServerTotals.entry(counter, time.now()));
  }

  /** Writes a counter's only shard and a roll-up that is right. */
  void putRollup(CounterPath counter, long total, Optional<Instant> liveUntil) {
    Layout layout = ServerTotals.layoutOf(counter);
    put(counter, new Total.Whole(total));
    Map<String, Object> fields = new HashMap<>();
    fields.putAll(ServerTotals.mark(layout, counter));
    fields.put("count", total);
    fields.put("shards", 1L);
    fields.put("as_of", server.tick());
    liveUntil.ifPresent(until -> fields.put("live_until", until));
    put(layout.rollupDocument(counter), fields);
    history.rollupChanged(counter, totals.rollup(counter));
  }

  /** Sweeps everything, a part at a time. */
  void sweep(Layout layout) {
    finish(beginSweep(layout));
  }

  /** Sweeps everything of these entries; if there is too little time, message by message. */
  void sweep(String deployment, List<Entry> entries) {
    Instance instance = instance();
    FirestoreStore store = store(instance, deployment, entries);
    Sweep sweep = new Sweep(store.counters(), store.runs(), history, instance, settings);
    PassKind[] extent = {PassKind.ALL};
    sweep(
        instance,
        () ->
            sweep
                .run(extent[0])
                .thenApply(
                    end -> {
                      extent[0] = PassKind.REST;
                      return end != Pass.End.LATE;
                    }));
  }

  private void finish(boolean[] swept) {
    time.run(LONGEST_SWEEP, () -> swept[0]);
    if (!swept[0]) {
      throw new AssertionError("no end of a sweep after " + LONGEST_SWEEP);
    }
  }

  /** Begins to sweep everything; the answer becomes true at the end. */
  boolean[] beginSweep(Layout layout) {
    Instance instance = instance();
    return beginSweep(instance, store(instance, layout));
  }

  /** The same, of the entries of a store. */
  boolean[] beginSweep(Instance instance, FirestoreStore store) {
    Sweep sweep = new Sweep(store.counters(), store.runs(), history, instance, settings);
    return beginSweep(instance, () -> completes(sweep.run(PassKind.PART)));
  }

  /** Whether a sweep comes to its end. */
  static CompletableFuture<Boolean> completes(CompletableFuture<Pass.End> sweep) {
    return sweep.thenApply(end -> end == Pass.End.COMPLETE);
  }

  /** Repeats a sweep until it is complete. */
  void sweep(Instance instance, Supplier<CompletableFuture<Boolean>> part) {
    finish(beginSweep(instance, part));
  }

  private static boolean[] beginSweep(
      Instance instance, Supplier<CompletableFuture<Boolean>> part) {
    boolean[] swept = {false};
    instance.execute(() -> sweep(part, swept));
    return swept;
  }

  private static void sweep(Supplier<CompletableFuture<Boolean>> part, boolean[] swept) {
    var unused =
        part.get()
            .thenAccept(
                complete -> {
                  swept[0] = complete;
                  if (!complete) {
                    sweep(part, swept);
                  }
                });
  }

  /** Whether nothing is live and no call is in flight, even of a crashed caller. */
  boolean isQuiet() {
    return underWay == 0 && totals.isQuiet();
  }

  void checkExact() {
    if (totals.showsFields) {
      totals.counters().stream().forEach(each -> appDocuments.check(each, totals.rollup(each)));
    }
    for (CounterPath counter : totals.wrong()) {
      throw new AssertionError(
          "%s: exact %s, shown %s".formatted(counter, totals.sum(counter), totals.rollup(counter)));
    }
  }
}
