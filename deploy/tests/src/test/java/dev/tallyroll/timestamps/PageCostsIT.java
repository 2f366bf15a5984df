package dev.tallyroll.timestamps;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query.Direction;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.library.ObservedCalls;
import dev.tallyroll.local.LocalCloud;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The cost of a page in calls of the client; refused pages cost nothing. */
@On(Site.SHARED)
final class PageCostsIT {
  private static final int DOCUMENTS = 200;

  private final ObservedCalls calls = new ObservedCalls();
  @AutoClose private final Firestore firestore;
  private final CollectionReference collection;

  PageCostsIT(LocalCloud cloud) {
    firestore = calls.connect(cloud);
    collection = firestore.collection("costs-" + UUID.randomUUID());
  }

  private ShardedQuery withValues(int count) {
    return timestamp(count).query(collection, Direction.ASCENDING);
  }

  private static ShardedTimestamp timestamp(int values) {
    return ShardedTimestamp.of(IntStream.range(0, values).boxed().toList());
  }

  private void write(int values) throws Exception {
    Random random = new Random(1);
    WriteBatch batch = firestore.batch();
    for (int i = 0; i < DOCUMENTS; i++) {
      Object shard = timestamp(values).randomShard(random);
      batch.set(
          collection.document("d" + i),
          Map.of("timestamp", TwinCollections.time(i), "shard", shard));
    }
    get(batch.commit());
  }

  @Test
  void oneChunk_costsOneQueryAndOneDocumentMore() throws Exception {
    write(30);

    Page page = get(withValues(30).page(20));

    assertThat(page.documents()).hasSize(20);
    assertThat(calls.queries()).isEqualTo(1);
    assertThat(calls.documents()).isEqualTo(21).isEqualTo(page.documentsRead());
  }

  @Test
  void manyChunks_readLittleMoreThanThePage() throws Exception {
    write(120);
    ShardedQuery query = withValues(120);

    Page page = get(query.page(60));
    while (page.next().isPresent()) {
      int queriesBefore = calls.queries();
      int documentsBefore = calls.documents();

      page = get(query.page(60, page.next().get()));

      int batch = 16 + 3;
      assertThat(calls.queries() - queriesBefore).isBetween(4, 8);
      assertThat(calls.documents() - documentsBefore)
          .isEqualTo(page.documentsRead())
          .isLessThanOrEqualTo(61 + 4 * batch);
    }
  }

  @Test
  void skewedShards_areReadWithinTheBound() throws Exception {
    write(30);

    Page page = get(withValues(120).page(60));

    assertThat(page.documents()).hasSize(60);
    assertThat(calls.queries()).isBetween(5, 8);
    assertThat(calls.documents()).isEqualTo(61);
  }

  @Test
  void refusals_costNothing() {
    for (int limit : new int[] {0, 20_001}) {
      assertThatThrownBy(() -> withValues(3).page(limit))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageEndingWith("found " + limit);
    }
    assertThatThrownBy(() -> withValues(3).page(5, "no token"))
        .isInstanceOf(UnusableTokenException.class);
    assertThat(calls.queries()).isZero();
  }
}
