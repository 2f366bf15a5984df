package dev.tallyroll.store;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.ListenerRegistration;
import dev.tallyroll.Layout;
import dev.tallyroll.Times;
import dev.tallyroll.protocol.EventLoop;
import dev.tallyroll.protocol.RunStore;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Run documents in Cloud Firestore. Safe for use by many threads; futures complete on the loop. */
public final class FirestoreRuns implements RunStore {
  /** The mark: the layout's pattern of counters. */
  private static final String COUNTERS = "counters";

  private static final String HOLDER = "holder";
  private static final String UNTIL = "until";
  private static final String POKED = "poked";

  private final Firestore firestore;
  private final Layout layout;
  private final EventLoop loop;
  private final Calls calls;

  public FirestoreRuns(Firestore firestore, Layout layout, EventLoop loop) {
    this.firestore = firestore;
    this.layout = layout;
    this.loop = loop;
    this.calls = new Calls("Firestore", loop);
  }

  @Override
  public CompletableFuture<RunState> read(int worker) {
    return calls
        .bring(document(worker).get())
        .thenApply(
            document ->
                new RunState(
                    claim(document),
                    Optional.ofNullable(document.getUpdateTime()).map(Times::instant),
                    document.exists() && !isOurs(document),
                    Times.instant(document.getReadTime())));
  }

  private boolean isOurs(DocumentSnapshot document) {
    return layout.counters().equals(document.get(COUNTERS));
  }

  private Optional<Claim> claim(DocumentSnapshot document) {
    return isOurs(document)
            && document.get(HOLDER) instanceof String holder
            && document.get(UNTIL) instanceof Timestamp until
        ? Optional.of(new Claim(holder, Times.instant(until)))
        : Optional.empty();
  }

  @Override
  public String newHolder() {
    return UUID.randomUUID().toString();
  }

  @Override
  public CompletableFuture<Optional<Instant>> claim(
      int worker, Claim claim, Optional<Instant> expected) {
    Map<String, Object> fields = new HashMap<>();
    fields.put(COUNTERS, layout.counters());
    fields.put(HOLDER, claim.holder());
    fields.put(UNTIL, Times.timestamp(claim.until()));
    if (expected.isEmpty()) {
      return calls.compareAndSet(document(worker).create(fields));
    }
    fields.put(POKED, FieldValue.delete()); // whoever knows this version has seen that
    return calls.compareAndSet(document(worker).update(fields, Times.version(expected.get())));
  }

  @Override
  public CompletableFuture<Boolean> release(int worker, Instant expected) {
    return calls
        .compareAndSet(document(worker).delete(Times.version(expected)))
        .thenApply(Optional::isPresent);
  }

  @Override
  public CompletableFuture<Boolean> poke(int worker, Instant expected) {
    Map<String, Object> poke = Map.of(POKED, FieldValue.serverTimestamp());
    return calls
        .compareAndSet(document(worker).update(poke, Times.version(expected)))
        .thenApply(Optional::isPresent);
  }

  @Override
  public Watch watch(int worker, Consumer<Sighting> seen) {
    ListenerRegistration listener =
        document(worker)
            .addSnapshotListener(
                loop,
                (document, failure) -> {
                  if (document != null) {
                    claim(document)
                        .map(
                            claim ->
                                new Sighting(
                                    claim.holder(),
                                    document.contains(POKED),
                                    Times.instant(document.getUpdateTime())))
                        .ifPresent(seen);
                  }
                });
    return listener::remove;
  }

  private DocumentReference document(int worker) {
    return firestore.document(layout.runDocument(worker));
  }
}
