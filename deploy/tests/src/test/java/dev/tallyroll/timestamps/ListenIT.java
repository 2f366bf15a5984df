package dev.tallyroll.timestamps;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.EventListener;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreException;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.Query.Direction;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.library.ObservedCalls;
import dev.tallyroll.local.LocalCloud;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** One listener over several chunks of shard values. */
@On(Site.SHARED)
final class ListenIT {
  private static final int LIMIT_SECONDS = 30;
  private static final ShardedTimestamp TIMESTAMP =
      ShardedTimestamp.of(IntStream.range(0, 65).boxed().toList());

  private final ObservedCalls calls = new ObservedCalls();
  private final BlockingQueue<List<String>> views = new LinkedBlockingQueue<>();
  private final BlockingQueue<FirestoreException> failures = new LinkedBlockingQueue<>();
  @AutoClose private final Firestore firestore;
  private final CollectionReference collection;

  ListenIT(LocalCloud cloud) {
    firestore = calls.connect(cloud);
    collection = firestore.collection("listen-" + UUID.randomUUID());
  }

  private ListenerRegistration listen(int limit) {
    EventListener<View> listener =
        (view, failure) -> {
          if (failure != null) {
            failures.add(failure);
          } else if (view != null) {
            views.add(view.documents().stream().map(DocumentSnapshot::getId).toList());
          }
        };
    return TIMESTAMP
        .query(collection, Direction.DESCENDING)
        .listen(limit, ForkJoinPool.commonPool(), listener);
  }

  /** Retries a write: when a listener ends, the emulator sometimes fails a commit with UNKNOWN. */
  private void write(String id, int shard, int time) {
    var fields = Map.<String, Object>of("timestamp", TwinCollections.time(time), "shard", shard);
    await("a write")
        .ignoreException(ExecutionException.class)
        .until(() -> get(collection.document(id).set(fields)) != null);
  }

  private List<String> nextView() throws InterruptedException {
    return views.poll(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void views_areMergedOrderedAndLimited() throws Exception {
    write("d1", 0, 1);
    write("d3", 30, 3);
    ListenerRegistration registration = listen(3);
    assertThat(nextView()).containsExactly("d3", "d1");

    write("d2", 64, 2);
    assertThat(nextView()).containsExactly("d3", "d2", "d1");
    write("d4", 0, 4);
    assertThat(nextView()).containsExactly("d4", "d3", "d2");
    write("e4", 64, 4);
    assertThat(nextView()).containsExactly("e4", "d4", "d3");
    get(collection.document("d4").delete());
    assertThat(nextView()).containsExactly("e4", "d3", "d2");

    registration.remove();
  }

  @Test
  void changeOutOfSight_isNotShown() throws Exception {
    write("d1", 0, 1);
    write("d2", 30, 2);
    ListenerRegistration registration = listen(1);
    assertThat(nextView()).containsExactly("d2");

    write("d1", 0, 0);
    write("d3", 64, 3);

    assertThat(nextView()).containsExactly("d3");
    registration.remove();
  }

  @Test
  void removedListener_isNotCalled() throws Exception {
    ListenerRegistration removed = listen(5);
    assertThat(nextView()).isEmpty();
    removed.remove();

    write("d1", 0, 1);

    ListenerRegistration witness = listen(4);
    assertThat(nextView()).containsExactly("d1");
    assertThat(views).isEmpty();
    witness.remove();
  }

  @Test
  void failureOfAChunk_endsAllOnce() throws Exception {
    calls.refuseToListen();

    ListenerRegistration registration = listen(5);

    assertThat(failures.poll(LIMIT_SECONDS, TimeUnit.SECONDS)).hasMessageContaining("refused");
    registration.remove();
    assertThat(failures).isEmpty();
    assertThat(views).isEmpty();
  }
}
