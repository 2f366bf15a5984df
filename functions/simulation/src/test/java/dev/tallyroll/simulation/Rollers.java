package dev.tallyroll.simulation;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.RollUpTasks;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.Runs;
import dev.tallyroll.runs.WakeUps;
import dev.tallyroll.runs.WorkerRange;
import dev.tallyroll.simulation.Faults.Branch;
import dev.tallyroll.simulation.Faults.Kind;
import dev.tallyroll.store.FirestoreStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The schedule, the topic, and an instance of the function for every message. */
class Rollers implements WakeUps {
  private final World world;
  private final Faults faults;
  private final Layout layout;

  /** Gives the entries of an instance that is about to start. */
  private final Supplier<List<Entry>> entries;

  private final String deployment;

  /** The workers of the wake-ups so far. */
  final List<Integer> wakeUps = new ArrayList<>();

  /** The time that an instance takes to start. */
  Duration slowStart = Duration.ZERO;

  int running;

  private boolean isPaused;

  /** The times at which the present runs began. */
  private final List<Instant> goingOn = new ArrayList<>();

  private Duration ended = Duration.ZERO;

  /** The time for which runs of one worker were beside each other. */
  private Duration besides = Duration.ZERO;

  private final Map<Integer, List<Instant>> atWork = new HashMap<>();

  int messages;

  /** How often it polls; empty if writes make events. */
  private Optional<Duration> poll = Optional.empty();

  private final List<RollUpInstance> warm = new ArrayList<>();

  Rollers(World world, Layout layout) {
    this.world = world;
    this.faults = world.faults;
    this.layout = layout;
    this.deployment = Functions.of(layout).deployment();
    this.entries = () -> List.of(entry());
  }

  /** Makes the rollers of several entries, of which some may be polled. */
  Rollers(World world, String deployment, Supplier<List<Entry>> entries) {
    this.world = world;
    this.faults = world.faults;
    this.layout = Layout.DEFAULT;
    this.deployment = deployment;
    this.entries = entries;
  }

  private Entry entry() {
    return ServerTotals.entry(
        layout,
        world.fields.apply(layout),
        poll.isEmpty(),
        poll.map(world::polling).orElse(world.timing));
  }

  /** The working time of all instances until now. A crashed instance still counts. */
  Duration alive() {
    return goingOn.stream()
        .map(began -> Duration.between(began, world.time.now()))
        .reduce(ended, Duration::plus);
  }

  /** The time that two runs of one worker were beside each other, on average over the messages. */
  Duration besideEachOther() {
    return messages == 0 ? Duration.ZERO : besides.dividedBy(messages);
  }

  private void begins(int worker) {
    atWork.computeIfAbsent(worker, none -> new ArrayList<>()).add(world.time.now());
  }

  private void ends(int worker) {
    List<Instant> runs = atWork.getOrDefault(worker, new ArrayList<>());
    if (runs.size() > 1) {
      besides = besides.plus(Duration.between(runs.remove(runs.size() - 1), world.time.now()));
    } else {
      runs.clear();
    }
  }

  /** Begins the schedule at a random time in the next minute. */
  void everyMinute() {
    world.time.after(faults.upTo(Duration.ofMinutes(1)), this::minute);
  }

  /** From now on, the schedule sends nothing. */
  void pauseSchedule() {
    isPaused = true;
  }

  private void minute() {
    for (int worker = 0; worker < world.settings.workers() && !isPaused; worker++) {
      if (!faults.happens(Kind.LOST_MESSAGE, 0.2)) {
        send(/* wakeUp= */ false, worker);
      }
    }
    world.time.after(Duration.ofMinutes(1), this::minute);
  }

  /** Deploys it anew: from now on, it polls so often, or not. */
  void poll(Optional<Duration> every) {
    poll = every;
    warm.clear();
  }

  Optional<Duration> poll() {
    return poll;
  }

  /** Tells the instances that polls keep warm that they will end soon. */
  void terminateAll() {
    List.copyOf(warm).forEach(RollUpInstance::terminate);
  }

  @Override
  public CompletableFuture<Void> wake(String liveId) {
    int worker = WorkerRange.workerOf(liveId, world.settings.workers());
    wakeUps.add(worker);
    if (faults.wakeUpsAreLost || faults.happens(Kind.LOST_WAKE_UP, 0.1)) {
      return CompletableFuture.failedFuture(new IllegalStateException("no topic"));
    }
    send(/* wakeUp= */ true, worker);
    return CompletableFuture.completedFuture(null);
  }

  private void send(boolean wakeUp, int worker) {
    Duration delay = slowStart.plus(faults.upTo(Duration.ofMillis(200)));
    world.time.after(delay, () -> start(wakeUp, worker));
    if (faults.happens(Kind.DUPLICATE_MESSAGE, 0.1)) {
      world.time.after(faults.upTo(Duration.ofSeconds(20)), () -> start(wakeUp, worker));
    }
  }

  /** Gives a message to a new instance. */
  void start(boolean wakeUp, int worker) {
    warm.removeIf(each -> each.instance.isCrashed() || each.active > 0);
    boolean again = staysWarm() && !warm.isEmpty() && faults.random.nextBoolean();
    RollUpInstance roller =
        again ? warm.remove(faults.random.nextInt(warm.size())) : new RollUpInstance();
    if (staysWarm()) { // then an instance may serve several messages in turn
      warm.add(roller);
    }
    roller.take(wakeUp, worker);
    if (faults.happens(Kind.ROLLER_STOP, 0.1)) {
      world.time.after(faults.upTo(Duration.ofSeconds(20)), roller::terminate);
    }
    if (faults.happens(Kind.ROLLER_CRASH, 0.1)) {
      world.time.after(faults.upTo(Duration.ofSeconds(20)), roller::crash);
    }
  }

  private boolean staysWarm() {
    return poll.isPresent() || entries.get().stream().anyMatch(entry -> !entry.hasEvents());
  }

  /** Makes what runs on an instance. */
  Runs runs(World.Instance instance, FirestoreStore store) {
    RunSettings settings =
        world.settings(
            store.counters().entries().stream()
                .map(entry -> entry.timing().tick())
                .min(Comparator.naturalOrder())
                .orElseThrow());
    return new Runs(
        RollUpTasks.of(store.counters(), store.runs(), world.history, instance, settings),
        store.runs(),
        this,
        world.history,
        instance,
        settings);
  }

  /** An instance of the function that gets the messages. */
  final class RollUpInstance {
    final World.Instance instance = world.instance();
    private final Runs runs = runs(instance, world.store(instance, deployment, entries.get()));

    /** The endings of its runs, in their order. */
    final List<String> endings = new ArrayList<>();

    private String last = "";
    private int active;

    /** Gives the instance a message of the schedule or a wake-up. */
    void take(boolean wakeUp, int worker) {
      running++;
      active++;
      String message = (wakeUp ? "wake-up " : "schedule ") + messages++ + " of worker " + worker;
      last = message;
      world.history.note(() -> message + " begins");
      Instant began = world.time.now();
      goingOn.add(began);
      begins(worker);
      instance.execute(
          () -> {
            var unused =
                (wakeUp ? runs.woken(worker) : runs.scheduled(worker))
                    .whenComplete(
                        (ending, failure) -> {
                          String how = failure == null ? ending.name() : "FAILED";
                          world.history.note(
                              () -> message + " ends: " + (failure == null ? how : failure));
                          faults.branches.add(Branch.valueOf("RUN_" + how));
                          stop(Math.min(active, 1));
                          goingOn.remove(began);
                          ends(worker);
                          ended = ended.plus(Duration.between(began, world.time.now()));
                          endings.add(how);
                        });
          });
    }

    /** Tells the instance that it will end soon. The platform sends it no further message. */
    void terminate() {
      warm.remove(this);
      instance.execute(
          () -> {
            var unused = runs.stop();
          });
    }

    void crash() {
      String message = last;
      world.history.note(() -> message + " crashes");
      instance.crash();
      stop(active);
    }

    /** Counts stopped runs. After a crash, the instance's runs are stopped already. */
    private void stop(int runs) {
      active -= runs;
      running -= runs;
    }
  }
}
