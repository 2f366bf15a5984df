package dev.tallyroll.store;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.Present;
import dev.tallyroll.RollupFields;
import dev.tallyroll.ShardSums;
import dev.tallyroll.Sum;
import dev.tallyroll.SumMode;
import dev.tallyroll.Times;
import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Change.LeaseChange;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.RollupStore;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** Roll-ups in Cloud Firestore. Safe for use by many threads; futures complete on the loop. */
public final class FirestoreRollups implements RollupStore {
  private static final Map<String, Object> NOTHING =
      RollupFields.OURS.stream()
          .collect(Collectors.toMap(field -> field, field -> FieldValue.delete()));

  private final Firestore firestore;
  private final Layout layout;
  private final Calls calls;
  private final ShardSums sums;
  private final LiveQueries queries;
  private final SweepPages pages;

  public FirestoreRollups(Firestore firestore, Layout layout, SumMode sum, EventLoop loop) {
    this.firestore = firestore;
    this.layout = layout;
    this.calls = new Calls(loop);
    this.sums = new ShardSums(sum, layout.countField());
    this.queries = new LiveQueries(firestore, layout, calls);
    this.pages = new SweepPages(firestore, layout, calls);
  }

  @Override
  public Layout layout() {
    return layout;
  }

  @Override
  public CompletableFuture<Reading> read(CounterPath counter) {
    return calls
        .bring(document(counter).get())
        .thenApply(
            document ->
                new Reading(
                    RollupFields.decode(document, layout.counterDocument(counter)),
                    Times.instant(Present.of(document.getReadTime()))));
  }

  @Override
  public CompletableFuture<Sum> sum(CounterPath counter) {
    return calls.bring(sums.sum(firestore.collection(layout.shardsCollection(counter))));
  }

  @Override
  public CompletableFuture<Optional<Instant>> write(CounterPath counter, Change change) {
    return calls
        .compareAndSet(start(counter, change))
        .thenApply(applied -> applied.map(result -> Times.instant(result.getUpdateTime())));
  }

  private ApiFuture<WriteResult> start(CounterPath counter, Change change) {
    DocumentReference document = document(counter);
    if (change instanceof Change.Create create) {
      Map<String, Object> fields = RollupFields.encode(create.sum());
      fields.put(RollupFields.COUNTER, layout.counterDocument(counter));
      fields.putAll(RollupFields.encode(create.lease()));
      return document.create(fields);
    }
    if (change instanceof Change.Update update) {
      Map<String, Object> fields = update.sum().map(RollupFields::encode).orElseGet(HashMap::new);
      fields.putAll(encode(update.lease()));
      return document.update(fields, version(update.expected()));
    }
    if (change instanceof Change.Leave leave) {
      return document.update(NOTHING, version(leave.expected()));
    }
    return document.delete(version(((Change.Delete) change).expected()));
  }

  private static Map<String, Object> encode(LeaseChange change) {
    if (change instanceof LeaseChange.Set set) {
      return RollupFields.encode(set.lease());
    }
    return change instanceof LeaseChange.Remove
        ? Map.of(
            RollupFields.LIVE_UNTIL,
            FieldValue.delete(),
            RollupFields.LIVE_LANE,
            FieldValue.delete())
        : Map.of();
  }

  private static Precondition version(Instant expected) {
    return Precondition.updatedAt(Times.timestamp(expected));
  }

  @Override
  public CompletableFuture<LiveList> live() {
    return queries.all();
  }

  @Override
  public CompletableFuture<LiveList> liveAfter(Instant after, List<Integer> lanes) {
    return queries.after(after, lanes);
  }

  @Override
  public CompletableFuture<Page> page(Group group, String after, int limit) {
    return pages.page(group, after, limit);
  }

  private DocumentReference document(CounterPath counter) {
    return firestore.document(layout.rollupDocument(counter));
  }
}
