package dev.tallyroll.simulation;

import dev.tallyroll.internal.Layout;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.simulation.History.LogLine;
import dev.tallyroll.store.FirestoreStore;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A world for short scripts: calls that are waited for, what they cost, and what the log says. */
final class Scene {
  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(30);

  final World world;

  Scene(Timing timing) {
    world = World.scripted(timing);
  }

  /** The deployed store of another instance. */
  FirestoreStore store() {
    return world.store(world.instance(), Layout.DEFAULT);
  }

  /** Lets time pass until the answer is there. */
  <T> T answered(CompletableFuture<T> call) {
    world.time.run(LONGEST_ANSWER, call::isDone);
    return call.join();
  }

  /** Lets time pass until it is known whether a call fails. */
  boolean fails(CompletableFuture<?> call) {
    world.time.run(LONGEST_ANSWER, call::isDone);
    return call.isCompletedExceptionally();
  }

  /** The functions' calls of Firestore in a step; a kind that is not made is not there. */
  Map<Call, Integer> costs(Runnable step) {
    Map<Call, Integer> before = calls();
    step.run();
    Map<Call, Integer> cost = calls();
    before.forEach((call, number) -> cost.merge(call, -number, Integer::sum));
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

  /** The errors and warnings so far. */
  List<String> log() {
    return world.history.warnings.stream().map(LogLine::toString).toList();
  }
}
