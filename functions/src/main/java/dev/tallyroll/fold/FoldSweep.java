package dev.tallyroll.fold;

import dev.tallyroll.fold.FoldStore.Sight;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Folds what events that were lost have left: documents with a shard that is older than a minute.
 * Two sweeps at once are wasteful but harmless.
 */
public final class FoldSweep {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int PAGE = 300;
  private static final int ATTEMPTS = 3;
  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final FoldStore store;
  private final Folder folder;
  private final Journal journal;
  private final EventLoop loop;
  private final Duration limit;

  /**
   * @param fields those that are moved, by the names on the way to them; empty for all
   * @param limit how long a sweep may take
   */
  public FoldSweep(
      FoldStore store, Set<List<String>> fields, Journal journal, EventLoop loop, Duration limit) {
    this.store = store;
    this.folder = new Folder(store, journal, loop, fields);
    this.journal = journal;
    this.loop = loop;
    this.limit = limit;
  }

  /** Looks at all shards there are. Costs one read each, and a fold for a document left behind. */
  public CompletableFuture<Void> run() {
    return new Stretch().from("");
  }

  private final class Stretch {
    private final Instant deadline = loop.instant().plus(limit);
    private int documents;
    private int shards;
    private int failed;
    private String cause = "";

    CompletableFuture<Void> from(String after) {
      return page(after, ATTEMPTS)
          .thenCompose(
              page ->
                  each(page, page.writes().entrySet().iterator())
                      .thenCompose(
                          none ->
                              page.last().isEmpty() || !loop.instant().isBefore(deadline)
                                  ? ended(page.last().isEmpty())
                                  : from(page.last())));
    }

    private CompletableFuture<Sight> page(String after, int attempts) {
      return store
          .page(after, PAGE)
          .exceptionallyCompose(
              failure ->
                  attempts > 1
                      ? loop.after(MINUTE.dividedBy(60))
                          .thenCompose(it -> page(after, attempts - 1))
                      : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<Void> each(Sight page, Iterator<Map.Entry<String, Instant>> rest) {
      while (rest.hasNext()) {
        Map.Entry<String, Instant> next = rest.next();
        if (next.getValue().isBefore(page.readTime().minus(MINUTE))) {
          return fold(next.getKey()).thenCompose(none -> each(page, rest));
        }
      }
      return DONE;
    }

    private CompletableFuture<Void> fold(String document) {
      return folder
          .fold(document, Integer.MAX_VALUE)
          .handle(
              (result, failure) -> {
                if (failure != null) {
                  failed++;
                  cause = failure.toString();
                } else if (result.moved() > 0) {
                  documents++;
                  shards += result.moved();
                }
                return null;
              });
    }

    private CompletableFuture<Void> ended(boolean complete) {
      journal.write(
          failed > 0 || shards > 0 ? Severity.WARNING : Severity.INFO,
          "fold sweep ended",
          Map.of(
              "complete", complete,
              "documents", documents,
              "shards", shards,
              "failed", failed,
              "cause", cause));
      return DONE;
    }
  }
}
