package dev.tallyroll.timestamps;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.FirestoreException;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.common.util.concurrent.MoreExecutors;
import io.grpc.Status;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Gives documents with retired shard values new ones. Immutable. */
record Resharding(Fields fields, List<Object> retired, Supplier<Object> newValue) {
  /** All are written side by side. */
  private static final int MAX_WRITES = 500;

  ApiFuture<Integer> run(Query base, int limit) {
    if (limit < 1 || limit > MAX_WRITES) {
      throw new IllegalArgumentException("limit: expected 1 to " + MAX_WRITES + "; found " + limit);
    }
    if (retired.isEmpty()) {
      return ApiFutures.immediateFuture(0);
    }
    ShardedTimestamp old = ShardedTimestamp.of(retired).with(fields);
    return ApiFutures.transformAsync(
        old.query(base, Direction.ASCENDING).page(limit),
        page -> move(page.documents()),
        MoreExecutors.directExecutor());
  }

  private ApiFuture<Integer> move(List<QueryDocumentSnapshot> documents) {
    List<ApiFuture<Boolean>> moves = new ArrayList<>();
    for (QueryDocumentSnapshot document : documents) {
      moves.add(move(document));
    }
    return ApiFutures.transform(
        ApiFutures.allAsList(moves), List::size, MoreExecutors.directExecutor());
  }

  /** Only while it is as it was read: whoever writes it meanwhile gives it a value himself. */
  private ApiFuture<Boolean> move(QueryDocumentSnapshot document) {
    Precondition unchanged = Precondition.updatedAt(document.getUpdateTime());
    ApiFuture<Boolean> moved =
        ApiFutures.transform(
            document.getReference().update(unchanged, fields.shard(), newValue.get()),
            written -> true,
            MoreExecutors.directExecutor());
    return ApiFutures.catchingAsync(
        moved,
        Exception.class,
        failure ->
            isChanged(failure)
                ? ApiFutures.immediateFuture(false)
                : ApiFutures.immediateFailedFuture(failure),
        MoreExecutors.directExecutor());
  }

  private static boolean isChanged(Exception failure) {
    if (failure instanceof ApiException api) {
      StatusCode.Code code = api.getStatusCode().getCode();
      return code == StatusCode.Code.FAILED_PRECONDITION || code == StatusCode.Code.NOT_FOUND;
    }
    if (failure instanceof FirestoreException firestore && firestore.getStatus() != null) {
      Status.Code code = firestore.getStatus().getCode();
      return code == Status.Code.FAILED_PRECONDITION || code == Status.Code.NOT_FOUND;
    }
    return false;
  }
}
