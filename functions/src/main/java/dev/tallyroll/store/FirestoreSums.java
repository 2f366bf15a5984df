package dev.tallyroll.store;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.FieldMask;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Times;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.protocol.ConfirmedSettings;
import dev.tallyroll.protocol.ShardSummer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** The calls for shards, and for the settings that their sums are made with. */
public final class FirestoreSums implements ShardSummer, ConfirmedSettings.Documents {
  /** How many shards' ages are read; enough for an estimate. */
  private static final int MAX_AGES = 1_000;

  private final Firestore firestore;
  private final Calls calls;
  private final Calls runCalls;
  private final ShardSums sums;
  private final ConfirmedSettings confirmed;

  /**
   * @param layout of the counters
   * @param showsFields whether fields of counters' own documents show their figures
   * @param runCalls those for the settings
   */
  public FirestoreSums(
      Firestore firestore,
      Layout layout,
      SumMode sum,
      boolean showsFields,
      Calls calls,
      Calls runCalls) {
    this.firestore = firestore;
    this.calls = calls;
    this.runCalls = runCalls;
    this.sums = new ShardSums(sum, layout.counted());
    this.confirmed = new ConfirmedSettings(this, layout, showsFields, calls.loop());
  }

  @Override
  public CompletableFuture<Sum> confirmedSum(Located counter) {
    return sumShards(counter).thenCompose(sum -> confirmed.judge(counter, sum));
  }

  @Override
  public CompletableFuture<Sum> sumOfEmptied(Located counter) {
    return sumShards(counter).thenCompose(sum -> confirmed.judgeEmptied(counter, sum));
  }

  @Override
  public CompletableFuture<Sum> sum(Located counter) {
    return sumShards(counter).thenCompose(confirmed::confirm);
  }

  private CompletableFuture<Sum> sumShards(Located counter) {
    return calls.make(() -> sums.sum(shards(counter)));
  }

  @Override
  public CompletableFuture<List<Duration>> agesOfShards(Located counter) {
    // In Firestore's order of ids, the first shard of a counter comes first.
    return firstIsNumbered(counter)
        .thenCompose(
            numbered ->
                numbered ? agesOfAll(counter) : CompletableFuture.completedFuture(List.of()));
  }

  private CompletableFuture<Boolean> firstIsNumbered(Located counter) {
    return calls
        .make(() -> shards(counter).select(FieldPath.documentId()).limit(1).get())
        .thenApply(
            found ->
                found.getDocuments().stream()
                    .allMatch(shard -> counter.layout().isNumbered(shard.getId())));
  }

  private CompletableFuture<List<Duration>> agesOfAll(Located counter) {
    return calls
        .make(() -> shards(counter).select(FieldPath.documentId()).limit(MAX_AGES).get())
        .thenApply(
            answer ->
                answer.getDocuments().stream()
                    .map(shard -> Times.instant(shard.getUpdateTime()))
                    .map(time -> Duration.between(time, Times.instant(answer.getReadTime())))
                    .toList());
  }

  private CollectionReference shards(Located counter) {
    return firestore.collection(counter.shards());
  }

  @Override
  public CompletableFuture<ConfirmedSettings.Found> findShard(Located counter) {
    Optional<FieldPath> counted = counter.layout().counted().map(FieldName::path);
    FieldPath field = counted.orElse(FieldPath.documentId());
    return calls
        .make(() -> shards(counter).select(field).limit(1).get())
        .thenApply(
            found ->
                found.isEmpty()
                    ? ConfirmedSettings.Found.NOTHING
                    : counted.isEmpty() || found.getDocuments().get(0).contains(field)
                        ? ConfirmedSettings.Found.SHARD
                        : ConfirmedSettings.Found.OTHER);
  }

  @Override
  public CompletableFuture<Boolean> isThere(Located counter) {
    DocumentReference[] document = {firestore.document(counter.document())};
    FieldMask nothing = FieldMask.of(FieldPath.documentId());
    return calls
        .make(() -> firestore.getAll(document, nothing))
        .thenApply(found -> found.get(0).exists());
  }

  /** Reads only the fields of ours: in a foreign document, others may be large. */
  @Override
  public CompletableFuture<Optional<Map<String, Object>>> settings(Layout of) {
    DocumentReference[] document = {firestore.document(of.settingsDocument())};
    FieldMask fields = FieldMask.of(ConfirmedSettings.FIELDS.toArray(String[]::new));
    return runCalls
        .make(() -> firestore.getAll(document, fields))
        .thenApply(found -> Optional.ofNullable(found.get(0).getData()));
  }

  @Override
  public CompletableFuture<Void> createSettings(Layout of, Map<String, Object> fields) {
    return runCalls
        .compareAndSet(() -> firestore.document(of.settingsDocument()).create(fields))
        .thenAccept(created -> {});
  }

  /** The settings with which the counters' totals were made. */
  ConfirmedSettings confirmed() {
    return confirmed;
  }
}
