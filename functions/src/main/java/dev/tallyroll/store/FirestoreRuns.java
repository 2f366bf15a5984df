package dev.tallyroll.store;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Times;
import dev.tallyroll.platform.Calls;
import dev.tallyroll.runs.RunStore;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Run documents in Cloud Firestore. They are in the live list, but have none of the fields that it
 * is searched by.
 */
public final class FirestoreRuns implements RunStore {
  /** The fields of a run document; the first is its mark. */
  private static final String MARK = "runs";

  private static final String HOLDER = "holder";
  private static final String UNTIL = "until";
  private static final String GROUP = "group";
  private static final String AFTER = "after";
  private static final String BEGAN = "began";
  private static final String LOOKED = "looked";
  private static final String LAST = "round";
  private static final String ALL = "all";

  private final Firestore firestore;
  private final String deployment;
  private final String mark;
  private final Calls runCalls;

  /**
   * Makes the store.
   *
   * @param deployment its name
   * @param mark what its runs do: {@code totals} or {@code folds}
   */
  public FirestoreRuns(Firestore firestore, String deployment, String mark, Calls runCalls) {
    this.firestore = firestore;
    this.deployment = deployment;
    this.mark = mark;
    this.runCalls = runCalls;
  }

  @Override
  public CompletableFuture<RunState> read(String job) {
    return runCalls
        .make(() -> runDocument(job).get())
        .thenApply(
            document ->
                new RunState(
                    claim(document),
                    place(document),
                    Optional.ofNullable(document.getUpdateTime()).map(Times::instant),
                    document.exists() && !isOurs(document),
                    Times.instant(document.getReadTime())));
  }

  private DocumentReference runDocument(String job) {
    return firestore.document(Layout.runDocument(deployment, job));
  }

  private boolean isOurs(DocumentSnapshot document) {
    return mark.equals(document.get(MARK));
  }

  private Optional<Claim> claim(DocumentSnapshot document) {
    return isOurs(document)
            && document.get(HOLDER) instanceof String holder
            && document.get(UNTIL) instanceof Timestamp until
        ? Optional.of(new Claim(holder, Times.instant(until)))
        : Optional.empty();
  }

  private Optional<Place> place(DocumentSnapshot document) {
    return isOurs(document)
            && document.get(GROUP) instanceof String group
            && document.get(AFTER) instanceof String after
            && document.get(BEGAN) instanceof Timestamp since
        ? Optional.of(new Place(group, after, Times.instant(since), round(document)))
        : Optional.empty();
  }

  /** Damaged numbers cost at worst a sweep that looks at less. */
  private static Round round(DocumentSnapshot document) {
    return new Round(
        document.get(LOOKED) instanceof Long looked ? Math.max(0, looked) : 0,
        document.get(LAST) instanceof Long last ? Math.max(0, last) : 0,
        Boolean.TRUE.equals(document.get(ALL)));
  }

  @Override
  public String newHolder() {
    return runCalls.loop().newName();
  }

  @Override
  public CompletableFuture<Optional<Instant>> claim(
      String job, Claim claim, Optional<Place> place, Optional<Instant> expected) {
    Map<String, Object> fields = new HashMap<>();
    fields.put(MARK, mark);
    fields.put(HOLDER, claim.holder());
    fields.put(UNTIL, Times.timestamp(claim.until()));
    place.map(FirestoreRuns::fields).ifPresent(fields::putAll);
    return write(job, fields, expected);
  }

  private static Map<String, Object> fields(Place place) {
    return Map.of(
        GROUP,
        place.group(),
        AFTER,
        place.after(),
        BEGAN,
        Times.timestamp(place.since()),
        LOOKED,
        place.round().looked(),
        LAST,
        place.round().last(),
        ALL,
        place.round().all());
  }

  private CompletableFuture<Optional<Instant>> write(
      String job, Map<String, Object> fields, Optional<Instant> expected) {
    return runCalls
        .compareAndSet(
            () ->
                expected.isEmpty()
                    ? runDocument(job).create(fields)
                    : runDocument(job).update(fields, Times.version(expected.get())))
        .thenApply(result -> result.map(write -> Times.instant(write.getUpdateTime())));
  }

  @Override
  public CompletableFuture<Boolean> savePlace(String job, Place place, Optional<Instant> expected) {
    Map<String, Object> fields = new HashMap<>(fields(place));
    fields.put(MARK, mark);
    return write(job, fields, expected).thenApply(Optional::isPresent);
  }

  @Override
  public CompletableFuture<Boolean> release(String job, Instant expected) {
    return runCalls
        .compareAndSet(() -> runDocument(job).delete(Times.version(expected)))
        .thenApply(Optional::isPresent);
  }
}
