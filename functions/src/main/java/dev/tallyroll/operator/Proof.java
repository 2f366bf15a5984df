package dev.tallyroll.operator;

import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Conditions;
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
import java.util.HashMap;
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
  private final Map<String, Object> document; // the counter's own
  private final List<Counted> counted;
  private final List<Shown> places;

  /**
   * What is counted.
   *
   * @param shards where it is
   * @param field that is summed; empty if each document counts one
   * @param conditions what a document holds to be counted
   * @param isIncremented whether clients increment shards; else each makes a document
   */
  private record Counted(
      CollectionReference shards,
      Optional<FieldName> field,
      Conditions conditions,
      boolean isIncremented) {
    /** Without what the conditions want. */
    Map<String, Object> holding(long number) {
      return field.map(name -> name.alone(number)).orElse(Map.of());
    }

    /** A document that counts one. */
    Map<String, Object> one() {
      Map<String, Object> content = new HashMap<>(holding(1));
      conditions.putInto(content);
      return content;
    }
  }

  /** A field that shows what was counted. */
  private record Shown(DocumentReference document, FieldPath field) {}

  private Proof(
      Firestore firestore,
      DocumentReference counter,
      Map<String, Object> document,
      List<Counted> counted,
      List<Shown> places) {
    this.firestore = firestore;
    this.counter = counter;
    this.document = document;
    this.counted = counted;
    this.places = places;
  }

  /**
   * Of a new document, whose totals all entries keep, or which is folded.
   *
   * @param id what it is called
   */
  static Proof of(Firestore firestore, OperatorSettings settings, String id) {
    return settings.fold().isPresent()
        ? ofFold(firestore, settings.fold().get(), id)
        : ofTotals(firestore, settings.entries(), id);
  }

  /** Increments two shards; or, if figures show in the app's documents, makes five documents. */
  private static Proof ofTotals(Firestore firestore, List<Entry> entries, String id) {
    CounterPath path = CounterPath.of(id);
    DocumentReference counter = firestore.document(entries.get(0).layout().counterDocument(path));
    List<Counted> counted = new ArrayList<>();
    List<Shown> places = new ArrayList<>();
    for (Entry entry : entries) {
      Layout layout = entry.layout();
      counted.add(
          new Counted(
              firestore.collection(layout.shardsCollection(path)),
              layout.counted(),
              layout.conditions(path),
              entry.fields().isEmpty()));
      places.add(
          new Shown(
              firestore.document(layout.rollupDocument(path)), FieldPath.of(RollupFields.COUNT)));
      Optional.ofNullable(entry.fields().get(Figure.COUNT))
          .ifPresent(number -> places.add(new Shown(counter, number.path())));
    }
    boolean isIncremented = counted.stream().anyMatch(Counted::isIncremented);
    return new Proof(
        firestore,
        counter,
        isIncremented ? Map.of("num_shards", SHARDS) : Map.of(),
        counted,
        places);
  }

  private static Proof ofFold(Firestore firestore, FoldSettings settings, String id) {
    FieldName field = FieldName.of(RollupFields.COUNT);
    DocumentReference folded = firestore.document(settings.layout().documents().get(0).with(id));
    return new Proof(
        firestore,
        folded,
        field.alone(0),
        List.of(
            new Counted(
                folded.collection(FoldLayout.SHARDS),
                Optional.of(field),
                Conditions.NONE,
                /* isIncremented= */ false)),
        List.of(new Shown(folded, field.path())));
  }

  /** Where it counts. */
  String counter() {
    return counter.getPath();
  }

  /**
   * Counts to five, of each kind, beside a document that meets no condition; returns the time of
   * the last commit.
   */
  Instant count() throws ExecutionException, InterruptedException {
    WriteBatch batch = firestore.batch();
    batch.set(counter, document);
    // As a server would: the counter and its shards in one commit.
    List<Counted> incremented = counted.stream().filter(Counted::isIncremented).toList();
    for (Counted each : incremented) {
      for (int i = 0; i < SHARDS; i++) {
        batch.set(each.shards().document("" + i), each.holding(0));
      }
    }
    List<WriteResult> made = batch.commit().get();
    List<OwnShard> own = new ArrayList<>();
    for (int i = 1; i < made.size(); i++) {
      Counted each = incremented.get((i - 1) / SHARDS);
      own.add(
          new OwnShard(
              each.shards().document("" + (i - 1) % SHARDS),
              each.field().orElseThrow().path(),
              made.get(i).getUpdateTime()));
    }
    for (Counted each : counted) {
      if (!each.conditions().all().isEmpty()) {
        each.shards().document("hidden").set(each.holding(COUNT)).get();
      }
    }
    Instant last = Instant.MIN;
    for (int i = 0; i < COUNT; i++) {
      for (int j = i % SHARDS; j < own.size(); j += SHARDS) {
        last = own.get(j).increment();
      }
      for (Counted each : counted) {
        if (!each.isIncremented()) {
          DocumentReference one = each.shards().document("" + i);
          last = Times.instant(one.set(each.one()).get().getUpdateTime());
        }
      }
    }
    return last;
  }

  /** What all places show: their numbers, and the last update; empty for one that shows none. */
  record Figures(List<Optional<Object>> values, Instant updated) {
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
  Figures look() throws ExecutionException, InterruptedException {
    List<Optional<Object>> values = new ArrayList<>();
    Instant updated = Instant.MIN;
    for (Shown place : places) {
      DocumentSnapshot found = place.document().get().get();
      values.add(Optional.ofNullable(found.get(place.field())));
      if (found.exists()) {
        updated = Collections.max(List.of(updated, Times.instant(found.getUpdateTime())));
      }
    }
    return new Figures(values, updated);
  }

  /** Deletes the counter. The functions then delete its total. */
  void clear() throws ExecutionException, InterruptedException {
    firestore.recursiveDelete(counter).get();
  }
}
