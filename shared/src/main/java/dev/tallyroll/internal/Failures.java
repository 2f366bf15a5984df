package dev.tallyroll.internal;

import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.firestore.FirestoreException;
import org.jspecify.annotations.Nullable;

/** Explains the failure of a Firestore call. Stateless. */
public final class Failures {
  private Failures() {}

  public static StatusCode.Code code(@Nullable Throwable failure) {
    if (failure instanceof FirestoreException firestore && firestore.getStatus() != null) {
      return StatusCode.Code.valueOf(firestore.getStatus().getCode().name());
    }
    return failure instanceof ApiException api
        ? api.getStatusCode().getCode()
        : StatusCode.Code.UNKNOWN;
  }
}
