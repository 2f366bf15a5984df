package dev.tallyroll.platform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.Firestore;
import io.grpc.Context;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long calls may take, as a server is told. */
class GoogleClientsTest {
  private final Map<String, Long> seconds = new ConcurrentHashMap<>();
  private final Server server;
  private final Firestore firestore;

  GoogleClientsTest() throws Exception {
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .fallbackHandlerRegistry(refusing())
            .build()
            .start();
    Map<String, String> environment =
        Map.of("TALLYROLL_FIRESTORE", "127.0.0.1:" + server.getPort(), "GOOGLE_CLOUD_PROJECT", "p");
    firestore = GoogleClients.firestore("(default)", /* connections= */ 1, environment::get);
  }

  /** Notes how much time a call has, and refuses it. */
  private HandlerRegistry refusing() {
    return new HandlerRegistry() {
      @Override
      public ServerMethodDefinition<?, ?> lookupMethod(String name, @Nullable String authority) {
        var method =
            MethodDescriptor.newBuilder(new Bytes(), new Bytes())
                .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
                .setFullMethodName(name)
                .build();
        return ServerMethodDefinition.create(
            method,
            (call, headers) -> {
              var deadline = Objects.requireNonNull(Context.current().getDeadline());
              seconds.put(
                  name.substring(name.indexOf('/') + 1), deadline.timeRemaining(TimeUnit.SECONDS));
              call.close(Status.PERMISSION_DENIED, new Metadata());
              return new ServerCall.Listener<>() {};
            });
      }
    };
  }

  private static final class Bytes implements MethodDescriptor.Marshaller<byte[]> {
    @Override
    public InputStream stream(byte[] bytes) {
      return new ByteArrayInputStream(bytes);
    }

    @Override
    public byte[] parse(InputStream stream) {
      return new byte[0];
    }
  }

  @AfterEach
  void close() {
    firestore.shutdownNow();
    server.shutdownNow();
  }

  @Test
  void sumMayTakeAMinute_andOtherCallsTenSeconds() {
    CollectionReference likes = firestore.collection("likes");
    assertThatThrownBy(() -> likes.count().get().get()).hasMessageContaining("PERMISSION_DENIED");
    assertThatThrownBy(() -> likes.document("a").get().get())
        .hasMessageContaining("PERMISSION_DENIED");

    assertThat(seconds.get("RunAggregationQuery")).isBetween(50L, 60L);
    assertThat(seconds.get("BatchGetDocuments")).isBetween(1L, 10L);
  }
}
