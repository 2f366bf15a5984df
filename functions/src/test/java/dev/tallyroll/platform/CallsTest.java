package dev.tallyroll.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.core.SettableApiFuture;
import com.google.api.gax.grpc.GrpcStatusCode;
import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.ApiExceptionFactory;
import com.google.api.gax.rpc.StatusCode.Code;
import com.google.cloud.firestore.FirestoreException;
import com.google.cloud.firestore.WriteResult;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every status of a Firestore answer, in both forms in which the client throws it. */
class CallsTest {
  /** The codes that mean that the document has changed since its read. */
  private static final Set<Code> REFUSALS =
      EnumSet.of(Code.FAILED_PRECONDITION, Code.NOT_FOUND, Code.ALREADY_EXISTS, Code.ABORTED);

  private final ThreadEventLoop loop = new ThreadEventLoop("test", InstantSource.system());
  private final Calls calls = new Calls(loop, 2);

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

      assertThatThrownBy(() -> get(() -> calls.make(() -> call))).hasCause(thrown);
      if (REFUSALS.contains(code)) {
        assertThat(get(() -> calls.compareAndSet(() -> call))).isEqualTo(Optional.empty());
      } else {
        assertThatThrownBy(() -> get(() -> calls.compareAndSet(() -> call))).hasCause(thrown);
      }
    }
  }

  @Test
  void callsBeyondTheMost_waitInTheirOrder() throws Exception {
    List<SettableApiFuture<Integer>> begun = new ArrayList<>();
    List<CompletableFuture<Integer>> calls =
        get(
            () ->
                CompletableFuture.completedFuture(
                    IntStream.range(0, 5).mapToObj(number -> make(begun)).toList()));
    assertThat(begun).hasSize(2);

    begun.get(1).set(1);
    assertThat(get(() -> calls.get(1))).isEqualTo(1);
    assertThat(begun).hasSize(3);
    begun.get(0).setException(new IllegalStateException());
    begun.get(2).set(2);
    assertThat(get(() -> calls.get(2))).isEqualTo(2);
    assertThat(get(() -> CompletableFuture.completedFuture(begun.size()))).isEqualTo(5);
  }

  /** Nobody waits for it any more, so others get its place. */
  @Test
  void cancelledCall_isEndedOrNotBegun() throws Exception {
    List<SettableApiFuture<Integer>> begun = new ArrayList<>();
    List<CompletableFuture<Optional<Integer>>> made =
        get(
            () ->
                CompletableFuture.completedFuture(
                    IntStream.range(0, 4).mapToObj(number -> compareAndSet(begun)).toList()));

    get(
        () -> {
          made.get(2).cancel(true); // waits
          made.get(0).cancel(true);
          return CompletableFuture.completedFuture(null);
        });
    begun.get(1).set(1);

    assertThat(get(() -> made.get(1))).contains(1);
    assertThat(begun.get(0)).isCancelled();
    assertThat(get(() -> CompletableFuture.completedFuture(begun.size()))).isEqualTo(3);
    begun.get(2).set(3);
    assertThat(get(() -> made.get(3))).contains(3);
  }

  private CompletableFuture<Optional<Integer>> compareAndSet(
      List<SettableApiFuture<Integer>> begun) {
    return calls.compareAndSet(() -> begin(begun));
  }

  private CompletableFuture<Integer> make(List<SettableApiFuture<Integer>> begun) {
    return calls.make(() -> begin(begun));
  }

  private static SettableApiFuture<Integer> begin(List<SettableApiFuture<Integer>> begun) {
    SettableApiFuture<Integer> call = SettableApiFuture.create();
    begun.add(call);
    return call;
  }

  /** Looks at the live list must not wait for hundreds of sums. */
  @Test
  void callsBeside_waitForNoOther() throws Exception {
    List<SettableApiFuture<Integer>> begun = new ArrayList<>();
    var waiting =
        get(
            () ->
                CompletableFuture.completedFuture(
                    IntStream.range(0, 5).mapToObj(number -> make(begun)).toList()));

    Calls separate = calls.separate(1);

    assertThat(get(() -> separate.make(() -> ApiFutures.immediateFuture(7)))).isEqualTo(7);
    assertThat(waiting).noneMatch(CompletableFuture::isDone);
  }

  /** The connection of an instance that was frozen may be dead. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OK")
  void callThatDidNotReachFirestore_isMadeAgainOnce(Code code) {
    Calls twice = new Calls(loop, 2, /* attempts= */ 2);
    AtomicInteger made = new AtomicInteger();

    assertThatThrownBy(
            () ->
                get(
                    () ->
                        twice.make(
                            () -> {
                              made.incrementAndGet();
                              return ApiFutures.immediateFailedFuture(api(code));
                            })))
        .hasRootCauseInstanceOf(StatusRuntimeException.class);

    assertThat(made).hasValue(code == Code.UNAVAILABLE ? 2 : 1);
  }

  @Test
  void callThatThrows_failsAndTakesNoPlace() throws Exception {
    for (int i = 0; i < 5; i++) {
      assertThatThrownBy(
              () ->
                  get(
                      () ->
                          calls.make(
                              () -> {
                                throw new IllegalStateException("closed");
                              })))
          .hasMessageContaining("closed");
    }
  }

  /** Makes the call on the loop, where all of its methods have to run. */
  private <T> T get(Supplier<CompletableFuture<T>> call) throws Exception {
    return CompletableFuture.completedFuture(call)
        .thenComposeAsync(Supplier::get, loop)
        .get(10, TimeUnit.SECONDS);
  }

  private static ApiException api(Code code) {
    Status status =
        Status.fromCode(Status.Code.valueOf(code.name())).withDescription("by the test");
    return ApiExceptionFactory.createException(
        status.asRuntimeException(), GrpcStatusCode.of(status.getCode()), /* retryable= */ false);
  }
}
