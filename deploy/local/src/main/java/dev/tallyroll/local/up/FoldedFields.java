package dev.tallyroll.local.up;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.TransactionOptions;
import dev.tallyroll.fold.FoldLayout;
import dev.tallyroll.internal.Times;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * With FOLD: every field that shards have counted since the start, as it is in its document, and
 * what shards still hold of it. Thread-safe.
 */
final class FoldedFields extends Totals {
  private final Firestore firestore;
  private final FoldLayout layout;

  /** By the path of the document, and the names on the way to the field. */
  private final Map<String, Map<List<String>, Field>> fields = new TreeMap<>();

  /** A field as it is remembered between looks. */
  private static final class Field {
    private double exact;
    private Instant looked = Instant.EPOCH;
  }

  /** The sum of one field over the shards of a document, and when the oldest of them was made. */
  private record Rest(double sum, Instant since) {
    static final Rest NONE = new Rest(0, Instant.MAX);

    Rest plus(double number, Instant other) {
      return new Rest(sum + number, other.isBefore(since) ? other : since);
    }
  }

  /**
   * @param pages documents that are shown before they have a shard
   */
  FoldedFields(Firestore firestore, FoldLayout layout, List<String> pages) {
    this.firestore = firestore;
    this.layout = layout;
    pages.forEach(page -> remember(page, List.of(FoldedPage.FIELD)));
  }

  @Override
  List<State> ask(boolean all) throws ExecutionException, InterruptedException {
    return firestore
        .runTransaction(
            transaction -> {
              var waiting = firestore.collectionGroup(layout.shards());
              var shards = transaction.get(waiting).get().getDocuments();
              shards.forEach(this::remember);
              var documents =
                  fields.keySet().stream()
                      .map(firestore::document)
                      .toArray(DocumentReference[]::new);
              return documents.length == 0
                  ? List.<State>of()
                  : compare(shards, transaction.getAll(documents).get());
            },
            TransactionOptions.createReadOnlyOptionsBuilder().build())
        .get();
  }

  private void remember(QueryDocumentSnapshot shard) {
    if (layout.holds(document(shard))) {
      numbers(shard).keySet().forEach(path -> remember(document(shard), path));
    }
  }

  private void remember(String document, List<String> path) {
    fields
        .computeIfAbsent(document, it -> new HashMap<>())
        .computeIfAbsent(path, it -> new Field());
  }

  private static String document(QueryDocumentSnapshot shard) {
    return Optional.ofNullable(shard.getReference().getParent().getParent())
        .orElseThrow()
        .getPath();
  }

  private List<State> compare(List<QueryDocumentSnapshot> shards, List<DocumentSnapshot> found) {
    Map<String, Map<List<String>, Rest>> waiting = new HashMap<>();
    for (QueryDocumentSnapshot shard : shards) {
      Map<List<String>, Rest> its = waiting.computeIfAbsent(document(shard), it -> new HashMap<>());
      Instant since = Times.instant(shard.getCreateTime());
      numbers(shard)
          .forEach(
              (path, number) ->
                  its.put(path, its.getOrDefault(path, Rest.NONE).plus(number, since)));
    }
    Instant now = Instant.now();
    List<State> states = new ArrayList<>();
    for (DocumentSnapshot document : found) {
      String path = document.getReference().getPath();
      Map<List<String>, Rest> its = waiting.getOrDefault(path, Map.of());
      fields
          .getOrDefault(path, Map.of())
          .forEach(
              (names, field) -> {
                Object value = document.get(FieldPath.of(names.toArray(String[]::new)));
                String name = path + " " + String.join(".", names);
                states.add(state(name, field, value, its.getOrDefault(names, Rest.NONE), now));
              });
    }
    return states.stream().sorted(Comparator.comparing(State::counter)).toList();
  }

  private static State state(
      String name, Field field, @Nullable Object value, Rest rest, Instant now) {
    Number total = value instanceof Number number ? number : null;
    double exact = (total == null ? 0 : total.doubleValue()) + rest.sum();
    double passed = Math.max(1, Duration.between(field.looked, now).toMillis()) / 1e3;
    double rate = field.looked.equals(Instant.EPOCH) ? 0 : (exact - field.exact) / passed;
    field.exact = exact;
    field.looked = now;
    // Where the document holds something else, the number stays where it is.
    boolean empty = rest.sum() == 0 || (value != null && total == null);
    Duration waits = empty ? Duration.ZERO : Duration.between(rest.since(), now);
    Verdict verdict = waits.compareTo(SOON) > 0 ? Verdict.NO : Verdict.NOT_YET;
    return new State(
        name,
        total,
        exact == Math.rint(exact) ? (Number) (long) exact : (Number) exact,
        rate,
        rate,
        waits.toMillis() / 1e3,
        /* live= */ !empty,
        /* polled= */ false,
        /* held= */ false,
        empty ? Verdict.YES : verdict);
  }

  /** The finite numbers of a shard, or of a partial's updates. */
  private static Map<List<String>, Double> numbers(QueryDocumentSnapshot shard) {
    Map<List<String>, Double> numbers = new HashMap<>();
    if (shard.get("_updates_") instanceof List<?> updates) {
      for (Object update : updates) {
        collect(List.of(), update instanceof Map<?, ?> map ? map.get("_data_") : null, numbers);
      }
    } else {
      collect(List.of(), shard.getData(), numbers);
    }
    return numbers;
  }

  private static void collect(
      List<String> way, @Nullable Object value, Map<List<String>, Double> numbers) {
    if (value instanceof Map<?, ?> map) {
      map.forEach(
          (name, inner) -> {
            var path = new ArrayList<>(way);
            path.add((String) name);
            collect(path, inner, numbers);
          });
    } else if (value instanceof Number number && Double.isFinite(number.doubleValue())) {
      numbers.merge(way, number.doubleValue(), Double::sum);
    }
  }

  @Override
  synchronized String advice(String nothingFound) {
    return fields.isEmpty() ? nothingFound : "";
  }
}
