package dev.tallyroll.runs;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Several tasks of one run.
 *
 * @param range of the worker
 */
public record TickTasks(WorkerRange range, List<TickTask> all) implements TickTask {

  /** Copies the tasks. */
  public TickTasks {
    all = List.copyOf(all);
  }

  @Override
  public boolean isIdle() {
    return all.stream().allMatch(TickTask::isIdle);
  }

  @Override
  public boolean keepsAlive() {
    return all.stream().anyMatch(TickTask::keepsAlive);
  }

  @Override
  public Instant nextTick(Instant now) {
    return all.stream()
        .map(task -> task.nextTick(now))
        .min(Comparator.naturalOrder())
        .orElse(Instant.MAX);
  }

  @Override
  public boolean hasSucceeded() {
    return all.stream().anyMatch(TickTask::hasSucceeded);
  }

  @Override
  public void takeOver() {
    all.forEach(TickTask::takeOver);
  }

  @Override
  public CompletableFuture<Void> fill() {
    return each(TickTask::fill);
  }

  @Override
  public CompletableFuture<Void> findNew() {
    return each(TickTask::findNew);
  }

  @Override
  public void begin() {
    all.forEach(TickTask::begin);
  }

  @Override
  public void tick(Instant due) {
    all.forEach(task -> task.tick(due));
  }

  @Override
  public CompletableFuture<Void> worked() {
    return each(TickTask::worked);
  }

  @Override
  public CompletableFuture<Void> drained() {
    return each(TickTask::drained);
  }

  private CompletableFuture<Void> each(Function<TickTask, CompletableFuture<Void>> call) {
    return CompletableFuture.allOf(all.stream().map(call).toArray(CompletableFuture<?>[]::new));
  }
}
