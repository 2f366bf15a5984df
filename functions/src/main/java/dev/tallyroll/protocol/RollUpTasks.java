package dev.tallyroll.protocol;

import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.Runs;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.TickTask;
import dev.tallyroll.runs.TickTasks;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** What the runs of one instance do: they roll up live counters, and poll the others. */
public final class RollUpTasks {
  private RollUpTasks() {}

  /**
   * The tasks of one instance.
   *
   * <p>One roller works on the live counters of all entries with events. Each other entry has polls
   * of its own. A run that was woken leaves polls to the schedule that are made once a minute.
   *
   * @param places where the places of unfinished polls are kept
   */
  public static Runs.Tasks of(
      CounterStore store,
      RunStore places,
      StructuredLog log,
      EventLoop loop,
      RunSettings settings) {
    List<Runs.Tasks> always = new ArrayList<>();
    List<IntFunction<TickTask>> scheduled = new ArrayList<>();
    if (store.entries().stream().anyMatch(Entry::hasEvents)) {
      always.add(Roller.all(store, log, loop, settings));
    }
    for (Entry entry : store.entries()) {
      if (!entry.hasEvents()) {
        var polls = Polls.all(store, entry, places, log, loop, settings);
        if (entry.timing().isLeftToSchedule()) {
          scheduled.add(polls);
        } else {
          always.add((worker, isScheduled) -> polls.apply(worker));
        }
      }
    }
    return (worker, isScheduled) -> {
      List<TickTask> tasks = new ArrayList<>();
      always.forEach(each -> tasks.add(each.of(worker, isScheduled)));
      if (isScheduled) {
        scheduled.forEach(each -> tasks.add(each.apply(worker)));
      }
      return new TickTasks(settings.range(worker), tasks);
    };
  }
}
