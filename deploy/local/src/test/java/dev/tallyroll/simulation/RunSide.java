package dev.tallyroll.simulation;

import dev.tallyroll.protocol.RunStore;
import dev.tallyroll.protocol.RunStore.Claim;
import dev.tallyroll.protocol.RunStore.RunState;
import dev.tallyroll.protocol.RunStore.Sighting;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The run documents of one side. Used by one thread. */
final class RunSide implements AutoCloseable {
  private final RunStore store;
  private final Passage passage;
  private final Chronicle chronicle;
  private final Map<Integer, Watched> watched = new HashMap<>();

  RunSide(RunStore store, Passage passage, Chronicle chronicle) {
    this.store = store;
    this.passage = passage;
    this.chronicle = chronicle;
  }

  String read(int worker) throws Exception {
    RunState state = get(store.read(worker));
    chronicle.read(state.readTime());
    return state.claim().map(this::tell).orElse("nobody")
        + state.updateTime().map(time -> " " + version(worker, time)).orElse("");
  }

  private String tell(Claim claim) {
    return claim.holder() + " until " + chronicle.distance(claim.until());
  }

  String claim(int worker, String holder, Duration until) throws Exception {
    Claim claim = new Claim(holder, chronicle.time(until));
    return version(worker, get(store.claim(worker, claim))) + "; then " + read(worker);
  }

  String keep(int worker, String holder, Duration until, Version expected) throws Exception {
    Claim claim = new Claim(holder, chronicle.time(until));
    Optional<Instant> kept = get(store.keep(worker, claim, expected(worker, expected)));
    return kept.map(time -> version(worker, time)).orElse("refused") + "; then " + read(worker);
  }

  String release(int worker, Version expected) throws Exception {
    return get(store.release(worker, expected(worker, expected))) + "; then " + read(worker);
  }

  String poke(int worker) throws Exception {
    return get(store.poke(worker)) + "; then " + read(worker);
  }

  private Instant expected(int worker, Version version) {
    return version.of(document(worker), chronicle);
  }

  String watch(int worker) {
    var unused = watched(worker);
    return "watched";
  }

  private Watched watched(int worker) {
    return watched.computeIfAbsent(worker, unused -> new Watched(store, worker));
  }

  /** What the listener has seen of the document as it is now. Listeners do not tell of absence. */
  String sighted(int worker) throws Exception {
    Optional<Instant> now = get(store.read(worker)).updateTime();
    if (now.isEmpty()) {
      return "absent";
    }
    Watched watch = watched(worker);
    passage.until(
        "a sighting of worker " + worker + " at " + now.get(), () -> watch.hasSeen(now.get()));
    Sighting seen = watch.last().orElseThrow();
    checkPoked(seen);
    return "%s, %s, %s"
        .formatted(
            seen.holder(),
            seen.poked().isPresent() ? "poked" : "never poked",
            version(worker, seen.updateTime()));
  }

  private static void checkPoked(Sighting seen) {
    if (seen.poked().isPresent() && seen.poked().get().isAfter(seen.updateTime())) {
      throw new AssertionError("expected a poke by the update time; found " + seen);
    }
  }

  @Override
  public void close() {
    watched.values().forEach(Watched::close);
  }

  private String version(int worker, Instant time) {
    return chronicle.version(document(worker), time);
  }

  private static String document(int worker) {
    return "run " + worker;
  }

  private <T> T get(CompletableFuture<T> call) throws Exception {
    return passage.get(call);
  }
}
