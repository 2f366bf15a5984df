package dev.tallyroll.local.soak;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentChange;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import dev.tallyroll.Layout;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Two readers of all roll-ups: one listens, one asks for one after the other. They tell each
 * counter's {@link History} what they see. Thread-safe.
 */
final class Readers implements AutoCloseable {
  private static final int POLL_MILLIS = 20;

  private final Map<String, History> histories = new HashMap<>();
  private final List<Client> clients;
  private final Random random = new Random(1);
  private final LongAdder seen = new LongAdder();
  private final Consumer<String> log;
  private final ListenerRegistration listener;
  private final ScheduledExecutorService poller =
      Executors.newSingleThreadScheduledExecutor(Readers::daemon);

  private Readers(Firestore firestore, Layout layout, List<Client> clients, Consumer<String> log) {
    this.clients = clients;
    this.log = log;
    clients.forEach(
        client -> histories.put(layout.rollupDocument(client.path()), client.history()));
    listener =
        firestore
            .collectionGroup(layout.rollups())
            .addSnapshotListener(
                (rollups, failure) -> {
                  if (rollups != null) {
                    rollups.getDocumentChanges().forEach(this::hear);
                  }
                });
  }

  static Readers start(
      Firestore firestore, Layout layout, List<Client> clients, Consumer<String> log) {
    var readers = new Readers(firestore, layout, clients, log);
    var unused =
        readers.poller.scheduleWithFixedDelay(readers::poll, 0, POLL_MILLIS, TimeUnit.MILLISECONDS);
    return readers;
  }

  private void hear(DocumentChange change) {
    var history = histories.get(change.getDocument().getReference().getPath());
    if (history != null && change.getType() != DocumentChange.Type.REMOVED) {
      hear(history, change.getDocument());
    }
  }

  private void hear(History history, QueryDocumentSnapshot rollup) {
    if (rollup.get("count") instanceof Long count
        && rollup.get("as_of") instanceof Timestamp asOf) {
      seen.increment();
      history.heard(count, Instant.ofEpochSecond(asOf.getSeconds(), asOf.getNanos()));
    }
  }

  private void poll() {
    var client = clients.get(random.nextInt(clients.size()));
    try {
      polled(client.history(), Client.done(client.counter().total()));
    } catch (ExecutionException | TimeoutException failure) {
      log.accept(client.path() + ": a reader's call failed: " + failure);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void polled(History history, RolledUpTotal rollup) {
    if (!rollup.equals(RolledUpTotal.NONE) && rollup.total() instanceof Total.Whole whole) {
      seen.increment();
      history.polled(whole.value(), rollup.asOf());
    }
  }

  /** How many roll-ups were seen, by both. */
  long seen() {
    return seen.sum();
  }

  private static Thread daemon(Runnable task) {
    var thread = new Thread(task, "poller");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void close() {
    listener.remove();
    poller.shutdownNow();
  }
}
