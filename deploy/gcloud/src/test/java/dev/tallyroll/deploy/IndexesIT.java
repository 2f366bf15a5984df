package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.api.gax.grpc.InstantiatingGrpcChannelProvider;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.StructuredAggregationQuery.Aggregation;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.StructuredQuery.CompositeFilter;
import com.google.firestore.v1.StructuredQuery.FieldFilter;
import com.google.firestore.v1.StructuredQuery.Filter;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.protocol.CounterPages.Group;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.runs.WorkerRange;
import dev.tallyroll.settings.TotalsFile;
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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every query that the functions send has its index in the file. The emulator needs none, so a
 * missing one would show in production first.
 */
@Tag("core")
class IndexesIT {
  private static final String RENAMED =
      "counters.of={parent=**}/tallies/{counter}/parts counters.rollups=totals counters.sum=Cnt";
  private static final Pattern UPDATE =
      Pattern.compile("fields update (\\w+) --collection-group=(\\w+) --disable-indexes");
  private static final Duration MOST_FOR_NO_ANSWER = Duration.ofSeconds(20);

  /**
   * The fields that a query reads from one index. The document's name, by which every index ends,
   * is left out.
   *
   * @param group whether the query asks all collections of that name
   */
  private record Need(String collection, boolean group, Set<String> fields) {
    /** A sum reads its field from an index, too. */
    static Need of(StructuredQuery query, List<Aggregation> aggregations) {
      Set<String> fields = new TreeSet<>();
      query.getOrderByList().forEach(order -> fields.add(order.getField().getFieldPath()));
      filters(query.getWhere()).forEach(filter -> fields.add(filter.getField().getFieldPath()));
      aggregations.stream()
          .filter(Aggregation::hasSum)
          .forEach(sum -> fields.add(sum.getSum().getField().getFieldPath()));
      fields.remove("__name__");
      var from = query.getFromList().get(0);
      return new Need(from.getCollectionId(), from.getAllDescendants(), fields);
    }

    private static Stream<FieldFilter> filters(Filter where) {
      assertThat(where.getCompositeFilter().getOp()).isNotEqualTo(CompositeFilter.Operator.OR);
      return where.hasFieldFilter()
          ? Stream.of(where.getFieldFilter())
          : where.getCompositeFilter().getFiltersList().stream().flatMap(Need::filters);
    }

    /**
     * Whether Firestore makes the index by itself: for one field of a collection, but not of a
     * group, unless the field is exempt. The names of documents need no index.
     */
    boolean isServed(Set<String> exemptions) {
      return fields.isEmpty()
          || (fields.size() == 1
              && !group
              && fields.stream().noneMatch(field -> exemptions.contains(collection + "." + field)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyQuery_hasItsIndex(SumMode sum) {
    JsonObject file = JsonParser.parseString(Shell.read(Shell.INDEXES)).getAsJsonObject();
    assertThat(file.getAsJsonArray("indexes")).isEmpty();
    Set<String> exemptions = new HashSet<>();
    for (JsonElement one : file.getAsJsonArray("fieldOverrides")) {
      JsonObject exemption = one.getAsJsonObject();
      assertThat(exemption.getAsJsonArray("indexes")).isEmpty();
      exemptions.add(text(exemption, "collectionGroup") + "." + text(exemption, "fieldPath"));
    }

    assertThat(exemptions).hasSizeGreaterThan(3);
    assertThat(needs("counters.of={parent=**}/counters/{counter}/shards", sum))
        .hasSizeGreaterThan(6)
        .allMatch(need -> need.isServed(exemptions));
  }

  private static String text(JsonObject exemption, String name) {
    return exemption.get(name).getAsString();
  }

  @ParameterizedTest
  @EnumSource
  void everyRenamedQuery_hasItsStagedIndex(SumMode sum) {
    Set<String> exemptions = staged(sum);

    assertThat(needs(RENAMED, sum))
        .hasSizeGreaterThan(6)
        .allMatch(need -> need.isServed(exemptions));
  }

  /** The only index that a query of ours needs is the count's, which Firestore makes by itself. */
  @Test
  void exemptCount_isNoticed() {
    Set<String> exemptions = staged(SumMode.DOCUMENTS);

    assertThat(needs(RENAMED, SumMode.AGGREGATE)).anyMatch(need -> !need.isServed(exemptions));
  }

  /** The exemptions of a dry run. */
  private static Set<String> staged(SumMode sum) {
    Project nobody = new Project((RENAMED + index(sum)).split(" ", -1));
    Set<String> exemptions =
        UPDATE
            .matcher(nobody.exits(0, "deploy --dry-run"))
            .results()
            .map(update -> update.group(2) + "." + update.group(1))
            .collect(Collectors.toSet());
    assertThat(exemptions).hasSizeGreaterThan(3);
    return exemptions;
  }

  private static String index(SumMode sum) {
    return " counters.index=" + (sum == SumMode.AGGREGATE);
  }

  private static Entry entry(String keys) {
    return TotalsFile.parse(Totals.text(List.of(keys.split(" ", -1))).orElseThrow())
        .entries()
        .get(0);
  }

  /**
   * The index needs of all queries of the product, which its own code sends, also without events.
   */
  private static List<Need> needs(String keys, SumMode sum) {
    Queries sent = new Queries();
    Firestore firestore = sent.client();
    Entry anywhere = entry(keys + index(sum));
    String atRoot = (keys + index(sum)).replace("{parent=**}/", "");
    Entry plain = entry(atRoot);
    Entry polled = entry(atRoot + " counters.events=false");
    try (var loop = new ThreadEventLoop("queries", InstantSource.system())) {
      Calls calls = new Calls(loop, /* most= */ 100);
      FirestoreStore store =
          FirestoreStore.of(
              firestore,
              List.of(anywhere, plain, polled),
              Layout.DEPLOYMENT,
              calls,
              (severity, message, fields) -> {});
      await(store.counters().liveList().live(WorkerRange.of(0, 2)));
      await(store.counters().liveList().liveSince(Instant.EPOCH));
      for (Entry each : List.of(anywhere, plain)) {
        Layout layout = each.layout();
        await(store.counters().sums().sum(each.counter(CounterPath.of("likes"))));
        await(store.counters().pages().page(each, Group.ROLLUPS, "", 100));
        await(store.counters().pages().page(each, Group.ROLLUPS, layout.rollups() + "/likes", 100));
        await(store.counters().pages().page(each, Group.COUNTERS, "", 100));
        await(
            store
                .counters()
                .pages()
                .page(each, Group.COUNTERS, layout.countersCollection() + "/likes", 100));
      }
      await(store.counters().pages().page(polled, Group.WITH_SHARDS, "", 100));
      await(
          store
              .counters()
              .pages()
              .page(polled, Group.WITH_SHARDS, polled.layout().counters() + "/likes", 100));
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
            needs.add(Need.of(query.getStructuredQuery(), List.of()));
          } else if (message instanceof RunAggregationQueryRequest request) {
            var query = request.getStructuredAggregationQuery();
            needs.add(Need.of(query.getStructuredQuery(), query.getAggregationsList()));
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
