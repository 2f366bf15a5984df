package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.StructuredQuery;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.util.JsonFormat;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Layout;
import dev.tallyroll.SumMode;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.ThreadEventLoop;
import dev.tallyroll.store.FirestoreRollups;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every query that the functions and the scripts send has its index in the file. The emulator needs
 * none, so a missing one would show in production first.
 */
class IndexesIT {

  private static final Layout RENAMED =
      new Layout("{parent=**}/tallies", "parts", "totals", "turns", "Cnt");
  private static final Duration MOST_FOR_NO_ANSWER = Duration.ofSeconds(20);

  @TempDir Path stage;

  @ParameterizedTest
  @EnumSource
  void everyQuery_hasItsIndex(SumMode sum) throws Exception {
    List<IndexNeed> needs = needs(Layout.DEFAULT, sum);

    assertThat(needs).hasSizeGreaterThan(6).allMatch(original()::serves);
  }

  @ParameterizedTest
  @EnumSource
  void everyRenamedQuery_hasItsStagedIndex(SumMode sum) throws Exception {
    List<String> options = new ArrayList<>(List.of(PlanIT.RENAMED));
    options.add("--sum=" + sum.name().toLowerCase(Locale.ROOT));
    assertThat(Plan.of(stage, "deploy", options.toArray(String[]::new)).code()).isZero();
    IndexFile staged = IndexFile.read(stage.resolve("firestore.indexes.json"));

    assertThat(needs(RENAMED, sum)).allMatch(staged::serves);
    assertThat(needs(RENAMED, sum)).anyMatch(need -> !original().serves(need));
  }

  @Test
  void queryOfStatus_hasItsIndex() throws Exception {
    FakeCloud cloud = FakeCloud.deployed(stage);
    cloud.exits(0, "status");
    List<String> queries =
        cloud.calls().stream().filter(call -> call.contains(":runQuery ")).toList();

    assertThat(queries).hasSize(1);
    String body = queries.get(0).substring(queries.get(0).indexOf('{'));
    RunQueryRequest.Builder query = RunQueryRequest.newBuilder();
    JsonFormat.parser().merge(body, query);
    assertThat(original().serves(IndexNeed.of(query.getStructuredQuery()))).isTrue();
  }

  private record Spoiling(String name, Consumer<JsonObject> work) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Spoiling> spoilings() {
    return Stream.of(
        new Spoiling("no index", file -> file.add("indexes", new JsonArray())),
        new Spoiling(
            "an index of the collection only",
            file -> index(file).addProperty("queryScope", "COLLECTION")),
        new Spoiling(
            "an index in the other order",
            file -> {
              JsonArray fields = index(file).getAsJsonArray("fields");
              JsonElement first = fields.remove(0);
              fields.add(first);
            }),
        new Spoiling(
            "an index that falls and rises",
            file -> {
              JsonElement second = index(file).getAsJsonArray("fields").get(1);
              second.getAsJsonObject().addProperty("order", "DESCENDING");
            }),
        // With the settings' default a sum reads the index on the count.
        new Spoiling(
            "an exempt count",
            file ->
                file.getAsJsonArray("fieldOverrides")
                    .add(
                        JsonParser.parseString(
                            "{'collectionGroup':'shards','fieldPath':'count','indexes':[]}"))));
  }

  @ParameterizedTest
  @MethodSource("spoilings")
  void spoiltIndexes_areNoticed(Spoiling spoiling) throws Exception {
    IndexFile spoilt = original();
    spoiling.work.accept(spoilt.file());

    assertThat(needs(Layout.DEFAULT, SumMode.AGGREGATE)).anyMatch(need -> !spoilt.serves(need));
  }

  @Test
  void oneFieldOfAGroup_needsAnIndex() {
    StructuredQuery.Builder query = StructuredQuery.newBuilder();
    query.addFromBuilder().setCollectionId("rollups").setAllDescendants(true);
    query.addOrderByBuilder().getFieldBuilder().setFieldPath("shards");

    assertThat(original().serves(IndexNeed.of(query.build()))).isFalse();

    query.getFromBuilder(0).setAllDescendants(false);
    assertThat(original().serves(IndexNeed.of(query.build()))).isTrue();
  }

  private static JsonObject index(JsonObject file) {
    return file.getAsJsonArray("indexes").get(0).getAsJsonObject();
  }

  private static IndexFile original() {
    return IndexFile.read(Home.FIRESTORE.resolve("firestore.indexes.json"));
  }

  /** What all queries of the product need, in the form in which its own code sends them. */
  private static List<IndexNeed> needs(Layout layout, SumMode sum) throws Exception {
    SentQueries sent = new SentQueries();
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
    return sent.needs();
  }

  private static void await(CompletableFuture<?> unanswered) {
    assertThat(unanswered).failsWithin(MOST_FOR_NO_ANSWER);
  }
}
