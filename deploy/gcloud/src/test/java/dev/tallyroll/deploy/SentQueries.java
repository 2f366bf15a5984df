package dev.tallyroll.deploy;

import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.StructuredAggregationQuery;
import com.google.firestore.v1.StructuredAggregationQuery.Aggregation;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.StructuredQuery.CompositeFilter;
import com.google.firestore.v1.StructuredQuery.Direction;
import com.google.firestore.v1.StructuredQuery.FieldFilter;
import com.google.firestore.v1.StructuredQuery.Filter;
import dev.tallyroll.deploy.IndexFile.Field;
import dev.tallyroll.deploy.IndexFile.Index;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * What a Firestore client asks, taken from the wire before it leaves, as nobody answers; and what
 * such a query needs of an index. Thread-safe.
 */
final class SentQueries implements ClientInterceptor {

  private static final Set<FieldFilter.Operator> EQUALITIES =
      Set.of(FieldFilter.Operator.EQUAL, FieldFilter.Operator.IN);

  private final List<Index> needs = new CopyOnWriteArrayList<>();

  /** What the queries need that were sent so far. */
  List<Index> needs() {
    return List.copyOf(needs);
  }

  Firestore client() {
    InstantiatingGrpcChannelProvider channel =
        InstantiatingGrpcChannelProvider.newBuilder()
            .setEndpoint("127.0.0.1:1") // Never dialled.
            .setInterceptorProvider(() -> List.of(this))
            .build();
    return FirestoreOptions.newBuilder()
        .setProjectId("p")
        .setCredentials(new FirestoreOptions.EmulatorCredentials())
        .setChannelProvider(channel)
        .build()
        .getService();
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    return new Unanswered<>();
  }

  /** Ends with an error that the client does not repeat. */
  private final class Unanswered<Q, A> extends ClientCall<Q, A> {
    private @Nullable Listener<A> listener;

    @Override
    public void start(Listener<A> answers, Metadata headers) {
      listener = answers;
    }

    @Override
    public void sendMessage(Q message) {
      if (message instanceof RunQueryRequest query) {
        needs.add(need(query.getStructuredQuery()));
      } else if (message instanceof RunAggregationQueryRequest query) {
        needs.add(need(query.getStructuredAggregationQuery()));
      }
    }

    @Override
    public void halfClose() {
      if (listener != null) {
        listener.onClose(Status.UNIMPLEMENTED, new Metadata());
      }
    }

    @Override
    public void request(int messages) {}

    @Override
    public void cancel(@Nullable String message, @Nullable Throwable cause) {}
  }

  static Index need(StructuredQuery query) {
    return need(query, List.of());
  }

  private static Index need(StructuredAggregationQuery query) {
    return need(query.getStructuredQuery(), query.getAggregationsList());
  }

  /**
   * First the fields that are compared for equality, by their names, then those that are sorted by
   * or compared otherwise, in their order. A sum reads its field from an index, as if it were
   * sorted by.
   */
  private static Index need(StructuredQuery query, List<Aggregation> aggregations) {
    Map<String, String> equal = new TreeMap<>();
    Map<String, String> sorted = new LinkedHashMap<>();
    for (StructuredQuery.Order order : query.getOrderByList()) {
      boolean falls = order.getDirection() == Direction.DESCENDING;
      sorted.put(order.getField().getFieldPath(), falls ? "DESCENDING" : "ASCENDING");
    }
    for (FieldFilter filter : filters(query.getWhere())) {
      (EQUALITIES.contains(filter.getOp()) ? equal : sorted)
          .putIfAbsent(filter.getField().getFieldPath(), "ASCENDING");
    }
    aggregations.stream()
        .filter(Aggregation::hasSum)
        .forEach(sum -> sorted.putIfAbsent(sum.getSum().getField().getFieldPath(), "ASCENDING"));
    sorted.remove("__name__");

    Map<String, String> all = new LinkedHashMap<>(equal);
    all.putAll(sorted);
    var from = query.getFromList().get(0);
    return new Index(
        from.getCollectionId(),
        from.getAllDescendants() ? "COLLECTION_GROUP" : "COLLECTION",
        all.entrySet().stream().map(one -> new Field(one.getKey(), one.getValue())).toList());
  }

  private static List<FieldFilter> filters(Filter where) {
    if (where.hasFieldFilter()) {
      return List.of(where.getFieldFilter());
    }
    if (where.equals(Filter.getDefaultInstance())) {
      return List.of();
    }
    CompositeFilter all = where.getCompositeFilter();
    if (all.getOp() != CompositeFilter.Operator.AND) {
      throw new AssertionError("expected filters joined by AND, found " + where);
    }
    return all.getFiltersList().stream().flatMap(one -> filters(one).stream()).toList();
  }
}
