package dev.tallyroll.timestamps;

import com.google.cloud.firestore.Query;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.StructuredQuery.CollectionSelector;
import com.google.protobuf.CodedOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * A caller's query: where it looks and what it filters by. Whoever has one has a query that can be
 * asked per chunk of shard values, ordered by the timestamp. Immutable.
 */
record BaseQuery(Query query, RunQueryRequest request) {

  /**
   * Takes a caller's query.
   *
   * @throws UnusableQueryException if it cannot be sharded
   */
  static BaseQuery of(Query query, Fields fields) {
    BaseQuery base = new BaseQuery(query, request(query));
    QueryRules.check(base.structure(), fields);
    return base;
  }

  private static RunQueryRequest request(Query query) {
    try {
      return query.toProto();
    } catch (IllegalStateException limitToLast) {
      throw new UnusableQueryException("no limitToLast(); the page has a limit", "one");
    }
  }

  StructuredQuery structure() {
    return request.getStructuredQuery();
  }

  /** The id of its collection or of its collection group. */
  String collection() {
    return from().getCollectionId();
  }

  boolean isGroup() {
    return from().getAllDescendants();
  }

  private CollectionSelector from() {
    return structure().getFrom(0);
  }

  /** How many shard values fit beside its own disjunctions; at least one. */
  int valuesPerQuery() {
    return NormalForm.MAX_DISJUNCTIONS / NormalForm.disjunctions(structure().getWhere());
  }

  List<List<Term>> alternatives() {
    return NormalForm.of(structure().getWhere());
  }

  /** The same for the same query in every process that has the same version of the client. */
  String fingerprint(Fields fields, Query.Direction direction) {
    String order =
        String.join(
            "/", fields.shard(), fields.timestamp(), fields.kind().name(), direction.name(), "");
    return Fingerprint.of(
        bytes(request.toBuilder().setParent(order + request.getParent()).build()));
  }

  /** A filter may hold maps, whose order else differs from process to process. */
  private static byte[] bytes(RunQueryRequest request) {
    byte[] bytes = new byte[request.getSerializedSize()];
    CodedOutputStream output = CodedOutputStream.newInstance(bytes);
    output.useDeterministicSerialization();
    try {
      request.writeTo(output);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes;
  }
}
