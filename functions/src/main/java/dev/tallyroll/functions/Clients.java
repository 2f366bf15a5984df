package dev.tallyroll.functions;

import com.google.api.gax.core.NoCredentialsProvider;
import com.google.api.gax.grpc.GrpcTransportChannel;
import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.api.gax.rpc.FixedTransportChannelProvider;
import com.google.cloud.ServiceOptions;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.cloud.firestore.v1.FirestoreSettings;
import com.google.cloud.pubsub.v1.Publisher;
import com.google.pubsub.v1.TopicName;
import io.grpc.ClientInterceptor;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Makes the clients of Firestore and Pub/Sub, for the real services or for the emulators. */
final class Clients {
  /**
   * Host and port of an emulator. With {@code FIRESTORE_EMULATOR_HOST} the client would make a
   * channel of its own, without our interceptor.
   */
  private static final String FIRESTORE_ENDPOINT = "FIRESTORE_ENDPOINT";

  private Clients() {}

  static Firestore firestore(
      String database, UnaryOperator<String> environment, ClientInterceptor interceptor) {
    String endpoint = environment.apply(FIRESTORE_ENDPOINT);
    FirestoreOptions.Builder options =
        FirestoreOptions.newBuilder()
            .setDatabaseId(database)
            .setChannelProvider(channel(endpoint, interceptor));
    if (endpoint != null) {
      options.setProjectId(project(environment));
      options.setCredentials(new FirestoreOptions.EmulatorCredentials());
    }
    return options.build().getService();
  }

  private static InstantiatingGrpcChannelProvider channel(
      @Nullable String endpoint, ClientInterceptor interceptor) {
    InstantiatingGrpcChannelProvider.Builder channel =
        endpoint == null
            ? FirestoreSettings.defaultGrpcTransportProviderBuilder()
            : InstantiatingGrpcChannelProvider.newBuilder()
                .setEndpoint(endpoint)
                .setChannelConfigurator(builder -> builder.usePlaintext());
    return channel.setInterceptorProvider(() -> List.of(interceptor)).build();
  }

  static Publisher publisher(String topic, UnaryOperator<String> environment) {
    String emulator = environment.apply("PUBSUB_EMULATOR_HOST");
    Publisher.Builder publisher = Publisher.newBuilder(TopicName.of(project(environment), topic));
    if (emulator != null) {
      var channel = ManagedChannelBuilder.forTarget(emulator).usePlaintext().build();
      publisher
          .setChannelProvider(
              FixedTransportChannelProvider.create(GrpcTransportChannel.create(channel)))
          .setCredentialsProvider(NoCredentialsProvider.create());
    }
    try {
      return publisher.build();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The environment's project, or the one that the platform's metadata server names. */
  private static String project(UnaryOperator<String> environment) {
    String named = environment.apply("GOOGLE_CLOUD_PROJECT");
    String project = named != null ? named : ServiceOptions.getDefaultProjectId();
    if (project == null) {
      throw new IllegalArgumentException(
          "GOOGLE_CLOUD_PROJECT: expected a project id; found nothing, nor does the platform name one");
    }
    return project;
  }
}
