package dev.tallyroll.store;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.internal.Times;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.runs.LiveStore;
import dev.tallyroll.runs.WorkerRange;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A live list in Cloud Firestore: a collection with an entry for each counter, or document, that is
 * live, whose id is a hash of its path.
 *
 * @param path of the collection
 * @param runCalls the calls of its queries, which must not wait for others
 * @param about gives the fields of an entry that say what it is about
 * @param keys gives what such fields mean to these functions; empty for entries of functions that
 *     had other settings
 * @param ids gives the id of an entry
 */
public record LiveEntries<K>(
    Firestore firestore,
    String path,
    Calls runCalls,
    Calls calls,
    Function<K, Map<String, Object>> about,
    Function<DocumentSnapshot, Optional<K>> keys,
    Function<K, String> ids)
    implements LiveStore<K> {
  /** A field of an entry: the server's time of the request that wrote it. */
  private static final String SINCE = "since";

  /** More live entries than a worker can tick in time, and a bound on one answer. */
  private static final int MOST = 20_000;

  /** Functions with other settings have long ended. */
  private static final Duration DAY = Duration.ofDays(1);

  @Override
  public CompletableFuture<LiveList<K>> live(WorkerRange range) {
    Query all = firestore.collection(path).orderBy(FieldPath.documentId());
    return read(all.startAt(range.from()).endBefore(range.to()))
        .thenCompose(answer -> removeUnknown(answer).thenApply(none -> decode(answer)));
  }

  @Override
  public CompletableFuture<LiveList<K>> liveSince(Instant since) {
    return read(firestore.collection(path).whereGreaterThan(SINCE, Times.timestamp(since)))
        .thenApply(this::decode);
  }

  private CompletableFuture<QuerySnapshot> read(Query query) {
    return runCalls.make(() -> query.limit(MOST).get());
  }

  /** What cannot be removed now is read again by the next run. */
  private CompletableFuture<Void> removeUnknown(QuerySnapshot answer) {
    Timestamp yesterday = Times.timestamp(Times.instant(answer.getReadTime()).minus(DAY));
    return CompletableFuture.allOf(
            answer.getDocuments().stream()
                .filter(
                    entry ->
                        entry.get(SINCE) instanceof Timestamp since
                            && since.compareTo(yesterday) < 0)
                .filter(entry -> key(entry).isEmpty())
                .map(entry -> remove(entry.getReference(), Times.instant(entry.getUpdateTime())))
                .toArray(CompletableFuture<?>[]::new))
        .exceptionally(failure -> null);
  }

  private LiveList<K> decode(QuerySnapshot answer) {
    return new LiveList<>(
        answer.getDocuments().stream().flatMap(this::entry).toList(),
        Times.instant(answer.getReadTime()),
        answer.size() == MOST);
  }

  private Stream<Listed<K>> entry(QueryDocumentSnapshot document) {
    return key(document).stream()
        .map(key -> new Listed<>(key, Times.instant(document.getUpdateTime())));
  }

  private Optional<K> key(QueryDocumentSnapshot document) {
    return keys.apply(document).filter(key -> ids.apply(key).equals(document.getId()));
  }

  @Override
  public CompletableFuture<Void> remove(Listed<K> entry) {
    return remove(document(entry.key()), entry.updateTime());
  }

  private CompletableFuture<Void> remove(DocumentReference document, Instant updateTime) {
    return calls
        .compareAndSet(() -> document.delete(Times.version(updateTime)))
        .thenAccept(removed -> {});
  }

  /** The place of an entry. */
  public DocumentReference document(K key) {
    return firestore.collection(path).document(ids.apply(key));
  }

  /** The fields of an entry. */
  public Map<String, Object> fields(K key) {
    Map<String, Object> fields = new HashMap<>(about.apply(key));
    fields.put(SINCE, FieldValue.serverTimestamp());
    return fields;
  }
}
