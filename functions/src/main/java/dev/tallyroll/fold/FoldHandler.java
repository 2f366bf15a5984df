package dev.tallyroll.fold;

import dev.tallyroll.internal.Recent;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Timing;
import dev.tallyroll.protocol.WakeUps;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Handles writes of shards: folds a quiet document at once, and puts a busy one on the live list,
 * where RollUp folds it. Its methods must be called on the event loop, where futures complete, too.
 *
 * <p>It is enough to hear of each new shard. A later increment on a shard that is there is seen by
 * the fold of the earlier one, or makes that be refused, and then folds or enters the document.
 *
 * <p>An entry stays on the list for a LEASE at least, and until its document has no shards. So an
 * instance that has written the entry leaves the document alone for a LEASE, counted from before
 * the write.
 */
public final class FoldHandler {
  /** A document with more shards than these take is left to RollUp. */
  private static final int LOOKS = 4;

  private static final int CAPACITY = 10_000;
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final FoldStore store;
  private final Folder folder;
  private final WakeUps wakeUps;
  private final Journal journal;
  private final EventLoop loop;
  private final Timing timing;
  private final Map<String, Known> known = Recent.entries(CAPACITY);
  private final Map<String, CompletableFuture<Void>> underWay = new HashMap<>();
  private final Map<String, CompletableFuture<Void>> waiting = new HashMap<>();
  private final Map<String, CompletableFuture<Void>> entering = new HashMap<>();

  /** What an instance remembers of a document. */
  private static final class Known {
    private Instant countedSince = Instant.MIN;
    private int writes;
    private Instant liveUntil = Instant.MIN;

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
      Set<List<String>> fields,
      WakeUps wakeUps,
      Journal journal,
      EventLoop loop,
      Timing timing) {
    this.store = store;
    this.folder = new Folder(store, journal, loop, fields);
    this.wakeUps = wakeUps;
    this.journal = journal;
    this.loop = loop;
    this.timing = timing;
  }

  /**
   * Handles one write of a document's shard. Costs nothing if the document is live; one write, at
   * most twice a LEASE, for a busy one; else a fold, which events that come together share.
   *
   * @return completes once the write is in the document, or RollUp is sure to move it; fails if the
   *     event must be delivered again
   */
  public CompletableFuture<Void> written(String document) {
    Instant now = loop.instant();
    Known its = known(document);
    its.written(now, timing);
    if (now.isBefore(its.liveUntil)) {
      boolean soon = now.isAfter(its.liveUntil.minus(timing.lease().dividedBy(2)));
      return soon && 2 * its.writes >= timing.burst()
          ? enter(document, /* wakes= */ false)
              .exceptionally(failure -> null) // what was entered stands
          : DONE;
    }
    if (its.writes >= timing.burst()) {
      return enter(document, /* wakes= */ true);
    }
    return underWay.containsKey(document)
        ? waiting.computeIfAbsent(document, it -> new CompletableFuture<>())
        : fold(document);
  }

  private CompletableFuture<Void> fold(String document) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    underWay.put(document, done);
    var unused =
        folder
            .fold(document, /* after= */ "", LOOKS)
            .thenCompose(result -> result.isComplete() ? DONE : enter(document, /* wakes= */ true))
            .whenComplete(
                (none, failure) -> {
                  underWay.remove(document);
                  foldForThoseThatWait(document);
                  end(done, failure);
                });
    return done;
  }

  private void foldForThoseThatWait(String document) {
    CompletableFuture<Void> next = waiting.remove(document);
    if (next != null) {
      CompletableFuture<Void> folded = isLive(document) ? DONE : fold(document);
      var unused = folded.whenComplete((none, failure) -> end(next, failure));
    }
  }

  private boolean isLive(String document) {
    Known its = known.get(document);
    return its != null && loop.instant().isBefore(its.liveUntil);
  }

  private static void end(CompletableFuture<Void> future, Throwable failure) {
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
                none ->
                    wakes ? wakeUps.wakeOrReport(store.layout().liveId(document), journal) : DONE)
            .whenComplete(
                (none, failure) -> {
                  entering.remove(document);
                  end(entered, failure);
                });
    return entered;
  }

  private Known known(String document) {
    return known.computeIfAbsent(document, it -> new Known());
  }
}
