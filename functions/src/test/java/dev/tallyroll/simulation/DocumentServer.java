package dev.tallyroll.simulation;

import com.google.api.gax.grpc.GrpcStatusCode;
import com.google.api.gax.rpc.ApiExceptionFactory;
import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.DocumentTransform.FieldTransform;
import com.google.firestore.v1.Precondition;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import com.google.firestore.v1.Value;
import com.google.firestore.v1.Write;
import com.google.firestore.v1.WriteResult;
import com.google.protobuf.Timestamp;
import io.grpc.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Documents, in Firestore's own protocol: as much of it as a client of counters uses. Batches are
 * carried out whole or not at all; a write that changes nothing leaves the document's version.
 */
final class DocumentServer {
  private final Map<String, Document> documents = new TreeMap<>();

  /** All that there is below a path, in order. */
  List<Document> list(String collection) {
    return documents.values().stream()
        .filter(document -> parent(document.getName()).equals(collection))
        .toList();
  }

  static String parent(String path) {
    return path.substring(0, path.lastIndexOf('/'));
  }

  /** A field of a document; 0 if there is none. */
  long integer(String path, String field) {
    Document document = documents.getOrDefault(path, Document.getDefaultInstance());
    return document.getFieldsOrDefault(field, integer(0)).getIntegerValue();
  }

  List<BatchGetDocumentsResponse> get(BatchGetDocumentsRequest request, Instant now) {
    return request.getDocumentsList().stream().map(name -> get(name, now)).toList();
  }

  private BatchGetDocumentsResponse get(String name, Instant now) {
    BatchGetDocumentsResponse.Builder answer =
        BatchGetDocumentsResponse.newBuilder().setReadTime(timestamp(now));
    Document found = documents.get(name);
    return (found == null ? answer.setMissing(name) : answer.setFound(found)).build();
  }

  List<RunQueryResponse> query(RunQueryRequest request, Instant now) {
    var query = request.getStructuredQuery();
    String collection = request.getParent() + "/" + query.getFrom(0).getCollectionId();
    List<RunQueryResponse> answer = new ArrayList<>();
    list(collection).stream()
        .limit(query.hasLimit() ? query.getLimit().getValue() : Long.MAX_VALUE)
        .map(document -> RunQueryResponse.newBuilder().setDocument(document))
        .forEach(found -> answer.add(found.setReadTime(timestamp(now)).build()));
    answer.add(RunQueryResponse.newBuilder().setReadTime(timestamp(now)).build());
    return answer;
  }

  /**
   * Carries a batch out.
   *
   * @throws RuntimeException as the client would, with nothing written, if a precondition fails
   */
  CommitResponse commit(CommitRequest request, Instant now) {
    Map<String, Document> after = new TreeMap<>(documents);
    CommitResponse.Builder answer = CommitResponse.newBuilder().setCommitTime(timestamp(now));
    for (Write write : request.getWritesList()) {
      answer.addWriteResults(apply(write, after, now));
    }
    documents.clear();
    documents.putAll(after);
    return answer.build();
  }

  /** The document that a write is about. */
  static String name(Write write) {
    return write.getDelete().isEmpty() ? write.getUpdate().getName() : write.getDelete();
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

  static Timestamp timestamp(Instant time) {
    return Timestamp.newBuilder()
        .setSeconds(time.getEpochSecond())
        .setNanos(time.getNano())
        .build();
  }

  static Value integer(long value) {
    return Value.newBuilder().setIntegerValue(value).build();
  }

  static RuntimeException failure(Status.Code code, String why) {
    Status status = Status.fromCode(code).withDescription(why);
    return ApiExceptionFactory.createException(
        status.asRuntimeException(), GrpcStatusCode.of(code), /* retryable= */ false);
  }
}
