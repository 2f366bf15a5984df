package dev.tallyroll.store;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Layout;
import dev.tallyroll.Times;
import dev.tallyroll.protocol.RollupStore.Group;
import dev.tallyroll.protocol.RunStore;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** Run documents in Cloud Firestore. */
public final class FirestoreRuns implements RunStore {
  /** The mark: the layout's pattern of counters. */
  private static final String COUNTERS = "counters";

  private static final String HOLDER = "holder";
  private static final String UNTIL = "until";
  private static final String GROUP = "group";
  private static final String AFTER = "after";

  private final Firestore firestore;
  private final Layout layout;
  private final Calls calls;

  public FirestoreRuns(Firestore firestore, Layout layout, Calls calls) {
    this.firestore = firestore;
    this.layout = layout;
    this.calls = calls;
  }

  @Override
  public CompletableFuture<RunState> read(String job) {
    return calls
        .make(() -> document(job).get())
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
        ? Optional.of(new Claim(holder, Times.instant(until), place(document)))
        : Optional.empty();
  }

  /** A damaged place is the start: a sweep is harmless wherever it begins. */
  private static Optional<Place> place(DocumentSnapshot document) {
    return document.get(AFTER) instanceof String after
            && (after.isEmpty() || after.split("/", -1).length % 2 == 0)
        ? Arrays.stream(Group.values())
            .filter(group -> group.name().equals(document.get(GROUP)))
            .findFirst()
            .map(group -> new Place(group, after))
        : Optional.empty();
  }

  @Override
  public String newHolder() {
    return UUID.randomUUID().toString();
  }

  @Override
  public CompletableFuture<Boolean> claim(String job, Claim claim, Optional<Instant> expected) {
    Map<String, Object> fields = new HashMap<>();
    fields.put(COUNTERS, layout.counters());
    fields.put(HOLDER, claim.holder());
    fields.put(UNTIL, Times.timestamp(claim.until()));
    claim
        .place()
        .ifPresent(
            place -> {
              fields.put(GROUP, place.group().name());
              fields.put(AFTER, place.after());
            });
    return calls
        .compareAndSet(
            () ->
                expected.isEmpty()
                    ? document(job).create(fields)
                    : document(job).update(fields, Times.version(expected.get())))
        .thenApply(Optional::isPresent);
  }

  @Override
  public CompletableFuture<Boolean> release(String job, Instant expected) {
    return calls
        .compareAndSet(() -> document(job).delete(Times.version(expected)))
        .thenApply(Optional::isPresent);
  }

  private DocumentReference document(String job) {
    return firestore.document(layout.runDocument(job));
  }
}
