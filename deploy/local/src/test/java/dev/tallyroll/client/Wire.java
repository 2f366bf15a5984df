package dev.tallyroll.client;

import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import dev.tallyroll.local.LocalCloud;
import io.grpc.ClientInterceptor;
import java.util.List;

/** Connects real clients to the emulator by a wire that can be tapped. Stateless. */
public final class Wire {
  private Wire() {}

  /**
   * With an emulator host set, the client would make a channel of its own, without interceptors.
   */
  public static Firestore open(LocalCloud cloud, ClientInterceptor... interceptors) {
    return FirestoreOptions.newBuilder()
        .setProjectId(cloud.project())
        .setDatabaseId(cloud.database())
        .setCredentials(new FirestoreOptions.EmulatorCredentials())
        .setChannelProvider(
            InstantiatingGrpcChannelProvider.newBuilder()
                .setEndpoint(cloud.firestoreHost())
                .setChannelConfigurator(builder -> builder.usePlaintext())
                .setInterceptorProvider(() -> List.of(interceptors))
                .build())
        .build()
        .getService();
  }
}
