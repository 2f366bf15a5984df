package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.StructuredQuery;
import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.deploy.IndexFile.Exemption;
import dev.tallyroll.deploy.IndexFile.Need;
import dev.tallyroll.functions.ThreadEventLoop;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Part;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.store.Calls;
import dev.tallyroll.store.FirestoreStore;
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
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every query that the functions send has its index in the file. The emulator needs none, so a
 * missing one would show in production first.
 */
class IndexesIT {

  private static final String ORIGINAL = Shell.read(Shell.INDEXES);
  private static final Layout RENAMED =
      new Layout("{parent=**}/tallies", "parts", "totals", "turns", "Cnt");
  private static final Pattern UPDATE =
      Pattern.compile("fields update (\\w+) --collection-group=(\\w+) --disable-indexes");
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
    assertThat(needs(RENAMED, sum)).hasSizeGreaterThan(6).allMatch(staged(sum)::serves);
  }

  /** The only index that a query of ours needs is the count's, which Firestore makes by itself. */
  @Test
  void exemptCount_isNoticed() {
    assertThat(needs(RENAMED, SumMode.AGGREGATE))
        .anyMatch(need -> !staged(SumMode.DOCUMENTS).serves(need));
  }

  /** The exemptions of a dry run. */
  private static IndexFile staged(SumMode sum) {
    Project nobody =
        new Project(
            "COUNTERS={parent=**}/tallies",
            "SHARDS_COLLECTION=parts",
            "ROLLUPS_COLLECTION=totals",
            "RUNS_COLLECTION=turns",
            "COUNT_FIELD=Cnt",
            "SUM=" + sum.name().toLowerCase(Locale.ROOT));
    List<Exemption> exemptions =
        UPDATE
            .matcher(nobody.exits(0, "deploy --dry-run"))
            .results()
            .map(it -> new Exemption(it.group(2), it.group(1), false, List.of()))
            .toList();
    assertThat(exemptions).hasSizeGreaterThan(3);
    return new IndexFile(List.of(), exemptions);
  }

  /** Firestore indexes each field of a collection, but no field of a group and no two fields. */
  @ParameterizedTest
  @CsvSource({
    "rollups, true, shards, false",
    "rollups, false, shards, true",
    "live, false, since, true",
    "live, false, since counter, false"
  })
  void order_isServedOrNeedsAnIndex(
      String collection, boolean group, String fields, boolean served) {
    StructuredQuery.Builder query = StructuredQuery.newBuilder();
    query.addFromBuilder().setCollectionId(collection).setAllDescendants(group);
    for (String field : fields.split(" ", -1)) {
      query.addOrderByBuilder().getFieldBuilder().setFieldPath(field);
    }

    Need need = IndexFile.neededBy(query.build(), List.of());
    assertThat(IndexFile.of(ORIGINAL).serves(need)).isEqualTo(served);
  }

  private static Need neededBy(RunAggregationQueryRequest sent) {
    var query = sent.getStructuredAggregationQuery();
    return IndexFile.neededBy(query.getStructuredQuery(), query.getAggregationsList());
  }

  /** The index needs of all queries of the product, which its own code sends. */
  private static List<Need> needs(Layout layout, SumMode sum) {
    Queries sent = new Queries();
    Firestore firestore = sent.client();
    try (var loop = new ThreadEventLoop("queries", InstantSource.system())) {
      FirestoreStore rollups =
          new FirestoreStore(firestore, layout, sum, new Calls(loop, /* most= */ 100));
      await(rollups.sum(CounterPath.of("likes")));
      await(rollups.live(Part.of(0, 2)));
      await(rollups.liveSince(Instant.EPOCH));
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

  /**
   * The queries of a client, taken from the wire before they leave: nobody answers. Thread-safe.
   */
  private static final class Queries implements ClientInterceptor {
    private final List<Need> needs = new CopyOnWriteArrayList<>();

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
            needs.add(neededBy(query));
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
