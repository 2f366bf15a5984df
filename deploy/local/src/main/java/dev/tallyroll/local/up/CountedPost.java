package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.WriteBatch;
import com.google.common.util.concurrent.MoreExecutors;
import dev.tallyroll.CounterPath;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.SumMode;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Conditions;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Times;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * The likes, the comments or the ratings of a post, or the tickets of a team: documents that users
 * create, and the field with their number. The demo counts those that it creates, after the ones
 * that were there before. Thread-safe.
 */
final class CountedPost implements DemoCounter.Source {
  private static final String STARS = "stars";

  private static final int MOST_STARS = 5;
  private static final int BATCH = 500;
  private static final int TIMED_SUMS = 21;

  private final DocumentReference post;
  private final DocumentReference rollup;
  private final CollectionReference documents;
  private final Conditions conditions;
  private final Layout layout;
  private final FieldName field;
  private final Optional<FieldName> average;
  private final long before;
  private final AtomicLong created = new AtomicLong();
  private final Random random = new Random(1);

  /**
   * @param entry of documents, whose number is in a field of the post
   * @param before how many documents {@link #fill} creates
   */
  CountedPost(Firestore firestore, String id, Entry entry, long before) {
    this.layout = entry.layout();
    this.before = before;
    field = Objects.requireNonNull(entry.fields().get(Figure.COUNT));
    average = Optional.ofNullable(entry.fields().get(Figure.AVERAGE));
    CounterId counter = entry.counter(CounterPath.of(id));
    post = firestore.document(counter.document());
    rollup = firestore.document(counter.rollup());
    documents = firestore.collection(counter.shards());
    conditions = counter.conditions();
  }

  /** Creates the post, and the documents that are there before. */
  void fill() throws ExecutionException, InterruptedException {
    post.set(Map.of("title", "bench"), SetOptions.merge()).get();
    for (long left = before; left > 0; left -= BATCH) {
      WriteBatch batch = post.getFirestore().batch();
      for (long i = 0; i < Math.min(left, BATCH); i++) {
        batch.create(documents.document(), content());
      }
      batch.commit().get();
    }
  }

  @Override
  public String name() {
    return post.getPath() + " " + field;
  }

  @Override
  public ApiFuture<Instant> increment() {
    return ApiFutures.transform(
        documents.document().create(content()),
        written -> {
          created.incrementAndGet();
          return Times.instant(written.getUpdateTime());
        },
        MoreExecutors.directExecutor());
  }

  /** Stars, and what the counter's conditions want. */
  private synchronized Map<String, Object> content() {
    Map<String, Object> content = new HashMap<>();
    content.put(STARS, 1 + random.nextInt(MOST_STARS));
    conditions.putInto(content);
    return content;
  }

  /** The documents that are there before, some hundreds, to be moved. */
  List<DocumentReference> filled() throws ExecutionException, InterruptedException {
    return conditions.of(documents).get().get().getDocuments().stream()
        .map(DocumentSnapshot::getReference)
        .toList();
  }

  /** Changes a document of this post so that it counts for another. */
  ApiFuture<Instant> move(DocumentReference moved, CountedPost to) {
    return ApiFutures.transform(
        moved.set(to.content(), SetOptions.merge()),
        written -> {
          created.decrementAndGet();
          to.created.incrementAndGet();
          return Times.instant(written.getUpdateTime());
        },
        MoreExecutors.directExecutor());
  }

  /** How many documents more than before the field shows; fewer are below zero. */
  long risen(DocumentSnapshot found) {
    return number(found) - before;
  }

  long before() {
    return before;
  }

  DocumentReference document() {
    return post;
  }

  /** Costs no sum over all documents, for which the emulator would have no time for others. */
  @Override
  public long exact() {
    return created.get();
  }

  @Override
  public ListenerRegistration listen(Consumer<RolledUpTotal> reader) {
    var last = new AtomicLong();
    return post.addSnapshotListener(
        (found, failure) -> {
          // Other figures of the post change it, too.
          if (found != null && risen(found) > 0 && last.getAndSet(risen(found)) != risen(found)) {
            Instant at = Times.instant(found.getUpdateTime());
            reader.accept(RolledUpTotal.of(Total.of(risen(found)), at, /* isLive= */ false));
          }
        });
  }

  private long number(DocumentSnapshot found) {
    return found.get(field.path()) instanceof Number number ? number.longValue() : 0;
  }

  /** Whether the post shows all documents, and the functions leave it alone. */
  boolean isSettled() throws ExecutionException, InterruptedException {
    return number(post.get().get()) == before + created.get()
        && rollup.get().get().get(RollupFields.LIVE_UNTIL) == null;
  }

  /** Whether the fields of a settled post are those of its documents. */
  boolean isExact() throws ExecutionException, InterruptedException {
    Sum sum = sum();
    DocumentSnapshot found = post.get().get();
    double mean = sum.total().doubleValue() / sum.shards();
    return number(found) == sum.shards()
        && sum.shards() == before + created.get()
        && average.map(shown -> Double.valueOf(mean).equals(found.get(shown.path()))).orElse(true);
  }

  private Sum sum() throws ExecutionException, InterruptedException {
    return new ShardSums(SumMode.AGGREGATE, layout.counted()).sum(conditions.of(documents)).get();
  }

  /** The times of some sums over all documents, in nanoseconds, one after the other. */
  List<Long> timeSums() throws ExecutionException, InterruptedException {
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < TIMED_SUMS; i++) {
      long started = System.nanoTime();
      sum();
      times.add(System.nanoTime() - started);
    }
    return times;
  }

  /** The reads that Firestore bills for a sum over all documents. */
  long readsOfSum() {
    return Math.max(1, (before + created.get() + 999) / 1_000);
  }
}
