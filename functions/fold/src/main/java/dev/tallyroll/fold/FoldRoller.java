package dev.tallyroll.fold;

import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import dev.tallyroll.protocol.LiveSet;
import dev.tallyroll.protocol.LiveStore.Entry;
import dev.tallyroll.protocol.RunSettings;
import dev.tallyroll.protocol.Timing;
import dev.tallyroll.protocol.Turns;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Folds one worker's busy documents, each once a tick, while the one before has ended. A document
 * whose calls fail is passed over for half a LEASE, and one with more than {@value #MOST_STUCK}
 * shards that cannot be moved for a minute: its other increments wait so long, and each of these
 * shards costs two reads a minute and run at the most. Two rollers at once are wasteful but
 * harmless: a batch of one makes that of the other be refused.
 */
public final class FoldRoller extends LiveSet<String, FoldRoller.Live> {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  /** Some 5,000 shards; the next tick continues after them. */
  private static final int MOST_BATCHES = 25;

  /** So many shards are read at each tick, although they cannot be moved. */
  private static final int MOST_STUCK = 200;

  /** How many documents are folded at once, since each has shards in memory. */
  private static final int FOLDS_AT_ONCE = 64;

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final FoldStore store;
  private final Folder folder;
  private final Journal journal;
  private final Timing timing;
  private final EventLoop loop;
  private final int worker;
  private final Turns turns = new Turns(FOLDS_AT_ONCE);
  private FoldSummary summary = new FoldSummary();

  /** A document on the live list. */
  static final class Live extends LiveSet.Member<String> {
    /** What was folded before, on the way from the first shard to the last. */
    private Optional<Folder.Result> before = Optional.empty();

    private boolean failing;

    private Live(Entry<String> entry) {
      super(entry);
    }

    @Override
    protected boolean isFailing() {
      return failing;
    }
  }

  /** What has been done since the last report. */
  private static final class FoldSummary {
    int folds;
    int shards;
    int refused;
    int settled;

    /** Shards that stay, in documents that are looked at once a minute for their sake. */
    int stuck;

    int failed;
    String cause = "";
  }

  /**
   * @param fields those that are moved, by the names on the way to them; empty for all
   */
  public FoldRoller(
      FoldStore store,
      Set<List<String>> fields,
      Journal journal,
      RunSettings settings,
      int worker,
      EventLoop loop) {
    super(store.liveList(), document -> store.layout().liveId(document), settings, worker, loop);
    this.store = store;
    this.folder = new Folder(store, journal, loop, fields);
    this.journal = journal;
    this.timing = settings.timing();
    this.loop = loop;
    this.worker = worker;
  }

  /** What the other run still does is harmless. */
  @Override
  public void takeOver() {}

  @Override
  protected Live member(Entry<String> entry) {
    return new Live(entry);
  }

  @Override
  protected CompletableFuture<Void> stop() {
    turns.drop();
    return DONE;
  }

  @Override
  protected CompletableFuture<Void> work(Live document) {
    return turns.take(() -> fold(document).exceptionally(failure -> failed(document, failure)));
  }

  private CompletableFuture<Void> fold(Live document) {
    begins(document);
    if (!store.layout().holds(document.key())) {
      return remove(document); // it was entered with other settings
    }
    String after = document.before.map(Folder.Result::last).orElse("");
    return folder
        .fold(document.key(), after, MOST_BATCHES)
        .thenCompose(result -> ended(document, result));
  }

  private CompletableFuture<Void> ended(Live document, Folder.Result result) {
    hasWorked();
    document.failing = false;
    summary.folds++;
    summary.shards += result.moved();
    summary.refused += result.refused();
    Folder.Result all = document.before.map(before -> before.then(result)).orElse(result);
    document.before = Optional.of(all).filter(fold -> !fold.last().isEmpty());
    if (document.before.isEmpty() && all.stuck() > MOST_STUCK) {
      summary.stuck += all.stuck();
      document.waitUntil(loop.instant().plus(MINUTE));
    }
    if (all.found() || !all.isComplete() || !hasLasted(document, all.readTime().orElseThrow())) {
      return DONE;
    }
    summary.settled++;
    return remove(document);
  }

  /** Until then, an instance that has written the entry leaves the document's shards to us. */
  private boolean hasLasted(Live document, Instant readTime) {
    Duration spare = timing.tick().plus(timing.slack());
    return readTime.isAfter(document.begun().updateTime().plus(timing.lease()).plus(spare));
  }

  private Void failed(Live document, Throwable failure) {
    document.failing = true;
    document.waitUntil(loop.instant().plus(loop.jitter(timing.lease().dividedBy(2))));
    summary.cause = failure.toString();
    summary.failed++;
    return null;
  }

  @Override
  protected void report(int live, long missed, int cuts) {
    FoldSummary last = summary;
    summary = new FoldSummary();
    if (last.folds + last.failed + cuts + missed == 0) {
      return;
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put(Journal.WORKER, worker);
    fields.put("live", live);
    fields.put("folds", last.folds);
    fields.put("shards", last.shards);
    fields.put("refused", last.refused);
    fields.put("settled", last.settled);
    fields.put("stuck", last.stuck);
    fields.put("late", missed);
    fields.put("cut", cuts);
    fields.put("failed", last.failed);
    if (last.failed > 0) {
      fields.put("cause", last.cause);
    }
    boolean worrying = last.failed > 0 || cuts > 0 || last.stuck > 0;
    journal.write(worrying ? Severity.WARNING : Severity.INFO, "fold summary", fields);
  }
}
