package dev.tallyroll.fold;

import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Recent;
import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.Coalescer;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.runs.WakeUps;
import dev.tallyroll.settings.FoldLayout;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Handles new shards: folds those of a quiet document at once, and puts a busy one on the live
 * list, where RollUp folds it. Its methods must be called on the event loop, where futures
 * complete, too.
 *
 * <p>Only new shards make events. A later increment of the same shard is read by that fold, or
 * makes Firestore refuse it; the fold then tries again, or enters the document. An increment of a
 * shard that could not be moved waits for RollUp or for the sweep.
 *
 * <p>It reads only the shards that events name: whatever else is below the document costs nothing.
 *
 * <p>An entry stays on the list for a LEASE at least, and until its document has no shards that can
 * be moved. So an instance that has written the entry leaves the document alone for a LEASE,
 * counted from before the write.
 */
public final class FoldHandler {
  /** After so many batches, a document is left to RollUp. */
  private static final int MOST_BATCHES = 4;

  private static final int CAPACITY = 10_000;
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final FoldStore store;
  private final Folder folder;
  private final WakeUps wakeUps;
  private final StructuredLog log;
  private final EventLoop loop;
  private final Timing timing;
  private final Map<String, Memory> known = Recent.entries(CAPACITY);
  private final Coalescer<String, Set<String>> folds;
  private final Map<String, CompletableFuture<Void>> entering = new HashMap<>();

  /** What an instance remembers of a document. */
  private static final class Memory {
    private Instant countedSince = Times.LONG_AGO;
    private int writes;
    private Instant liveUntil = Times.LONG_AGO;

    void written(Instant now, Timing timing) {
      if (now.isAfter(countedSince.plus(timing.lease()))) {
        countedSince = now;
        writes = 0;
      }
      writes++;
    }

    void entered(Instant begin, Timing timing) {
      liveUntil = begin.plus(timing.lease());
      countedSince = begin;
      writes = 0;
    }
  }

  /**
   * @param fields those that are moved, by the names on the way to them; empty for all
   */
  public FoldHandler(
      FoldStore store,
      Set<FieldName> fields,
      WakeUps wakeUps,
      StructuredLog log,
      EventLoop loop,
      Timing timing) {
    this.store = store;
    this.folder = new Folder(store, log, loop, fields);
    this.wakeUps = wakeUps;
    this.log = log;
    this.loop = loop;
    this.timing = timing;
    this.folds = new Coalescer<>(this::fold, FoldHandler::join, loop);
  }

  /** An event may come twice. */
  private static Set<String> join(Set<String> some, Set<String> others) {
    Set<String> all = new LinkedHashSet<>(some);
    all.addAll(others);
    return all;
  }

  /**
   * Handles a new shard. Costs nothing if its document is live, or is none that is folded; one
   * write, at most twice a LEASE, for a busy one; else a fold, which events that come together
   * share.
   *
   * @return completes once the shard is in the document, or cannot be moved, or RollUp is sure to
   *     move it; fails if the event must be delivered again
   */
  public CompletableFuture<Void> written(FoldLayout.ShardPath shard) {
    String document = shard.document();
    if (!store.layout().holds(document)) {
      return DONE;
    }
    Instant now = loop.instant();
    Memory seen = known(document);
    seen.written(now, timing);
    if (now.isBefore(seen.liveUntil)) {
      boolean soon = now.isAfter(seen.liveUntil.minus(timing.lease().dividedBy(2)));
      return soon && 2 * seen.writes >= timing.burst()
          ? enter(document, /* wakes= */ false)
              .exceptionally(failure -> null) // what was entered stands
          : DONE;
    }
    if (seen.writes >= timing.burst()) {
      return enter(document, /* wakes= */ true);
    }
    return folds.take(document, Set.of(shard.id()));
  }

  private CompletableFuture<Duration> fold(String document, Set<String> shards) {
    CompletableFuture<Void> folded =
        isLive(document)
            ? DONE
            : folder
                .fold(document, shards, MOST_BATCHES)
                .thenCompose(
                    result -> result.isComplete() ? DONE : enter(document, /* wakes= */ true));
    return folded.thenApply(none -> Duration.ZERO);
  }

  private boolean isLive(String document) {
    Memory seen = known.get(document);
    return seen != null && loop.instant().isBefore(seen.liveUntil);
  }

  private static void end(CompletableFuture<Void> future, @Nullable Throwable failure) {
    if (failure == null) {
      future.complete(null);
    } else {
      future.completeExceptionally(failure);
    }
  }

  /** Events that come together share one entry, and one wake-up. */
  private CompletableFuture<Void> enter(String document, boolean wakes) {
    CompletableFuture<Void> already = entering.get(document);
    if (already != null) {
      // One whose answer has taken a LEASE may have been removed before this event's write.
      return already.thenCompose(none -> isLive(document) ? DONE : enter(document, wakes));
    }
    Instant begin = loop.instant();
    CompletableFuture<Void> entered = new CompletableFuture<>();
    entering.put(document, entered);
    var unused =
        store
            .enter(document)
            .thenRun(() -> known(document).entered(begin, timing))
            .thenCompose(
                none -> wakes ? wakeUps.wakeOrReport(store.layout().liveId(document), log) : DONE)
            .whenComplete(
                (none, failure) -> {
                  entering.remove(document);
                  end(entered, failure);
                });
    return entered;
  }

  private Memory known(String document) {
    return known.computeIfAbsent(document, none -> new Memory());
  }
}
