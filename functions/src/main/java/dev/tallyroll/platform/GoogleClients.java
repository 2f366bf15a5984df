package dev.tallyroll.platform;

import com.google.api.gax.core.FixedCredentialsProvider;
import com.google.api.gax.core.NoCredentialsProvider;
import com.google.api.gax.grpc.ChannelPoolSettings;
import com.google.api.gax.grpc.GrpcCallContext;
import com.google.api.gax.grpc.GrpcTransportChannel;
import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.api.gax.retrying.RetrySettings;
import com.google.api.gax.rpc.ApiCallContext;
import com.google.api.gax.rpc.FixedTransportChannelProvider;
import com.google.cloud.ServiceOptions;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.cloud.firestore.FirestoreOptions.DefaultFirestoreRpcFactory;
import com.google.cloud.firestore.spi.v1.FirestoreRpc;
import com.google.cloud.firestore.v1.FirestoreSettings;
import com.google.cloud.pubsub.v1.Publisher;
import com.google.pubsub.v1.TopicName;
import dev.tallyroll.runs.Timing;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.function.UnaryOperator;

/**
 * Makes the clients of Firestore and Pub/Sub, for the real services or for the emulators. Safe for
 * use by many threads.
 */
public final class GoogleClients {
  /**
   * Host and port of an emulator, for the same connections as in production. With {@code
   * FIRESTORE_EMULATOR_HOST}, which is read too, the client makes a single one of its own.
   */
  private static final String LOCAL_FIRESTORE = "TALLYROLL_FIRESTORE";

  /**
   * How often a connection is tested: one that answers nothing would otherwise be used for a
   * quarter of an hour.
   */
  private static final Duration KEEP_ALIVE = Duration.ofSeconds(30);

  private static final Duration LIMIT = Timing.LONGEST_CALL;

  /**
   * Firestore itself ends a longer sum. Most take milliseconds; one over millions of documents may
   * take so long, and holds up its own counter only.
   * https://cloud.google.com/firestore/docs/query-data/aggregation-queries#limitations
   */
  private static final Duration LONGEST_SUM = Duration.ofSeconds(60);

  private static final RetrySettings ONE_ATTEMPT =
      RetrySettings.newBuilder()
          .setMaxAttempts(1)
          .setInitialRpcTimeoutDuration(LIMIT)
          .setMaxRpcTimeoutDuration(LIMIT)
          .setTotalTimeoutDuration(LIMIT)
          .build();

  /** The client repeats a failed sum without a pause; with this limit, it does not. */
  private static final RetrySettings NO_TIME =
      ONE_ATTEMPT.toBuilder().setTotalTimeoutDuration(Duration.ofNanos(1)).build();

  private GoogleClients() {}

  /**
   * Makes a client of Firestore that tries each call once, and cancels it after ten seconds, or a
   * sum after sixty: the roller's next tick, or the event's next delivery, is the retry.
   *
   * @param connections how many it has; Google's front ends take 100 calls at once on each, and
   *     other calls wait in the client
   */
  public static Firestore firestore(
      String database, int connections, UnaryOperator<String> environment) {
    FirestoreOptions.Builder options =
        FirestoreOptions.newBuilder().setDatabaseId(database).setRetrySettings(ONE_ATTEMPT);
    InstantiatingGrpcChannelProvider.Builder channels =
        FirestoreSettings.defaultGrpcTransportProviderBuilder()
            .setChannelPoolSettings(ChannelPoolSettings.staticallySized(connections))
            .setKeepAliveTimeDuration(KEEP_ALIVE)
            .setKeepAliveTimeoutDuration(LIMIT);
    String local = environment.apply(LOCAL_FIRESTORE);
    if (local != null) {
      channels.setEndpoint(local).setChannelConfigurator(channel -> channel.usePlaintext());
      options
          .setProjectId(project(environment))
          .setCredentialsProvider(
              FixedCredentialsProvider.create(new FirestoreOptions.EmulatorCredentials()));
    } else if (environment.apply("FIRESTORE_EMULATOR_HOST") != null) {
      options.setProjectId(project(environment)); // the client itself finds the emulator
    }
    FirestoreOptions calls = options.setChannelProvider(channels.build()).build();
    return calls.toBuilder()
        .setRetrySettings(NO_TIME)
        .setServiceRpcFactory(unused -> patient(new DefaultFirestoreRpcFactory().create(calls)))
        .build()
        .getService();
  }

  /** The same calls, of which sums have a limit of their own. */
  private static FirestoreRpc patient(FirestoreRpc calls) {
    ApiCallContext patience = GrpcCallContext.createDefault().withTimeoutDuration(LONGEST_SUM);
    return (FirestoreRpc)
        Proxy.newProxyInstance(
            FirestoreRpc.class.getClassLoader(),
            new Class<?>[] {FirestoreRpc.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("runAggregationQueryCallable")) {
                return calls.runAggregationQueryCallable().withDefaultCallContext(patience);
              }
              try {
                return method.invoke(calls, arguments);
              } catch (InvocationTargetException failure) {
                throw failure.getCause();
              }
            });
  }

  /** Makes the publisher of a topic. */
  public static Publisher publisher(String topic, UnaryOperator<String> environment) {
    String emulator = environment.apply("PUBSUB_EMULATOR_HOST");
    Publisher.Builder publisher =
        Publisher.newBuilder(TopicName.of(project(environment), topic))
            .setRetrySettings(
                RetrySettings.newBuilder()
                    .setInitialRetryDelayDuration(Duration.ofMillis(100))
                    .setRetryDelayMultiplier(2)
                    .setMaxRetryDelayDuration(Duration.ofSeconds(2))
                    .setInitialRpcTimeoutDuration(LIMIT)
                    .setMaxRpcTimeoutDuration(LIMIT)
                    .setTotalTimeoutDuration(LIMIT)
                    .build());
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
