package dev.tallyroll.platform;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.Runs;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.Sweeper;
import dev.tallyroll.runs.WakeUps;
import java.time.InstantSource;
import java.util.function.UnaryOperator;

/**
 * An instance of a function, with its log, its event loop and its clients, whatever it works on.
 * Only this class knows the clock and the network.
 *
 * @param calls the limits of its calls of Firestore
 * @param topic for its wake-ups
 */
public record Instance(
    Role role, StructuredLog log, EventLoop loop, Firestore firestore, Calls calls, Topic topic) {
  /** Makes the clients. Costs nothing: they connect at their first call. */
  public static Instance of(
      Role role,
      StructuredLog log,
      String database,
      String topic,
      UnaryOperator<String> environment) {
    EventLoop loop = new ThreadEventLoop("tallyroll", InstantSource.system());
    return new Instance(
        role,
        log,
        loop,
        GoogleClients.firestore(database, role.connections(), environment),
        role.calls(loop),
        new Topic(() -> GoogleClients.publisher(topic, environment), loop));
  }

  /**
   * Makes the handling of the messages that an instance of RollUp takes.
   *
   * @param tasks makes the task that a run has at its ticks
   * @param sweeper is called once an hour, and when somebody asks for more than a part
   */
  public MessageHandling messages(
      Runs.Tasks tasks, RunStore runs, Sweeper sweeper, RunSettings settings) {
    return new MessageHandling(
        new Runs(tasks, runs, topic, log, loop, settings), sweeper, settings.workers(), this);
  }

  /** Makes the wake-ups of its handler, of which many at once are few messages. */
  public WakeUps wakeUps(RunSettings settings) {
    return WakeUps.shared(topic, settings.workers(), loop);
  }

  /** Makes the handling of the events that it takes. */
  public EventHandling handling() {
    return role.handling(loop, log);
  }
}
