package dev.tallyroll.simulation;

import com.google.api.gax.grpc.GrpcStatusCode;
import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.ApiExceptionFactory;
import com.google.firestore.v1.AggregationResult;
import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.DocumentTransform.FieldTransform;
import com.google.firestore.v1.Precondition;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import com.google.firestore.v1.Value;
import com.google.firestore.v1.Write;
import com.google.firestore.v1.WriteResult;
import com.google.protobuf.Timestamp;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Sum;
import io.grpc.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The server's side of one counter that clients use through the library: the part of Firestore's
 * own protocol that they use. A batch is carried out as a whole or not at all. A write without a
 * change keeps the document's version. The shards are in the database, so that the functions get
 * their events.
 */
class CounterServer {
  private final World world;
  private final CounterPath counter;
  private final BiConsumer<CounterPath, Optional<Instant>> written;
  private final Database database;
  private final Map<String, Document> documents = new TreeMap<>();
  private final String path;

  /**
   * @param written takes the commit time of each write of a shard when the write is visible; empty
   *     for a delete
   */
  CounterServer(
      World world, CounterPath counter, BiConsumer<CounterPath, Optional<Instant>> written) {
    this.world = world;
    this.counter = counter;
    this.written = written;
    this.database = world.database;
    this.path = "projects/simulated/databases/(default)/documents/counters/" + counter;
  }

  List<BatchGetDocumentsResponse> get(BatchGetDocumentsRequest request) {
    Timestamp now = timestamp(database.tick());
    return request.getDocumentsList().stream().map(name -> get(name, now)).toList();
  }

  private BatchGetDocumentsResponse get(String name, Timestamp now) {
    BatchGetDocumentsResponse.Builder answer =
        BatchGetDocumentsResponse.newBuilder().setReadTime(now);
    Document found = documents.get(name);
    return (found == null ? answer.setMissing(name) : answer.setFound(found)).build();
  }

  List<RunQueryResponse> query(RunQueryRequest request) {
    Timestamp now = timestamp(database.tick());
    var query = request.getStructuredQuery();
    List<RunQueryResponse> answer = new ArrayList<>();
    list(request.getParent() + "/" + query.getFrom(0).getCollectionId()).stream()
        .limit(query.hasLimit() ? query.getLimit().getValue() : Long.MAX_VALUE)
        .map(document -> RunQueryResponse.newBuilder().setDocument(document))
        .forEach(found -> answer.add(found.setReadTime(now).build()));
    answer.add(RunQueryResponse.newBuilder().setReadTime(now).build());
    return answer;
  }

  private List<Document> list(String collection) {
    return documents.values().stream()
        .filter(document -> parent(document.getName()).equals(collection))
        .toList();
  }

  private static String parent(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  List<RunAggregationQueryResponse> aggregate(RunAggregationQueryRequest request) {
    Sum sum = database.sum(counter);
    Value total = integer(((Total.Whole) sum.total()).value());
    AggregationResult.Builder result = AggregationResult.newBuilder();
    request
        .getStructuredAggregationQuery()
        .getAggregationsList()
        .forEach(
            wanted ->
                result.putAggregateFields(
                    wanted.getAlias(), wanted.hasSum() ? total : integer(sum.shards())));
    return List.of(
        RunAggregationQueryResponse.newBuilder()
            .setResult(result)
            .setReadTime(timestamp(sum.readTime()))
            .build());
  }

  /** Commits, and answers when the effect is visible. */
  CompletableFuture<CommitResponse> commit(CommitRequest request) {
    CompletableFuture<CommitResponse> answer = new CompletableFuture<>();
    world.commit(
        counter,
        (committed, visible) -> {
          try {
            CommitResponse response = commit(request, committed);
            publish(request, committed, visible);
            answer.complete(response);
          } catch (ApiException refused) {
            answer.completeExceptionally(refused);
          }
        });
    return answer;
  }

  private CommitResponse commit(CommitRequest request, Instant now) {
    Map<String, Document> after = new TreeMap<>(documents);
    CommitResponse.Builder answer = CommitResponse.newBuilder().setCommitTime(timestamp(now));
    for (Write write : request.getWritesList()) {
      answer.addWriteResults(apply(write, after, now));
    }
    documents.clear();
    documents.putAll(after);
    return answer.build();
  }

  private static WriteResult apply(Write write, Map<String, Document> all, Instant now) {
    String name = name(write);
    Document old = all.get(name);
    check(write.getCurrentDocument(), name, old);
    if (!write.getDelete().isEmpty()) {
      all.remove(name);
      return WriteResult.getDefaultInstance();
    }
    Document changed = changed(write, old, now);
    all.put(name, changed);
    return WriteResult.newBuilder().setUpdateTime(changed.getUpdateTime()).build();
  }

  private static void check(Precondition expected, String name, @Nullable Document old) {
    switch (expected.getConditionTypeCase()) {
      case EXISTS -> {
        if (expected.getExists() != (old != null)) {
          throw failure(
              expected.getExists() ? Status.Code.NOT_FOUND : Status.Code.ALREADY_EXISTS, name);
        }
      }
      case UPDATE_TIME -> {
        if (old == null || !old.getUpdateTime().equals(expected.getUpdateTime())) {
          throw failure(Status.Code.FAILED_PRECONDITION, name);
        }
      }
      case CONDITIONTYPE_NOT_SET -> {}
    }
  }

  private static Document changed(Write write, @Nullable Document old, Instant now) {
    Document.Builder document =
        old != null && write.hasUpdateMask()
            ? old.toBuilder()
            : Document.newBuilder().setName(name(write));
    Map<String, Value> given = write.getUpdate().getFieldsMap();
    if (write.hasUpdateMask()) {
      write.getUpdateMask().getFieldPathsList().forEach(document::removeFields);
    }
    document.putAllFields(given);
    for (FieldTransform transform : write.getUpdateTransformsList()) {
      String field = transform.getFieldPath();
      long before = document.getFieldsOrDefault(field, integer(0)).getIntegerValue();
      long added = transform.getIncrement().getIntegerValue();
      document.putFields(field, integer(Math.addExact(before, added)));
    }
    if (old == null) {
      return document.setCreateTime(timestamp(now)).setUpdateTime(timestamp(now)).build();
    }
    boolean same = old.getFieldsMap().equals(document.getFieldsMap());
    return document
        .setCreateTime(old.getCreateTime())
        .setUpdateTime(same ? old.getUpdateTime() : timestamp(now))
        .build();
  }

  private static String name(Write write) {
    return write.getDelete().isEmpty() ? write.getUpdate().getName() : write.getDelete();
  }

  private static Timestamp timestamp(Instant time) {
    return Timestamp.newBuilder()
        .setSeconds(time.getEpochSecond())
        .setNanos(time.getNano())
        .build();
  }

  private static Value integer(long value) {
    return Value.newBuilder().setIntegerValue(value).build();
  }

  static ApiException failure(Status.Code code, String why) {
    Status status = Status.fromCode(code).withDescription(why);
    return ApiExceptionFactory.createException(
        status.asRuntimeException(), GrpcStatusCode.of(code), /* retryable= */ false);
  }

  /** Checks that all shards exist after compactions and resizings, since clients update them. */
  void checkShards() {
    Document head = documents.getOrDefault(path, Document.getDefaultInstance());
    long expected = head.getFieldsOrDefault("num_shards", integer(0)).getIntegerValue();
    for (int number = 0; number < expected; number++) {
      if (!database.shards(counter).containsKey(number)) {
        throw new AssertionError("shard " + number + " of " + expected + " is missing");
      }
    }
  }

  private void publish(CommitRequest request, Instant committed, Instant visible) {
    String shards = path + "/shards";
    List<Write> writes =
        request.getWritesList().stream()
            .filter(write -> parent(name(write)).equals(shards))
            .toList();
    Map<Integer, Database.Shard> now = new TreeMap<>();
    for (Document shard : list(shards)) {
      Total count = new Total.Whole(shard.getFieldsOrThrow("count").getIntegerValue());
      Timestamp update = shard.getUpdateTime();
      now.put(
          Integer.parseInt(shard.getName().substring(shards.length() + 1)),
          new Database.Shard(count, Instant.ofEpochSecond(update.getSeconds(), update.getNanos())));
    }
    database.shards.put(counter, now);
    if (!writes.isEmpty()) {
      world.history.shardsChanged(counter, visible, writes.size());
    }
    for (Write write : writes) {
      written.accept(
          counter, write.getDelete().isEmpty() ? Optional.of(committed) : Optional.empty());
    }
  }
}
