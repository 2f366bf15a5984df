package dev.tallyroll.simulation;

import com.google.api.gax.grpc.GrpcStatusCode;
import com.google.api.gax.rpc.ApiExceptionFactory;
import com.google.firestore.v1.Value;
import com.google.firestore.v1.Write;
import com.google.protobuf.Timestamp;
import io.grpc.Status;
import java.time.Instant;

/** Values of Firestore's protocol. */
final class Protos {
  private Protos() {}

  static Timestamp timestamp(Instant time) {
    return Timestamp.newBuilder()
        .setSeconds(time.getEpochSecond())
        .setNanos(time.getNano())
        .build();
  }

  static Instant instant(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }

  static Value integer(long value) {
    return Value.newBuilder().setIntegerValue(value).build();
  }

  static Value sum(Value one, Value other) {
    return integer(Math.addExact(one.getIntegerValue(), other.getIntegerValue()));
  }

  /** The document that a write is about. */
  static String name(Write write) {
    return write.getDelete().isEmpty() ? write.getUpdate().getName() : write.getDelete();
  }

  static RuntimeException failure(Status.Code code, String why) {
    Status status = Status.fromCode(code).withDescription(why);
    return ApiExceptionFactory.createException(
        status.asRuntimeException(), GrpcStatusCode.of(code), /* retryable= */ false);
  }
}
