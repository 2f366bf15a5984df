package dev.tallyroll.store;

import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldMask;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QuerySnapshot;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Sum.Remains;
import dev.tallyroll.internal.Times;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.MissingIndexException;
import dev.tallyroll.protocol.ShardSummer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The calls for shards. */
public final class FirestoreSums implements ShardSummer {
  /** Among so many documents, one that lacks the field is looked for. */
  private static final int MOST_EXAMPLES = 100;

  /** How many shards' ages are read; enough for an estimate. */
  private static final int MAX_AGES = 1_000;

  private final Firestore firestore;
  private final Calls calls;

  FirestoreSums(Firestore firestore, Calls calls) {
    this.firestore = firestore;
    this.calls = calls;
  }

  @Override
  public CompletableFuture<Sum> sum(CounterId counter) {
    CompletableFuture<Sum> sum = calls.make(() -> sums(counter.entry()).sum(shards(counter)));
    return Calls.cancelling(
        sum.exceptionallyCompose(
            failure ->
                CompletableFuture.failedFuture(
                    Failures.code(failure) == StatusCode.Code.FAILED_PRECONDITION
                        ? new MissingIndexException(failure)
                        : failure)),
        sum);
  }

  /** How an entry's counters are summed. */
  public static ShardSums sums(Entry entry) {
    return new ShardSums(entry.sum(), entry.layout().counted());
  }

  @Override
  public CompletableFuture<Sum> sumOrRemains(CounterId counter) {
    return sum(counter)
        .thenCompose(
            sum ->
                sum.shards() > 0
                    ? CompletableFuture.completedFuture(sum)
                    : remains(counter).thenApply(sum::withRemains));
  }

  private CompletableFuture<Remains> remains(CounterId counter) {
    return !counter.entry().fields().isEmpty()
        ? hasDocument(counter)
            .thenCompose(
                has ->
                    has
                        ? CompletableFuture.completedFuture(Remains.OWN_DOCUMENT)
                        : uncounted(counter))
        : uncounted(counter);
  }

  private CompletableFuture<Boolean> hasDocument(CounterId counter) {
    DocumentReference[] document = {firestore.document(counter.document())};
    FieldMask nothing = FieldMask.of(FieldPath.documentId());
    return calls
        .make(() -> firestore.getAll(document, nothing))
        .thenApply(found -> found.get(0).exists());
  }

  /** One that has come since the sum has an event, or will be in the next sweep's. */
  private CompletableFuture<Remains> uncounted(CounterId counter) {
    return first(counter).thenApply(found -> found.isEmpty() ? Remains.NOTHING : Remains.UNCOUNTED);
  }

  private CompletableFuture<QuerySnapshot> first(CounterId counter) {
    return calls.make(() -> shards(counter).select(FieldPath.documentId()).limit(1).get());
  }

  @Override
  public CompletableFuture<Optional<Uncounted>> uncounted(CounterId counter, Sum sum) {
    return calls
        .make(() -> shards(counter).count().get())
        .thenCompose(
            all -> {
              long more = all.getCount() - sum.shards();
              return more > 0
                  ? uncountedOne(counter)
                      .thenApply(found -> found.map(one -> new Uncounted(more, one)))
                  : CompletableFuture.completedFuture(Optional.empty());
            });
  }

  /**
   * Proves that some do not count: what is more than a sum may have come after it. Values that are
   * no numbers may be large, and an instance has 512 MiB, so none is read: in the order of values,
   * they are behind all numbers or before them. What is left to find lacks the field.
   */
  private CompletableFuture<Optional<String>> uncountedOne(CounterId counter) {
    FieldPath field = counter.layout().counted().orElseThrow().path();
    Query sorted = shards(counter).orderBy(field).select(FieldPath.documentId()).limit(1);
    Query some = shards(counter).select(field).limit(MOST_EXAMPLES);
    return uncountedOne(sorted.startAfter(Double.POSITIVE_INFINITY), field)
        .thenCompose(
            found ->
                or(found, () -> uncountedOne(sorted.endBefore(Double.NEGATIVE_INFINITY), field)))
        .thenCompose(found -> or(found, () -> uncountedOne(some, field)));
  }

  private static <T> CompletableFuture<Optional<T>> or(
      Optional<T> found, Supplier<CompletableFuture<Optional<T>>> other) {
    return found.isPresent() ? CompletableFuture.completedFuture(found) : other.get();
  }

  /** The first document of an answer that has no number, or was not asked for one. */
  private CompletableFuture<Optional<String>> uncountedOne(Query query, FieldPath field) {
    return calls
        .make(query::get)
        .thenApply(
            answer ->
                answer.getDocuments().stream()
                    .filter(shard -> !ShardSums.isCounted(shard.get(field)))
                    .map(shard -> shard.getReference().getPath())
                    .findFirst());
  }

  @Override
  public CompletableFuture<List<Duration>> agesOfShards(CounterId counter) {
    // In Firestore's order of ids, the first shard of a counter comes first.
    return firstIsNumbered(counter)
        .thenCompose(
            numbered ->
                numbered ? agesOfAll(counter) : CompletableFuture.completedFuture(List.of()));
  }

  private CompletableFuture<Boolean> firstIsNumbered(CounterId counter) {
    return first(counter)
        .thenApply(
            found ->
                found.getDocuments().stream()
                    .allMatch(shard -> counter.layout().isNumbered(shard.getId())));
  }

  private CompletableFuture<List<Duration>> agesOfAll(CounterId counter) {
    return calls
        .make(() -> shards(counter).select(FieldPath.documentId()).limit(MAX_AGES).get())
        .thenApply(
            answer ->
                answer.getDocuments().stream()
                    .map(shard -> Times.instant(shard.getUpdateTime()))
                    .map(time -> Duration.between(time, Times.instant(answer.getReadTime())))
                    .toList());
  }

  private Query shards(CounterId counter) {
    return counter.conditions().of(firestore.collection(counter.shards()));
  }
}
