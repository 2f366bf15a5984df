package dev.tallyroll.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.gax.grpc.GrpcStatusCode;
import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.ApiExceptionFactory;
import com.google.api.gax.rpc.StatusCode.Code;
import com.google.cloud.firestore.FirestoreException;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.protocol.ThreadEventLoop;
import io.grpc.Status;
import java.time.InstantSource;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every status that Firestore may answer with, in both forms in which its client throws it. */
class CallsTest {
  /** Those that say that the document is not what was read. */
  private static final Set<Code> REFUSALS =
      EnumSet.of(Code.FAILED_PRECONDITION, Code.NOT_FOUND, Code.ALREADY_EXISTS, Code.ABORTED);

  private static final int ANSWER_WITHIN_SECONDS = 10;

  private final ThreadEventLoop loop = new ThreadEventLoop("test", InstantSource.system());
  private final Calls calls = new Calls("Firestore", loop);

  @AfterEach
  void end() {
    loop.close();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OK")
  void status_isARefusalOrAFailure(Code code) throws Exception {
    for (Throwable thrown :
        new Throwable[] {api(code), FirestoreException.forApiException(api(code))}) {
      ApiFuture<WriteResult> call = ApiFutures.immediateFailedFuture(thrown);

      assertThatThrownBy(() -> calls.bring(call).get(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS))
          .hasCause(thrown);
      if (REFUSALS.contains(code)) {
        assertThat(calls.compareAndSet(call).get(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS))
            .isEqualTo(Optional.empty());
      } else {
        assertThatThrownBy(
                () -> calls.compareAndSet(call).get(ANSWER_WITHIN_SECONDS, TimeUnit.SECONDS))
            .hasCause(thrown);
      }
    }
  }

  private static ApiException api(Code code) {
    Status status =
        Status.fromCode(Status.Code.valueOf(code.name())).withDescription("by the test");
    return ApiExceptionFactory.createException(
        status.asRuntimeException(), GrpcStatusCode.of(status.getCode()), /* retryable= */ false);
  }
}
