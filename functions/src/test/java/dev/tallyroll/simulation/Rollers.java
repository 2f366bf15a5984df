package dev.tallyroll.simulation;

import dev.tallyroll.Layout;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.Runs;
import dev.tallyroll.protocol.Timing;
import dev.tallyroll.protocol.WakeUps;
import dev.tallyroll.simulation.Faults.Kind;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** The schedule, the topic, and an instance for every message on it. */
final class Rollers implements WakeUps {
  private static final RunSettings SETTINGS =
      new RunSettings(Duration.ofSeconds(70), Duration.ofSeconds(5));

  private final VirtualTime time;
  private final Faults faults;
  private final Site site;
  private final Layout layout;
  private final Timing timing;
  private Duration slowStart = Duration.ZERO;
  private int running;
  private int names;
  private int messages;

  Rollers(VirtualTime time, Faults faults, Site site, Layout layout, Timing timing) {
    this.time = time;
    this.faults = faults;
    this.site = site;
    this.layout = layout;
    this.timing = timing;
    time.after(faults.upTo(Duration.ofMinutes(1)), this::everyMinute);
  }

  /** From now on, instances take that long to start. */
  void startSlowly(Duration start) {
    slowStart = start;
  }

  int running() {
    return running;
  }

  private void everyMinute() {
    for (int worker = 0; worker < World.LANES.workers(); worker++) {
      if (!faults.happens(Kind.LOST_MESSAGE, 0.1)) {
        send(/* wakeUp= */ false, worker);
      }
    }
    time.after(Duration.ofMinutes(1), this::everyMinute);
  }

  @Override
  public CompletableFuture<Void> wake(int lane) {
    if (faults.happens(Kind.LOST_WAKE_UP, 0.1)) {
      return CompletableFuture.failedFuture(new IllegalStateException("no topic"));
    }
    send(/* wakeUp= */ true, World.LANES.workerOf(lane));
    return CompletableFuture.completedFuture(null);
  }

  private void send(boolean wakeUp, int worker) {
    Duration delay = slowStart.plus(faults.upTo(Duration.ofMillis(200)));
    time.after(delay, () -> start(wakeUp, worker));
    if (faults.happens(Kind.DUPLICATE_MESSAGE, 0.1)) {
      time.after(faults.upTo(Duration.ofSeconds(20)), () -> start(wakeUp, worker));
    }
  }

  private void start(boolean wakeUp, int worker) {
    Instance process = site.process();
    SimulatedFirestore firestore = site.connect(process, layout);
    Runs runs =
        new Runs(
            firestore,
            firestore,
            this,
            site.journal(),
            timing,
            World.LANES,
            SETTINGS,
            process,
            () -> "run-" + names++);
    Life life = new Life();
    String name = (wakeUp ? "wake-up " : "schedule ") + messages++ + " of worker " + worker;
    site.note(name + " begins");
    process.execute(
        () -> {
          var unused =
              (wakeUp ? runs.woken(worker) : runs.scheduled(worker))
                  .whenComplete(
                      (ending, failure) -> {
                        site.note(name + " ends: " + (failure == null ? ending : failure));
                        faults.came(Branch.valueOf("RUN_" + (failure == null ? ending : "FAILED")));
                        life.end();
                      });
        });
    if (faults.happens(Kind.ROLLER_CRASH, 0.1)) {
      time.after(
          faults.upTo(Duration.ofSeconds(20)),
          () -> {
            site.note(name + " crashes");
            process.crash();
            life.end();
          });
    }
  }

  private final class Life {
    private boolean ended;

    Life() {
      running++;
    }

    void end() {
      if (!ended) {
        ended = true;
        running--;
      }
    }
  }
}
