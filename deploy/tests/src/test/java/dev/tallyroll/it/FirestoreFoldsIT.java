package dev.tallyroll.it;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.fold.FirestoreFolds;
import dev.tallyroll.fold.FoldStore;
import dev.tallyroll.fold.FoldStore.Outcome;
import dev.tallyroll.fold.Plan;
import dev.tallyroll.fold.Shard;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.runs.LiveStore.Listed;
import dev.tallyroll.runs.WorkerRange;
import dev.tallyroll.settings.FoldLayout;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The calls of Firestore for folding, in collections that no trigger matches. */
@On(Site.SHARED)
@Tag("core")
final class FirestoreFoldsIT {
  private static final WorkerRange ALL = WorkerRange.of(0, 1);
  private static final FieldName VISITS = FieldName.of("visits");
  private static final FieldName LIKES = FieldName.of("stats", "likes");

  private final String suffix = UUID.randomUUID().toString();
  private final FoldLayout layout =
      new FoldLayout("fold-" + suffix, FoldLayout.documents("pages-" + suffix + "/{page}"));
  private final ThreadEventLoop loop = new ThreadEventLoop("folds", InstantSource.system());
  private final Firestore firestore;
  private final FirestoreFolds store;
  private final String start = "pages-" + suffix;
  private final String page = "pages-" + suffix + "/page";

  FirestoreFoldsIT(TestCloud cloud) {
    this.firestore = cloud.firestore();
    this.store = new FirestoreFolds(firestore, layout, new Calls(loop, /* most= */ 10));
  }

  @AfterEach
  void close() {
    loop.close();
  }

  /** Calls are made on the loop. */
  private <T> T answer(Supplier<CompletableFuture<T>> call) throws Exception {
    return get(CompletableFuture.completedFuture(null).thenComposeAsync(none -> call.get(), loop));
  }

  private DocumentReference put(String id, Map<String, Object> fields) throws Exception {
    var shard = firestore.collection(page + "/" + layout.shards()).document(id);
    get(shard.set(fields));
    return shard;
  }

  private List<Shard> read() throws Exception {
    return answer(() -> store.read(page, "", 10)).shards();
  }

  private static Plan delete(Map<FieldName, Number> sums, List<Shard> shards) {
    return new Plan(
        sums,
        shards.stream().map(shard -> new Shard.Change(shard, Map.of())).toList(),
        Map.of(),
        /* stays= */ 0,
        /* isCut= */ false,
        /* isLarge= */ false,
        /* version= */ Optional.empty());
  }

  @Test
  void shards_comeInTheOrderOfTheirIdsPageByPage() throws Exception {
    put("b", Map.of("visits", 2));
    put("\t\t012", Map.of("_updates_", List.of()));
    put("a", Map.of("visits", 1));

    var first = answer(() -> store.read(page, "", 2));
    var second = answer(() -> store.read(page, "a", 2));

    assertThat(first.shards()).extracting(Shard::id).containsExactly("\t\t012", "a");
    assertThat(second.shards()).extracting(Shard::fields).containsExactly(Map.of("visits", 2L));
  }

  @Test
  void shardThatHasChanged_refusesAll() throws Exception {
    put("a", Map.of("visits", 1));
    put("b", Map.of("visits", 1));
    var before = read();
    put("b", Map.of("visits", 2));

    assertThat(answer(() -> store.move(page, delete(Map.of(VISITS, 2L), before))))
        .isEqualTo(Outcome.REFUSED);

    assertThat(get(firestore.document(page).get()).exists()).isFalse();
    assertThat(read()).hasSize(2);
  }

  @Test
  void shardThatIsGone_refusesAll() throws Exception {
    put("a", Map.of("visits", 1));
    var before = read();

    assertThat(answer(() -> store.move(page, delete(Map.of(VISITS, 1L), before))))
        .isEqualTo(Outcome.DONE);
    assertThat(answer(() -> store.move(page, delete(Map.of(VISITS, 1L), before))))
        .isEqualTo(Outcome.REFUSED);

    assertThat(get(firestore.document(page).get()).get("visits")).isEqualTo(1L);
  }

  @Test
  void fullDocument_isImpossible() throws Exception {
    get(firestore.document(page).set(Map.of("text", "x".repeat(1_048_400))));
    put("a", Map.of("a-long-name".repeat(20), 1));
    var before = read();

    assertThat(
            answer(
                () ->
                    store.move(
                        page, delete(Map.of(FieldName.of("a-long-name".repeat(20)), 1L), before))))
        .isEqualTo(Outcome.IMPOSSIBLE);

    assertThat(read()).isEqualTo(before);
  }

  @Test
  void fields_areThoseAskedFor_withWhatTheyAreIn() throws Exception {
    get(firestore.document(page).set(Map.of("title", "x", "stats", Map.of("likes", 1, "y", 2))));

    assertThat(answer(() -> store.fields(page, Set.of(LIKES, VISITS))).fields())
        .isEqualTo(Map.of("stats", Map.of("likes", 1L, "y", 2L)));
    get(firestore.document(page).set(Map.of("stats", "many")));
    assertThat(answer(() -> store.fields(page, Set.of(LIKES))).fields())
        .isEqualTo(Map.of("stats", "many"));
    assertThat(answer(() -> store.fields("pages/none", Set.of(VISITS))))
        .isEqualTo(new FoldStore.Owner(Map.of(), Optional.empty()));
  }

  /** For a sum near the ends of a field's range. */
  @Test
  void documentThatMustHaveAVersion_isChangedAtThatVersionOnly() throws Exception {
    get(firestore.document(page).set(Map.of("visits", 1L, "title", "x")));
    put("a", Map.of("visits", 5));
    var shards = read();
    var before = answer(() -> store.fields(page, Set.of(VISITS)));
    get(firestore.document(page).update("visits", 2L));

    assertThat(
            answer(() -> store.move(page, delete(Map.of(VISITS, 5L), shards).at(before.version()))))
        .isEqualTo(Outcome.REFUSED);
    var now = answer(() -> store.fields(page, Set.of(VISITS)));
    assertThat(answer(() -> store.move(page, delete(Map.of(VISITS, 5L), shards).at(now.version()))))
        .isEqualTo(Outcome.DONE);

    assertThat(get(firestore.document(page).get()).getData())
        .isEqualTo(Map.of("visits", 7L, "title", "x"));
    assertThat(read()).isEmpty();
  }

  @Test
  void entry_goesOnlyAtItsVersion() throws Exception {
    answer(() -> store.enter(page));
    Listed<String> first = answer(() -> store.liveList().live(ALL)).entries().get(0);
    answer(() -> store.enter(page));

    answer(() -> store.liveList().remove(first));
    Listed<String> second =
        answer(() -> store.liveList().liveSince(Instant.EPOCH)).entries().get(0);
    assertThat(second.updateTime()).isAfter(first.updateTime());

    answer(() -> store.liveList().remove(second));
    assertThat(answer(() -> store.liveList().live(ALL)).entries()).isEmpty();
  }

  @Test
  void allShards_arePagedByDocument() throws Exception {
    put("a", Map.of());
    put("b", Map.of());
    get(firestore.document(page + "/comments/c/" + layout.shards() + "/d").set(Map.of()));
    get(firestore.document("other/o/" + layout.shards() + "/e").set(Map.of()));

    var first = answer(() -> store.page(start, "", 2));
    var second = answer(() -> store.page(start, first.last(), 2));

    assertThat(first.shards().keySet()).containsExactly(page);
    assertThat(first.last()).isEqualTo(page + "/" + layout.shards() + "/b");
    assertThat(second.shards().keySet()).containsExactly(page + "/comments/c");
    assertThat(second.last()).isEmpty();
  }

  /** An instance of 512 MiB holds no page of 200 shards with a megabyte each. */
  @Test
  void largeShards_comeInSmallPages() throws Exception {
    List<String> ids = List.of("a", "b", "c", "d", "e", "f");
    for (String id : ids) {
      put(id, Map.of("visits", 1, "text", "x".repeat(600_000)));
    }

    var page1 = answer(() -> store.read(page, "", 200));
    assertThat(page1.shards()).extracting(Shard::id).containsExactly("a");
    assertThat(page1.isCut()).isTrue();
    assertThat(page1.isLast()).isFalse();
    var swept = answer(() -> store.page(start, "", 200));
    assertThat(swept.last()).endsWith("/a");
    assertThat(swept.isCut()).isTrue();
    var named = answer(() -> store.read(page, ids));
    assertThat(named.shards()).hasSize(1);
    assertThat(named.rest()).hasSize(5);
  }
}
