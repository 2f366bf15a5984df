package dev.tallyroll.fold;

import com.google.api.core.ApiFuture;
import com.google.api.core.SettableApiFuture;
import com.google.api.gax.rpc.ApiStreamObserver;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.Blob;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldMask;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.SetOptions;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Times;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.runs.LiveStore;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.settings.FoldLayout;
import dev.tallyroll.store.FirestoreRuns;
import dev.tallyroll.store.LiveEntries;
import dev.tallyroll.store.PathRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Shards in the extension's layout, the documents that they belong to, and the live list.
 *
 * <p>Anybody may have filled shards, with a megabyte each, and an instance has 512 MiB. So a page
 * ends with the shard that makes it larger than {@link #MOST_SIZE}; what comes after that is
 * dropped as it arrives, and read again later.
 */
public final class FirestoreFolds implements FoldStore {
  /** Run documents and the live list do not wait for the calls of counters. */
  private static final int MOST_RUN_CALLS = 8;

  /** How many reads of shards or fields are under way, each with some megabytes at the most. */
  private static final int READS = 16;

  /** How large the shards of a page are together, but for the last. */
  private static final long MOST_SIZE = 1 << 19;

  /** The mark of run documents: these functions fold. */
  private static final String MARK = "folds";

  /** A field of an entry: the path of its document. */
  private static final String DOCUMENT = "document";

  private final Firestore firestore;
  private final FoldLayout layout;
  private final Calls calls;

  /** The calls for the live list and for run documents, which must not wait for others. */
  private final Calls runCalls;

  private final Calls reads;
  private final LiveEntries<String> entries;

  public FirestoreFolds(Firestore firestore, FoldLayout layout, Calls calls) {
    this.firestore = firestore;
    this.layout = layout;
    this.calls = calls;
    this.runCalls = calls.separate(MOST_RUN_CALLS);
    this.reads = calls.separate(READS);
    this.entries =
        new LiveEntries<>(
            firestore,
            layout.liveList(),
            runCalls,
            calls,
            document -> Map.of(DOCUMENT, document),
            FirestoreFolds::document,
            layout::liveId);
  }

  private static Optional<String> document(DocumentSnapshot entry) {
    return entry.get(DOCUMENT) instanceof String path ? Optional.of(path) : Optional.empty();
  }

  @Override
  public FoldLayout layout() {
    return layout;
  }

  /** The run documents beside this live list. */
  public RunStore runs() {
    return new FirestoreRuns(firestore, layout.deployment(), MARK, runCalls);
  }

  /** The first page is small, so that the client may hold it all: only then it tells the time. */
  @Override
  public CompletableFuture<ShardPage> read(String document, String after, int limit) {
    Query all = shards(document).orderBy(FieldPath.documentId());
    Query from = after.isEmpty() ? all : all.startAfter(after);
    return limit > FEW_SHARDS
        ? reads
            .make(() -> stream(from.limit(limit)::stream))
            .thenApply(
                some ->
                    new ShardPage(
                        some.shards(), some.isLast(limit), some.isCut(), Optional.empty()))
        : reads
            .make(() -> from.limit(limit).get())
            .thenApply(
                answer ->
                    new ShardPage(
                        answer.getDocuments().stream().map(FirestoreFolds::shard).toList(),
                        answer.size() < limit,
                        /* isCut= */ false,
                        Optional.of(Times.instant(answer.getReadTime()))));
  }

  private static Shard shard(DocumentSnapshot found) {
    return new Shard(
        found.getId(),
        Times.instant(found.getUpdateTime()),
        Optional.ofNullable(found.getData()).orElseGet(Map::of));
  }

  @Override
  public CompletableFuture<ShardsById> read(String document, List<String> ids) {
    DocumentReference[] documents =
        ids.stream().map(shards(document)::document).toArray(DocumentReference[]::new);
    return reads
        .make(() -> stream(some -> firestore.getAll(documents, /* fieldMask= */ null, some)))
        .thenApply(
            some -> {
              if (some.looked < documents.length) {
                throw new IllegalStateException( // an answer may end without an error
                    "expected word of %d shards; found %d"
                        .formatted(documents.length, some.looked));
              }
              return new ShardsById(
                  some.shards(), some.rest.stream().map(DocumentReference::getId).toList());
            });
  }

  /** Takes documents as they arrive, until they are large together. */
  private static final class BoundedPage implements ApiStreamObserver<DocumentSnapshot> {
    final SettableApiFuture<BoundedPage> done = SettableApiFuture.create();
    final List<DocumentSnapshot> taken = new ArrayList<>();

    /** The shards beyond the size of this page. */
    final List<DocumentReference> rest = new ArrayList<>();

    /** How many came, with those that are gone. */
    int looked;

    private long size;

    @Override
    public void onNext(DocumentSnapshot found) {
      looked++;
      if (size >= MOST_SIZE) {
        if (found.exists()) {
          rest.add(found.getReference());
        }
      } else if (found.exists()) {
        taken.add(found);
        size += size(found.getData());
      }
    }

    private static long size(@Nullable Object value) {
      if (value instanceof Map<?, ?> map) {
        return map.entrySet().stream()
            .mapToLong(entry -> size(entry.getKey()) + size(entry.getValue()))
            .sum();
      }
      if (value instanceof List<?> list) {
        return list.stream().mapToLong(BoundedPage::size).sum();
      }
      return value instanceof String text
          ? text.length()
          : value instanceof Blob blob ? blob.toByteString().size() : Long.BYTES;
    }

    @Override
    public void onError(Throwable failure) {
      done.setException(failure);
    }

    @Override
    public void onCompleted() {
      done.set(this);
    }

    boolean isCut() {
      return !rest.isEmpty();
    }

    boolean isLast(int limit) {
      return looked < limit && !isCut();
    }

    List<Shard> shards() {
      return taken.stream().map(FirestoreFolds::shard).toList();
    }
  }

  private static ApiFuture<BoundedPage> stream(Consumer<BoundedPage> call) {
    BoundedPage some = new BoundedPage();
    call.accept(some);
    return some.done;
  }

  private CollectionReference shards(String document) {
    return firestore.collection(layout.shardsCollection(document));
  }

  @Override
  public CompletableFuture<Owner> fields(String document, Set<FieldName> fields) {
    DocumentReference[] documents = {firestore.document(document)};
    Stream<FieldPath> whole = fields.stream().map(FieldName::top).distinct();
    FieldMask mask = FieldMask.of(whole.toArray(FieldPath[]::new));
    return reads
        .make(() -> firestore.getAll(documents, mask))
        .thenApply(
            found ->
                new Owner(
                    Optional.ofNullable(found.get(0).getData()).orElseGet(Map::of),
                    Optional.ofNullable(found.get(0).getUpdateTime()).map(Times::instant)));
  }

  @Override
  public CompletableFuture<Outcome> move(String document, Plan plan) {
    return calls
        .compareAndSet(() -> batch(document, plan).commit())
        .thenApply(done -> done.isPresent() ? Outcome.DONE : Outcome.REFUSED)
        .exceptionallyCompose(
            failure ->
                Failures.code(failure.getCause()) == StatusCode.Code.INVALID_ARGUMENT
                    ? CompletableFuture.completedFuture(Outcome.IMPOSSIBLE)
                    : CompletableFuture.failedFuture(failure));
  }

  private WriteBatch batch(String document, Plan plan) {
    WriteBatch batch = firestore.batch();
    DocumentReference owner = firestore.document(document);
    if (plan.version().isPresent()) {
      Map<FieldName, Optional<Object>> sums = new HashMap<>();
      plan.sums().forEach((names, sum) -> sums.put(names, Optional.of(increment(sum))));
      change(batch, owner, Times.version(plan.version().get()), sums);
    } else if (!plan.sums().isEmpty()) {
      batch.set(owner, increments(plan.sums()), SetOptions.merge());
    }
    for (Shard.Change change : plan.changes()) {
      DocumentReference shard = shards(document).document(change.shard().id());
      Precondition version = Times.version(change.shard().version());
      if (change.fields().isEmpty()) {
        batch.delete(shard, version);
      } else {
        change(batch, shard, version, change.fields());
      }
    }
    return batch;
  }

  @SuppressWarnings("unchecked") // the maps on the way are those that are made here
  private static Map<String, Object> increments(Map<FieldName, Number> sums) {
    Map<String, Object> increments = new HashMap<>();
    sums.forEach(
        (field, sum) -> {
          List<String> names = field.names();
          Map<String, Object> inner = increments;
          for (String name : names.subList(0, names.size() - 1)) {
            inner = (Map<String, Object>) inner.computeIfAbsent(name, none -> new HashMap<>());
          }
          inner.put(field.last(), increment(sum));
        });
    return increments;
  }

  private static FieldValue increment(Number sum) {
    return sum instanceof Long whole
        ? FieldValue.increment(whole)
        : FieldValue.increment(sum.doubleValue());
  }

  private static void change(
      WriteBatch batch,
      DocumentReference document,
      Precondition version,
      Map<FieldName, Optional<Object>> fields) {
    List<Object> others = new ArrayList<>();
    fields.forEach(
        (field, value) -> {
          others.add(field.path());
          others.add(value.orElseGet(FieldValue::delete));
        });
    batch.update(
        document,
        version,
        (FieldPath) others.get(0),
        others.get(1),
        others.subList(2, others.size()).toArray());
  }

  @Override
  public CompletableFuture<Void> enter(String document) {
    return runCalls
        .make(() -> entries.document(document).set(entries.fields(document)))
        .thenAccept(written -> {});
  }

  @Override
  public LiveStore<String> liveList() {
    return entries;
  }

  @Override
  public CompletableFuture<SweptPage> page(String start, String after, int limit) {
    Query all = PathRange.of(firestore, layout.shards(), start);
    Query from = after.isEmpty() ? all : all.startAfter(firestore.document(after));
    return reads
        .make(() -> stream(from.limit(limit)::stream))
        .thenApply(some -> swept(some, limit));
  }

  private SweptPage swept(BoundedPage some, int limit) {
    Map<String, List<Shard>> shards = new LinkedHashMap<>();
    String last = "";
    for (DocumentSnapshot found : some.taken) {
      last = found.getReference().getPath();
      layout
          .shard(last)
          .ifPresent(
              place ->
                  shards
                      .computeIfAbsent(place.document(), none -> new ArrayList<>())
                      .add(shard(found)));
    }
    return new SweptPage(shards, some.taken.size(), some.isLast(limit) ? "" : last, some.isCut());
  }
}
