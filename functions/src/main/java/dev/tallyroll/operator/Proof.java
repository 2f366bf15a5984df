package dev.tallyroll.operator;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.Times;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.settings.FoldLayout;
import dev.tallyroll.settings.FoldSettings;
import dev.tallyroll.settings.OperatorSettings;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

/**
 * Proves that a deployment counts: counts to five, as its clients would, and looks whether that
 * shows.
 */
final class Proof {
  private static final long COUNT = 5;
  private static final int SHARDS = 2;

  private final Firestore firestore;
  private final DocumentReference counter;
  private final CollectionReference shards;
  private final FieldName counted;
  private final Map<String, Object> document; // the counter's own
  private final boolean incrementing;
  private final List<Shown> places;

  /** A field that shows what was counted. */
  private record Shown(DocumentReference document, FieldPath field) {}

  private Proof(
      Firestore firestore,
      DocumentReference counter,
      String shards,
      FieldName counted,
      Map<String, Object> document,
      boolean incrementing,
      List<Shown> places) {
    this.firestore = firestore;
    this.counter = counter;
    this.shards = counter.collection(shards);
    this.counted = counted;
    this.document = document;
    this.incrementing = incrementing;
    this.places = places;
  }

  /**
   * Of a new counter, or a document that is folded.
   *
   * @param id what it is called
   */
  static Proof of(Firestore firestore, OperatorSettings settings, String id) {
    return settings
        .entry()
        .map(entry -> ofTotal(firestore, entry, id))
        .orElseGet(() -> ofFold(firestore, settings.fold().orElseThrow(), id));
  }

  /** Increments two shards; or, if figures show in the app's documents, makes five documents. */
  private static Proof ofTotal(Firestore firestore, Entry entry, String id) {
    Layout layout = entry.layout();
    DocumentReference counter = firestore.document(layout.counterDocument(CounterPath.of(id)));
    List<Shown> places = new ArrayList<>();
    places.add(
        new Shown(
            firestore.document(layout.rollupDocument(CounterPath.of(id))),
            FieldPath.of(RollupFields.COUNT)));
    Optional.ofNullable(entry.fields().get(Figure.COUNT))
        .ifPresent(number -> places.add(new Shown(counter, number.path())));
    boolean incrementing = entry.fields().isEmpty();
    return new Proof(
        firestore,
        counter,
        layout.shards(),
        layout.counted().orElseThrow(),
        incrementing ? Map.of("num_shards", SHARDS) : Map.of(),
        incrementing,
        places);
  }

  private static Proof ofFold(Firestore firestore, FoldSettings settings, String id) {
    FieldName counted = FieldName.of(RollupFields.COUNT);
    DocumentReference folded = firestore.document(settings.layout().documents().get(0).with(id));
    return new Proof(
        firestore,
        folded,
        FoldLayout.SHARDS,
        counted,
        counted.alone(0),
        /* incrementing= */ false,
        List.of(new Shown(folded, counted.path())));
  }

  /** Where it counts. */
  String counter() {
    return counter.getPath();
  }

  /** Counts to five; returns the time of the last commit. */
  Instant count() throws ExecutionException, InterruptedException {
    WriteBatch batch = firestore.batch();
    batch.set(counter, document);
    if (!incrementing) {
      batch.commit().get();
      return make();
    }
    // As a server would: the counter and its shards in one commit.
    for (int i = 0; i < SHARDS; i++) {
      batch.set(shards.document("" + i), counted.alone(0));
    }
    List<WriteResult> made = batch.commit().get();
    List<OwnShard> own = new ArrayList<>();
    for (int i = 0; i < SHARDS; i++) {
      own.add(
          new OwnShard(shards.document("" + i), counted.path(), made.get(i + 1).getUpdateTime()));
    }
    Instant last = Instant.MIN;
    for (int i = 0; i < COUNT; i++) {
      last = own.get(i % SHARDS).increment();
    }
    return last;
  }

  private Instant make() throws ExecutionException, InterruptedException {
    Instant last = Instant.MIN;
    for (int i = 0; i < COUNT; i++) {
      last = Times.instant(shards.document("" + i).set(counted.alone(1)).get().getUpdateTime());
    }
    return last;
  }

  /** What all places show: their numbers, and the last update; empty for one that shows none. */
  record Found(List<Optional<Object>> values, Instant updated) {
    boolean isAll() {
      return values.stream().allMatch(value -> value.equals(Optional.of(COUNT)));
    }

    String words() {
      return values.stream()
          .map(value -> value.map(Object::toString).orElse("nothing"))
          .collect(Collectors.joining(" and "));
    }
  }

  /** Looks once. */
  Found look() throws ExecutionException, InterruptedException {
    List<Optional<Object>> values = new ArrayList<>();
    Instant updated = Instant.MIN;
    for (Shown place : places) {
      DocumentSnapshot found = place.document().get().get();
      values.add(Optional.ofNullable(found.get(place.field())));
      if (found.exists()) {
        updated = Collections.max(List.of(updated, Times.instant(found.getUpdateTime())));
      }
    }
    return new Found(values, updated);
  }

  /** Deletes the counter. The functions then delete its total. */
  void clear() throws ExecutionException, InterruptedException {
    firestore.recursiveDelete(counter).get();
  }
}
