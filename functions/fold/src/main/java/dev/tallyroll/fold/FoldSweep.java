package dev.tallyroll.fold;

import dev.tallyroll.fold.FoldStore.SweptPage;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.runs.ClaimedBookmark;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Pass;
import dev.tallyroll.runs.PassKind;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.StructuredLog.Severity;
import dev.tallyroll.runs.Sweeper;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Folds the shards of all documents: so it finds what lost events have left behind, increments of
 * shards that could not be moved before, and what was written before there was a trigger. Beside
 * handlers and runs it is harmless.
 *
 * <p>One sweep works at a time. It stores its place in a run document after each page, and ends
 * when its time is up, or when it has met as many shards that it cannot move as a sweep may look
 * at. The next one continues there, also after a crash.
 */
public final class FoldSweep implements Sweeper {
  /** One document after the other, since a page may have large shards. */
  private static final int AT_ONCE = 1;

  /** Enough for one page down to single shards, as each batch that Firestore refuses is halved. */
  private static final int MOST_BATCHES = 2 * Folder.MOST_SHARDS;

  private final FoldStore store;
  private final RunStore runs;
  private final Folder folder;
  private final StructuredLog log;
  private final RunSettings settings;
  private final EventLoop loop;

  /**
   * @param fields those that are moved, by the names on the way to them; empty for all
   */
  public FoldSweep(
      FoldStore store,
      RunStore runs,
      Set<FieldName> fields,
      StructuredLog log,
      RunSettings settings,
      EventLoop loop) {
    this.store = store;
    this.runs = runs;
    this.folder = new Folder(store, log, loop, fields);
    this.log = log;
    this.settings = settings;
    this.loop = loop;
  }

  /**
   * Continues where the last sweep ended, unless another is at work; or looks at everything. Costs
   * one read for each shard, and what a fold of these shards costs; and a read and a write a page.
   *
   * @return COMPLETE if the next one begins anew
   */
  @Override
  public CompletableFuture<Pass.End> run(PassKind kind) {
    return new SweepRun(kind).run();
  }

  /** The shards of one document on a page. */
  private record DocumentShards(String document, List<Shard> shards) {}

  private final class SweepRun implements Pass.Pages<DocumentShards> {
    private final ClaimedBookmark bookmark;
    private final Pass<DocumentShards> pass;
    private int size = FoldStore.FEW_SHARDS;
    private int looked;
    private int documents;
    private int shards;
    private int stuck;
    private int failed;
    private String cause = "";

    SweepRun(PassKind kind) {
      this.bookmark =
          new ClaimedBookmark(
              runs, ClaimedBookmark.SWEEP, log, loop, kind, /* sharers= */ 1, () -> looked);
      this.pass = new Pass<>(this, bookmark, loop, AT_ONCE, settings.sweep());
    }

    CompletableFuture<Pass.End> run() {
      return pass.run().thenApply(this::end);
    }

    /** The collections that documents are in, or begin in. */
    @Override
    public List<String> groups() {
      return store.layout().starts();
    }

    @Override
    public boolean canBeginAfter(String start, String after) {
      return after.startsWith(start + "/") && store.layout().shard(after).isPresent();
    }

    /** Shards that were moved do not count, since the next sweep does not meet them again. */
    @Override
    public boolean isSpent() {
      return looked - shards >= bookmark.looks(settings);
    }

    @Override
    public CompletableFuture<Pass.Page<DocumentShards>> page(
        String start, String after, int failures) {
      return store
          .page(start, after, size)
          .whenComplete((page, failure) -> note(failure))
          .thenApply(this::found);
    }

    private Pass.Page<DocumentShards> found(SweptPage page) {
      looked += page.looked();
      size = page.isCut() ? Math.max(1, page.looked()) : Math.min(2 * size, Folder.MOST_SHARDS);
      List<DocumentShards> found = new ArrayList<>();
      page.shards()
          .forEach(
              (document, some) -> {
                if (store.layout().holds(document)) {
                  found.add(new DocumentShards(document, some));
                }
              });
      return new Pass.Page<>(found, page.last());
    }

    @Override
    public CompletableFuture<Void> work(DocumentShards found) {
      return folder
          .foldRead(found.document(), found.shards(), MOST_BATCHES)
          .thenAccept(this::note)
          .handle(
              (none, failure) -> {
                note(failure);
                return null;
              });
    }

    private void note(Folder.Result result) {
      documents += result.moved() > 0 ? 1 : 0;
      shards += result.moved();
      stuck += result.stuck();
    }

    private void note(@Nullable Throwable failure) {
      if (failure != null) {
        failed++;
        cause = failure.toString();
      }
    }

    /** The same line as the other sweep's, so that alerts hear of both. */
    private Pass.End end(Pass.End end) {
      Map<String, Object> fields = new LinkedHashMap<>();
      boolean complete = end == Pass.End.COMPLETE;
      fields.put("complete", complete);
      if (end != Pass.End.ANOTHER) {
        bookmark.describe(fields, pass.age());
      }
      fields.put("looked", looked);
      fields.put("documents", documents);
      fields.put("shards", shards);
      fields.put("stuck", stuck);
      fields.put("failed", failed);
      if (failed > 0) {
        fields.put("cause", cause);
      }
      String message = end == Pass.End.ANOTHER ? "another sweep is at work" : "sweep";
      log.write(failed > 0 ? Severity.WARNING : Severity.INFO, message, fields);
      return bookmark.ended(end);
    }
  }
}
