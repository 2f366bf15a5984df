package dev.tallyroll.timestamps;

import com.google.cloud.firestore.EventListener;
import com.google.cloud.firestore.FirestoreException;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.common.util.concurrent.MoreExecutors;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * One listener to many queries. Their events come one at a time, by a sequential executor; the
 * registrations are guarded by the lock. Thread-safe.
 */
final class ViewListener implements ListenerRegistration {
  private final LatestViews views;
  private final EventListener<View> listener;
  private final Object lock = new Object();
  private final List<ListenerRegistration> registrations = new ArrayList<>();
  private volatile boolean removed;

  private ViewListener(LatestViews views, EventListener<View> listener) {
    this.views = views;
    this.listener = listener;
  }

  static ViewListener start(
      List<Query> chunks, LatestViews views, Executor executor, EventListener<View> listener) {
    ViewListener all = new ViewListener(views, listener);
    Executor sequential = MoreExecutors.newSequentialExecutor(executor);
    for (int i = 0; i < chunks.size(); i++) {
      int chunk = i;
      all.add(
          chunks
              .get(chunk)
              .addSnapshotListener(
                  sequential, (snapshot, failure) -> all.take(chunk, snapshot, failure)));
    }
    return all;
  }

  /** A chunk may fail, and so remove all, while others are still being added. */
  private void add(ListenerRegistration registration) {
    synchronized (lock) {
      if (!removed) {
        registrations.add(registration);
        return;
      }
    }
    registration.remove();
  }

  private void take(
      int chunk, @Nullable QuerySnapshot snapshot, @Nullable FirestoreException failure) {
    if (removed) {
      return;
    }
    if (failure != null) {
      remove();
      listener.onEvent(null, failure);
    } else if (snapshot != null) {
      views.take(chunk, snapshot).ifPresent(view -> listener.onEvent(view, null));
    }
  }

  @Override
  public void remove() {
    List<ListenerRegistration> all;
    synchronized (lock) {
      removed = true;
      all = List.copyOf(registrations);
      registrations.clear();
    }
    all.forEach(ListenerRegistration::remove);
  }
}
