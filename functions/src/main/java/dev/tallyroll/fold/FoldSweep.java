package dev.tallyroll.fold;

import dev.tallyroll.fold.FoldStore.Sight;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Folds every document that has a shard: so it finds what lost events have left behind, and what
 * was written before there was a trigger. Beside handlers, runs and other sweeps it is harmless.
 */
public final class FoldSweep {
  private static final Duration PAUSE = Duration.ofSeconds(1);
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

  /** Looks at all shards there are. Costs one read each, and a fold for each document. */
  public CompletableFuture<Void> run() {
    return new SweepRun().from("");
  }

  private final class SweepRun {
    private final Instant deadline = loop.instant().plus(limit);
    private int documents;
    private int shards;
    private int failed;
    private String cause = "";

    CompletableFuture<Void> from(String after) {
      return page(after, ATTEMPTS)
          .thenCompose(
              page ->
                  each(page.documents().iterator())
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
                      ? loop.after(PAUSE).thenCompose(it -> page(after, attempts - 1))
                      : CompletableFuture.failedFuture(failure));
    }

    private CompletableFuture<Void> each(Iterator<String> documents) {
      return documents.hasNext()
          ? fold(documents.next()).thenCompose(none -> each(documents))
          : DONE;
    }

    private CompletableFuture<Void> fold(String document) {
      return folder
          .fold(document, /* after= */ "", Integer.MAX_VALUE)
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

    /** The same line as the other sweep's, so that alerts hear of both. */
    private CompletableFuture<Void> ended(boolean complete) {
      Map<String, Object> fields = new LinkedHashMap<>();
      fields.put("complete", complete);
      fields.put("documents", documents);
      fields.put("shards", shards);
      fields.put("failed", failed);
      if (failed > 0) {
        fields.put("cause", cause);
      }
      journal.write(failed > 0 ? Severity.WARNING : Severity.INFO, "sweep", fields);
      return DONE;
    }
  }
}
