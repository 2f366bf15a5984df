package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.StructuredQuery;
import com.google.protobuf.util.JsonFormat;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.SumMode;
import dev.tallyroll.deploy.IndexFile.Index;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.ThreadEventLoop;
import dev.tallyroll.store.FirestoreRollups;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every query that the functions and the scripts send has its index in the file. The emulator needs
 * none, so a missing one would show in production first.
 */
class IndexesIT {

  private static final String ORIGINAL = Shell.read(Shell.INDEXES);
  private static final Layout RENAMED =
      new Layout("{parent=**}/tallies", "parts", "totals", "turns", "Cnt");
  private static final Duration MOST_FOR_NO_ANSWER = Duration.ofSeconds(20);

  @ParameterizedTest
  @EnumSource
  void everyQuery_hasItsIndex(SumMode sum) {
    assertThat(needs(Layout.DEFAULT, sum))
        .hasSizeGreaterThan(6)
        .allMatch(IndexFile.of(ORIGINAL)::serves);
  }

  @ParameterizedTest
  @EnumSource
  void everyRenamedQuery_hasItsStagedIndex(SumMode sum) {
    String asked = PlanIT.RENAMED + " --sum=" + sum.name().toLowerCase(Locale.ROOT);
    String staged = Plan.of("deploy " + asked).staged("firestore.indexes.json");

    assertThat(needs(RENAMED, sum))
        .allMatch(IndexFile.of(staged)::serves)
        .anyMatch(need -> !IndexFile.of(ORIGINAL).serves(need));
  }

  @Test
  void queryOfStatus_hasItsIndex() throws Exception {
    FakeCloud cloud = FakeCloud.deployed();
    cloud.exits(0, "status");

    List<String> queries =
        cloud.calls().stream().filter(one -> one.contains(":runQuery ")).toList();
    assertThat(queries).hasSize(1);
    RunQueryRequest.Builder query = RunQueryRequest.newBuilder();
    JsonFormat.parser().merge(queries.get(0).replaceFirst("[^{]*", ""), query);
    assertThat(isServed(query.getStructuredQueryBuilder())).isTrue();
  }

  /** With the settings' default a sum reads the index on the count. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      textBlock =
          """
          an index of others;               "collectionGroup": "rollups",\\s+"query; "collectionGroup": "others", "query
          an index of the collection only;  COLLECTION_GROUP; COLLECTION
          an index in the other order;      ([{].*live_lane.*[}]),\\s+([{].*live_until.*[}]); $2, $1
          an index that falls and rises;    live_until", "order": "A; live_until", "order": "DE
          an exempt count;                  "rollups", "fieldPath": "as_of"; "shards", "fieldPath": "count"
          """)
  void spoiltIndexes_areNoticed(String what, String part, String by) {
    IndexFile spoilt = IndexFile.of(ORIGINAL.replaceFirst(part, by));

    assertThat(needs(Layout.DEFAULT, SumMode.AGGREGATE))
        .as(what)
        .anyMatch(need -> !spoilt.serves(need));
  }

  @Test
  void oneFieldOfAGroup_needsAnIndex() {
    StructuredQuery.Builder query = StructuredQuery.newBuilder();
    query.addFromBuilder().setCollectionId("rollups").setAllDescendants(true);
    query.addOrderByBuilder().getFieldBuilder().setFieldPath("shards");

    assertThat(isServed(query)).isFalse();

    query.getFromBuilder(0).setAllDescendants(false);
    assertThat(isServed(query)).isTrue();
  }

  private static boolean isServed(StructuredQuery.Builder query) {
    return IndexFile.of(ORIGINAL).serves(IndexFile.neededBy(query.build(), List.of()));
  }

  /** What all queries of the product need, in the form in which its own code sends them. */
  private static List<Index> needs(Layout layout, SumMode sum) {
    Queries sent = new Queries();
    Firestore firestore = sent.client();
    try (var loop = new ThreadEventLoop("queries", InstantSource.system())) {
      FirestoreRollups rollups = new FirestoreRollups(firestore, layout, sum, loop);
      await(rollups.live());
      await(rollups.liveAfter(Instant.EPOCH, List.of(3)));
      await(rollups.liveAfter(Instant.EPOCH, IntStream.range(0, 40).boxed().toList()));
      await(rollups.sum(CounterPath.of("likes")));
      for (Group group : Group.values()) {
        await(rollups.page(group, "", 100));
        await(rollups.page(group, "rooms/r1/any/likes", 100));
      }
    } finally {
      firestore.shutdownNow();
    }
    return sent.needs;
  }

  private static void await(CompletableFuture<?> unanswered) {
    assertThat(unanswered).failsWithin(MOST_FOR_NO_ANSWER);
  }

  /** What a client asks, taken from the wire before it leaves: nobody answers. Thread-safe. */
  private static final class Queries implements ClientInterceptor {
    private final List<Index> needs = new CopyOnWriteArrayList<>();

    Firestore client() {
      InstantiatingGrpcChannelProvider channel =
          InstantiatingGrpcChannelProvider.newBuilder()
              .setEndpoint("127.0.0.1:1") // Never dialled.
              .setInterceptorProvider(() -> List.of(this))
              .build();
      return FirestoreOptions.newBuilder()
          .setProjectId("p")
          .setCredentials(new FirestoreOptions.EmulatorCredentials())
          .setChannelProvider(channel)
          .build()
          .getService();
    }

    @Override
    public <Q, A> ClientCall<Q, A> interceptCall(
        MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
      return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
        @Override
        public void sendMessage(Q message) {
          if (message instanceof RunQueryRequest query) {
            needs.add(IndexFile.neededBy(query.getStructuredQuery(), List.of()));
          } else if (message instanceof RunAggregationQueryRequest query) {
            var sum = query.getStructuredAggregationQuery();
            needs.add(IndexFile.neededBy(sum.getStructuredQuery(), sum.getAggregationsList()));
          }
        }

        @Override
        public void halfClose() {
          cancel("nobody answers", null); // The client does not try again.
        }
      };
    }
  }
}
