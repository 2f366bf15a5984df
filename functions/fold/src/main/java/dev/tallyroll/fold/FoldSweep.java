package dev.tallyroll.fold;

import dev.tallyroll.fold.FoldStore.SweptPage;
import dev.tallyroll.protocol.Attempts;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.Ownership;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.RunStore;
import dev.tallyroll.protocol.RunStore.Place;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Folds the shards of all documents: so it finds what lost events have left behind, increments of
 * shards that could not be moved before, and what was written before there was a trigger. Beside
 * handlers and runs it is harmless.
 *
 * <p>One sweep works at a time. It stores its place in a run document after each page, and ends
 * when its time is up, or when it has met SWEEP_COUNTERS shards that it cannot move. The next one
 * continues there, also after a crash.
 */
public final class FoldSweep {
  private static final String JOB = "sweep";

  /** What the stored place is in. */
  private static final String GROUP = "SHARDS";

  /** Longer than a page takes. After a crash, no other sweep begins in this time. */
  private static final Duration ALIVE = Duration.ofMinutes(2);

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int ATTEMPTS = 3;

  /** Enough for one page down to single shards, as each batch that Firestore refuses is halved. */
  private static final int MOST_BATCHES = 2 * Folder.MOST_SHARDS;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final FoldStore store;
  private final RunStore runs;
  private final Folder folder;
  private final Journal journal;
  private final RunSettings settings;
  private final EventLoop loop;
  private final List<String> starts;

  /**
   * @param fields those that are moved, by the names on the way to them; empty for all
   */
  public FoldSweep(
      FoldStore store,
      RunStore runs,
      Set<List<String>> fields,
      Journal journal,
      RunSettings settings,
      EventLoop loop) {
    this.store = store;
    this.runs = runs;
    this.folder = new Folder(store, journal, loop, fields);
    this.journal = journal;
    this.settings = settings;
    this.loop = loop;
    this.starts = store.layout().starts();
  }

  /**
   * Continues where the last sweep ended, unless another is at work. Costs one read for each shard,
   * and what a fold of these shards costs; and a read and a write a page.
   *
   * @return whether the sweep is complete, so that the next one begins anew
   */
  public CompletableFuture<Boolean> run() {
    SweepRun run = new SweepRun();
    return run.ownership
        .claim(/* takesOver= */ false, before -> run.begin(before.place()))
        .thenCompose(held -> held ? run.next() : run.end("another sweep is at work"));
  }

  private final class SweepRun {
    final Ownership ownership = new Ownership(runs, journal, JOB, ALIVE);
    private final Instant deadline = loop.instant().plus(settings.sweep());

    /** Which of the starts it has come to; as many as there are in the end. */
    private int start;

    private String after = "";
    private int size = FoldStore.FEW_SHARDS;
    private int looked;
    private int documents;
    private int shards;
    private int stuck;
    private int failed;
    private String cause = "";

    /** A place that is damaged, or was stored with other settings, is none. */
    void begin(Optional<Place> stored) {
      String last =
          stored.filter(place -> place.group().equals(GROUP)).map(Place::after).orElse("");
      for (int i = 0; i < starts.size(); i++) {
        if (last.equals(starts.get(i))) {
          start = i;
        } else if (last.startsWith(starts.get(i) + "/") && store.layout().shard(last).isPresent()) {
          start = i;
          after = last;
        }
      }
    }

    /** The last shard, or the collection to begin with. */
    private Optional<Place> place() {
      return Optional.of(new Place(GROUP, after.isEmpty() ? starts.get(start) : after));
    }

    CompletableFuture<Boolean> next() {
      if (start == starts.size()) {
        return ownership.release().thenCompose(none -> end("sweep"));
      }
      return Attempts.untilItWorks(ATTEMPTS, before -> page(), () -> loop.after(PAUSE))
          .thenApply(Optional::of)
          .exceptionally(failure -> Optional.empty())
          .thenCompose(
              page ->
                  page.isPresent()
                      ? fold(page.get()).thenCompose(none -> goOn(page.get()))
                      : leave());
    }

    private CompletableFuture<SweptPage> page() {
      return store
          .page(starts.get(start), after, size)
          .whenComplete(
              (page, failure) -> {
                if (failure != null) {
                  failed++;
                  cause = failure.toString();
                }
              });
    }

    /** Keeps the run document with the place in it, but without a claim. */
    private CompletableFuture<Boolean> leave() {
      return ownership.keep(Duration.ZERO, place()).thenCompose(none -> end("sweep"));
    }

    private CompletableFuture<Boolean> goOn(SweptPage page) {
      looked += page.looked();
      after = page.last();
      start += after.isEmpty() ? 1 : 0;
      size = page.isCut() ? Math.max(1, page.looked()) : Math.min(2 * size, Folder.MOST_SHARDS);
      if (start == starts.size()) {
        return next();
      }
      if (looked - shards >= settings.sweepCounters() || !loop.instant().isBefore(deadline)) {
        return leave();
      }
      return ownership
          .keep(ALIVE, place())
          .thenCompose(none -> ownership.isLost() ? end("another sweep is at work") : next());
    }

    private CompletableFuture<Void> fold(SweptPage page) {
      return each(page.shards().entrySet().iterator());
    }

    private CompletableFuture<Void> each(Iterator<Entry<String, List<Shard>>> left) {
      if (!left.hasNext()) {
        return DONE;
      }
      Entry<String, List<Shard>> of = left.next();
      CompletableFuture<Void> folded =
          store.layout().holds(of.getKey()) ? fold(of.getKey(), of.getValue()) : DONE;
      return folded.thenCompose(none -> each(left));
    }

    private CompletableFuture<Void> fold(String document, List<Shard> found) {
      return folder
          .foldRead(document, found, MOST_BATCHES)
          .handle(
              (result, failure) -> {
                if (failure != null) {
                  failed++;
                  cause = failure.toString();
                } else {
                  documents += result.moved() > 0 ? 1 : 0;
                  shards += result.moved();
                  stuck += result.stuck();
                }
                return null;
              });
    }

    /** The same line as the other sweep's, so that alerts hear of both. */
    private CompletableFuture<Boolean> end(String message) {
      Map<String, Object> fields = new LinkedHashMap<>();
      boolean complete = start == starts.size();
      fields.put("complete", complete);
      fields.put("looked", looked);
      fields.put("documents", documents);
      fields.put("shards", shards);
      fields.put("stuck", stuck);
      fields.put("failed", failed);
      if (failed > 0) {
        fields.put("cause", cause);
      }
      journal.write(failed > 0 ? Severity.WARNING : Severity.INFO, message, fields);
      return CompletableFuture.completedFuture(complete);
    }
  }
}
