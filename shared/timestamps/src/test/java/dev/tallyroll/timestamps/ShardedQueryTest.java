package dev.tallyroll.timestamps;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query.Direction;
import org.junit.jupiter.api.Test;

class ShardedQueryTest {

  /** The client's own calls throw, at once. */
  @Test
  void closedClient_failsTheFuture() throws Exception {
    Firestore firestore = Offline.open();
    ShardedQuery query =
        ShardedTimestamp.forRate(1).query(firestore.collection("prices"), Direction.ASCENDING);
    firestore.close();

    var page = query.page(1);

    assertThatThrownBy(page::get).hasCauseInstanceOf(IllegalStateException.class);
  }

  @Test
  void limitsOutOfRange_areRefused() {
    ShardedQuery query =
        ShardedTimestamp.forRate(1)
            .query(Offline.FIRESTORE.collection("prices"), Direction.ASCENDING);

    for (int limit : new int[] {0, ShardedQuery.MAX_LIMIT + 1}) {
      assertThatThrownBy(() -> query.page(limit))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageEndingWith("found " + limit);
    }
  }
}
