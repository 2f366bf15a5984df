package dev.tallyroll.timestamps;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.EventListener;
import com.google.cloud.firestore.FirestoreException;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.common.util.concurrent.MoreExecutors;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What a listener sees: the first documents in the order of their timestamps. Immutable. */
public final class View {
  private final List<QueryDocumentSnapshot> documents;
  private final Instant readTime;

  private View(List<QueryDocumentSnapshot> documents, Instant readTime) {
    this.documents = documents;
    this.readTime = readTime;
  }

  /** In order; at most as many as asked for. */
  public List<QueryDocumentSnapshot> documents() {
    return documents;
  }

  /** The earliest of the times of the chunks' last snapshots. */
  public Instant readTime() {
    return readTime;
  }

  static Instant instant(Timestamp time) {
    return Instant.ofEpochSecond(time.getSeconds(), time.getNanos());
  }

  /**
   * One listener to many queries. Their events come one at a time, by a sequential executor; it can
   * be removed at any time, by any thread.
   */
  static final class Listening implements ListenerRegistration {
    private final List<Query> chunks;
    private final Comparator<DocumentSnapshot> order;
    private final int limit;
    private final EventListener<View> listener;
    private final Map<Query, QuerySnapshot> latest = new HashMap<>();
    private @Nullable List<QueryDocumentSnapshot> shown;
    private final Queue<ListenerRegistration> registrations = new ConcurrentLinkedQueue<>();
    private volatile boolean removed;

    Listening(
        List<Query> chunks,
        Comparator<DocumentSnapshot> order,
        int limit,
        EventListener<View> listener) {
      this.chunks = chunks;
      this.order = order;
      this.limit = limit;
      this.listener = listener;
    }

    /** A chunk may fail, which removes all listeners, while others are still being added. */
    Listening start(Executor executor) {
      Executor sequential = MoreExecutors.newSequentialExecutor(executor);
      for (Query chunk : chunks) {
        registrations.add(chunk.limit(limit).addSnapshotListener(sequential, this::take));
      }
      if (removed) {
        remove();
      }
      return this;
    }

    private void take(@Nullable QuerySnapshot snapshot, @Nullable FirestoreException failure) {
      if (removed) {
        return;
      }
      if (failure != null) {
        remove();
        listener.onEvent(null, failure);
      } else if (snapshot != null) {
        latest.put(snapshot.getQuery(), snapshot);
        if (latest.size() == chunks.size()) {
          show();
        }
      }
    }

    /** Shows the documents, unless they are the same as before. */
    private void show() {
      Set<String> paths = new HashSet<>();
      List<QueryDocumentSnapshot> documents =
          latest.values().stream()
              .flatMap(snapshot -> snapshot.getDocuments().stream())
              .sorted(order)
              .filter(document -> paths.add(document.getReference().getPath()))
              .limit(limit)
              .toList();
      if (!documents.equals(shown)) {
        shown = documents;
        var times = latest.values().stream().map(QuerySnapshot::getReadTime);
        Instant readTime = instant(times.min(Comparator.naturalOrder()).get());
        listener.onEvent(new View(documents, readTime), null);
      }
    }

    @Override
    public void remove() {
      removed = true;
      for (var next = registrations.poll(); next != null; next = registrations.poll()) {
        next.remove();
      }
    }
  }
}
