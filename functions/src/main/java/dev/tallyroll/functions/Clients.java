package dev.tallyroll.functions;

import com.google.api.gax.core.NoCredentialsProvider;
import com.google.api.gax.grpc.GrpcTransportChannel;
import com.google.api.gax.rpc.FixedTransportChannelProvider;
import com.google.cloud.ServiceOptions;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.cloud.pubsub.v1.Publisher;
import com.google.pubsub.v1.TopicName;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.function.UnaryOperator;

/** Makes the clients of Firestore and Pub/Sub, for the real services or for the emulators. */
final class Clients {
  private Clients() {}

  static Firestore firestore(String database, UnaryOperator<String> environment) {
    FirestoreOptions.Builder options = FirestoreOptions.newBuilder().setDatabaseId(database);
    String emulator = environment.apply("FIRESTORE_EMULATOR_HOST");
    if (emulator != null) {
      options.setEmulatorHost(emulator).setProjectId(project(environment));
    }
    return options.build().getService();
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
          "GOOGLE_CLOUD_PROJECT: expected a project id; found nothing, nor does the platform name"
              + " one");
    }
    return project;
  }
}
