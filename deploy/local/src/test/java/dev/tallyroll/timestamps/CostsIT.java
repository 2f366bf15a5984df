package dev.tallyroll.timestamps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query.Direction;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.client.Wire;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import dev.tallyroll.timestamps.UnusableTokenException.Reason;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a page costs, by the calls that leave the client; and that refusals cost nothing. */
@ExtendWith(SharedCloud.class)
final class CostsIT {
  private static final int DOCUMENTS = 200;

  private final WatchedCalls calls = new WatchedCalls();
  private Firestore firestore;
  private CollectionReference collection;

  @BeforeEach
  void connect(LocalCloud cloud) {
    firestore = Wire.open(cloud, calls);
    collection = firestore.collection("costs-" + UUID.randomUUID());
  }

  @AfterEach
  void disconnect() throws Exception {
    firestore.close();
  }

  private static ShardedTimestamp withValues(int count) {
    return ShardedTimestamp.of(IntStream.range(0, count).boxed().toList());
  }

  private void write(ShardedTimestamp timestamp, Random random) throws Exception {
    WriteBatch batch = firestore.batch();
    for (int i = 0; i < DOCUMENTS; i++) {
      batch.set(
          collection.document("d" + i),
          Map.of(
              "timestamp",
              TwinCollections.time(i),
              timestamp.shardField(),
              timestamp.randomShard(random)));
    }
    Await.of(batch.commit());
  }

  @Test
  void oneChunk_costsOneQueryAndOneDocumentMore() throws Exception {
    ShardedTimestamp timestamp = withValues(30);
    write(timestamp, new Random(1));

    Page page = Await.of(timestamp.query(collection, Direction.DESCENDING).page(20));

    assertThat(page.documents()).hasSize(20);
    assertThat(calls.queries()).isEqualTo(1);
    assertThat(calls.documents()).isEqualTo(21).isEqualTo(page.documentsRead());
  }

  @Test
  void manyChunks_readLittleMoreThanThePage() throws Exception {
    ShardedTimestamp timestamp = withValues(120);
    write(timestamp, new Random(1));
    ShardedQuery query = timestamp.query(collection, Direction.ASCENDING);

    Page page = Await.of(query.page(60));
    while (page.next().isPresent()) {
      int queriesBefore = calls.queries();
      int documentsBefore = calls.documents();

      page = Await.of(query.page(60, page.next().get()));

      int batch = 16 + 3;
      assertThat(calls.queries() - queriesBefore).isBetween(4, 8);
      assertThat(calls.documents() - documentsBefore)
          .isEqualTo(page.documentsRead())
          .isLessThanOrEqualTo(61 + 4 * batch);
    }
  }

  @Test
  void skewedShards_areReadWithinTheBound() throws Exception {
    ShardedTimestamp all = withValues(120);
    write(withValues(30), new Random(1));

    Page page = Await.of(all.query(collection, Direction.ASCENDING).page(60));

    assertThat(page.documents()).hasSize(60);
    assertThat(calls.queries()).isBetween(5, 8);
    assertThat(calls.documents()).isEqualTo(61);
  }

  @Test
  void refusals_costNothing() {
    ShardedTimestamp timestamp = withValues(3);
    ShardedQuery query = timestamp.query(collection, Direction.ASCENDING);
    ShardedQuery elsewhere =
        timestamp.query(firestore.collection("elsewhere"), Direction.ASCENDING);
    String token =
        new Tokens("q", "v", Set.of("v"))
            .encode(PageToken.after(new Position(new Rise(TwinCollections.time(1)), "a/b")));

    assertThatThrownBy(() -> query.page(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> query.page(20_001)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> query.page(5, "no token")).isInstanceOf(UnusableTokenException.class);
    assertThatThrownBy(() -> elsewhere.page(5, token))
        .isInstanceOfSatisfying(
            UnusableTokenException.class,
            refusal -> assertThat(refusal.reason()).isEqualTo(Reason.OTHER_QUERY));
    assertThat(calls.queries()).isZero();
  }

  @Test
  void tokenWithAForeignPath_isRefused() {
    ShardedTimestamp timestamp = withValues(3);
    String fingerprint =
        BaseQuery.of(collection, Fields.DEFAULT).fingerprint(Fields.DEFAULT, Direction.ASCENDING);
    String version =
        new ShardValues(IntStream.range(0, 3).<Object>mapToObj(i -> i).toList()).version();
    Tokens tokens = new Tokens(fingerprint, version, Set.of(version));

    for (String path :
        new String[] {"elsewhere/a", "odd", "", "a//b", collection.getId() + "/a/b/c"}) {
      String token =
          tokens.encode(PageToken.after(new Position(new Rise(TwinCollections.time(1)), path)));
      assertThatThrownBy(() -> timestamp.query(collection, Direction.ASCENDING).page(5, token))
          .as(path)
          .isInstanceOfSatisfying(
              UnusableTokenException.class,
              refusal -> assertThat(refusal.reason()).isEqualTo(Reason.MALFORMED));
    }
  }
}
