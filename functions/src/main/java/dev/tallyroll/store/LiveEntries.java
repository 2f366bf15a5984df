package dev.tallyroll.store;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.internal.Times;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.runs.LiveStore;
import dev.tallyroll.runs.Part;
import java.time.Instant;
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
 * @param field of an entry: the path of what it is about
 * @param keys gives what a path means to this list; empty for what is not ours
 * @param ids gives the id of an entry
 */
public record LiveEntries<K>(
    Firestore firestore,
    String path,
    Calls runCalls,
    Calls calls,
    String field,
    Function<String, Optional<K>> keys,
    Function<K, String> ids)
    implements LiveStore<K> {
  /** A field of an entry: the server's time of the request that wrote it. */
  private static final String SINCE = "since";

  /** More live entries than a worker can tick in time, and a bound on one answer. */
  private static final int MOST = 20_000;

  @Override
  public CompletableFuture<LiveList<K>> live(Part part) {
    Query all = firestore.collection(path).orderBy(FieldPath.documentId());
    return read(all.startAt(part.from()).endBefore(part.to()));
  }

  @Override
  public CompletableFuture<LiveList<K>> liveSince(Instant since) {
    return read(firestore.collection(path).whereGreaterThan(SINCE, Times.timestamp(since)));
  }

  private CompletableFuture<LiveList<K>> read(Query query) {
    return runCalls.make(() -> query.limit(MOST).get()).thenApply(this::decode);
  }

  private LiveList<K> decode(QuerySnapshot answer) {
    return new LiveList<>(
        answer.getDocuments().stream().flatMap(this::entry).toList(),
        Times.instant(answer.getReadTime()),
        answer.size() == MOST);
  }

  /** Empty if the document is not an entry of ours. */
  private Stream<Entry<K>> entry(QueryDocumentSnapshot document) {
    return document.get(field) instanceof String about
        ? keys.apply(about).stream()
            .filter(key -> ids.apply(key).equals(document.getId()))
            .map(key -> new Entry<>(key, Times.instant(document.getUpdateTime())))
        : Stream.empty();
  }

  @Override
  public CompletableFuture<Void> remove(Entry<K> entry) {
    DocumentReference document = document(entry.key());
    return calls
        .compareAndSet(() -> document.delete(Times.version(entry.updateTime())))
        .thenAccept(removed -> {});
  }

  /** The place of an entry. */
  public DocumentReference document(K key) {
    return firestore.collection(path).document(ids.apply(key));
  }

  /** The fields of an entry. */
  public Map<String, Object> fields(String about) {
    return Map.of(field, about, SINCE, FieldValue.serverTimestamp());
  }
}
