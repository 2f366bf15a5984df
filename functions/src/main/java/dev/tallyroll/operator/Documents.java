package dev.tallyroll.operator;

import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldMask;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.Times;
import dev.tallyroll.operator.StatusReport.Standing;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.settings.FoldLayout;
import dev.tallyroll.store.PathRange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Predicate;

/**
 * What deploy asks the database about documents that are there. It reads samples, and writes
 * nothing. Ids and texts that others have chosen are answered for a terminal, and for a shell into
 * which a dry run is pasted. Thread-safe.
 */
final class Documents {
  /** How many documents of a kind are looked at. */
  static final int SAMPLE = 300;

  /** How many documents are read to find them, where others lie in between. */
  private static final int MOST_READ = 3_000;

  private static final int MOST_LIVE = 100;

  private final Firestore firestore;

  Documents(Firestore firestore) {
    this.firestore = firestore;
  }

  /**
   * Numbers in a field of counters' own documents.
   *
   * @param looked how many documents were looked at
   * @param others how many hold something else than a number there, which stays
   * @param numbers those of the app's own, which the functions would replace, by path
   */
  record Numbers(int looked, int others, Map<String, Number> numbers) {}

  /** How many documents there are in the place of counters, and of roll-ups. */
  record Size(long counters, long rollups) {}

  /**
   * Looks at a field that is to show a figure. A number is the app's own if it is neither what the
   * counter's roll-up says nor, without a roll-up, 0. Costs a read for each document, and one for
   * each number.
   */
  Numbers numbers(Entry entry, Figure figure, FieldName field)
      throws ExecutionException, InterruptedException {
    Layout layout = entry.layout();
    List<QueryDocumentSnapshot> documents =
        sample(
            counters(layout, layout.countersCollection()).select(field.path()),
            path -> entry.counterOfDocument(path).isPresent());
    List<QueryDocumentSnapshot> held =
        documents.stream()
            .filter(document -> document.get(field.path()) instanceof Number)
            .toList();
    List<CounterId> counters =
        held.stream()
            .map(document -> document.getReference().getPath())
            .map(path -> entry.counterOfDocument(path).orElseThrow())
            .toList();
    List<DocumentSnapshot> rollups = rollups(counters);
    Map<String, Number> own = new TreeMap<>();
    for (int i = 0; i < held.size(); i++) {
      Number number = (Number) held.get(i).get(field.path());
      if (number != null
          && number.doubleValue() != expected(counters.get(i), rollups.get(i), figure)) {
        own.put(path(held.get(i)), number);
      }
    }
    long others =
        documents.stream()
            .filter(document -> document.contains(field.path()))
            .filter(document -> !(document.get(field.path()) instanceof Number))
            .count();
    return new Numbers(documents.size(), (int) others, own);
  }

  private static String path(DocumentSnapshot document) {
    return Printable.of(document.getReference().getPath());
  }

  private List<DocumentSnapshot> rollups(List<CounterId> counters)
      throws ExecutionException, InterruptedException {
    DocumentReference[] places =
        counters.stream()
            .map(counter -> firestore.document(counter.rollup()))
            .toArray(DocumentReference[]::new);
    return places.length == 0
        ? List.of()
        : firestore
            .getAll(
                places,
                FieldMask.of(
                    RollupFields.COUNTER,
                    RollupFields.TOTAL_OF,
                    RollupFields.COUNT,
                    RollupFields.SHARDS,
                    RollupFields.AS_OF))
            .get();
  }

  private static double expected(CounterId counter, DocumentSnapshot rollup, Figure figure) {
    Map<String, Object> fields = rollup.getData();
    if (fields == null
        || !RollupFields.carries(fields, counter.mark())
        || !(fields.get(RollupFields.COUNT) instanceof Number total)
        || !(fields.get(RollupFields.SHARDS) instanceof Number number)) {
      return 0;
    }
    double shards = number.doubleValue();
    return switch (figure) {
      case SUM -> total.doubleValue();
      case COUNT -> shards;
      case AVERAGE -> shards > 0 ? total.doubleValue() / shards : 0;
    };
  }

  /**
   * What another total is of, whose roll-up lies in the place of these; empty if there is none.
   * What changes the text changes it for all roll-ups, so a sample is enough.
   */
  Optional<String> otherTotal(Layout layout) throws ExecutionException, InterruptedException {
    return sample(
            counters(layout, layout.rollups()).select(RollupFields.COUNTER, RollupFields.TOTAL_OF),
            path -> layout.counterOfRollup(path).isPresent())
        .stream()
        .filter(document -> isCountersPath(layout, document))
        .flatMap(
            document -> Optional.ofNullable(document.getString(RollupFields.TOTAL_OF)).stream())
        .filter(text -> !text.isEmpty() && !text.equals(layout.totalOf()))
        .map(Printable::of)
        .findFirst();
  }

  private static boolean isCountersPath(Layout layout, DocumentSnapshot rollup) {
    return rollup.get(RollupFields.COUNTER) instanceof String path
        && rollup.get(RollupFields.TOTAL_OF) instanceof String
        && layout
            .counterOfDocument(path)
            .equals(layout.counterOfRollup(rollup.getReference().getPath()));
  }

  /** How many documents the pass looks at. Costs a read for each thousand of them. */
  Size size(Layout layout) throws ExecutionException, InterruptedException {
    return new Size(
        count(counters(layout, layout.countersCollection())),
        count(counters(layout, layout.rollups())));
  }

  /**
   * What there is of an entry's totals, and which are live. Costs a read for each thousand, and two
   * for each of the first hundred that are live.
   */
  Standing standing(Entry entry, String deployment)
      throws ExecutionException, InterruptedException {
    Query live =
        firestore
            .collection(Layout.liveList(deployment))
            .whereEqualTo(StructuredLog.ENTRY, entry.name());
    List<CounterId> some =
        live.limit(MOST_LIVE).get().get().getDocuments().stream()
            .flatMap(found -> Optional.ofNullable(found.getString(RollupFields.COUNTER)).stream())
            .flatMap(path -> entry.counterOfDocument(path).stream())
            .toList();
    return new Standing(
        count(counters(entry.layout(), entry.layout().rollups())),
        count(live),
        rollups(some).stream()
            .flatMap(
                rollup -> Optional.ofNullable(rollup.getTimestamp(RollupFields.AS_OF)).stream())
            .map(Times::instant)
            .min(Comparator.naturalOrder()));
  }

  private static long count(Query query) throws ExecutionException, InterruptedException {
    return query.count().get().get().getCount();
  }

  /**
   * A document in a collection of a name, wherever it lies, that is none of ours: whoever has it
   * would get our index settings, which hold in all collections of the name. Roll-ups lie beside
   * the counters that they name, of any deployment; names of increments below counters.
   */
  Optional<String> foreign(List<Entry> entries, String collection)
      throws ExecutionException, InterruptedException {
    Predicate<QueryDocumentSnapshot> ours =
        collection.equals(Layout.INCREMENT_NAMES)
            ? document ->
                entries.stream().anyMatch(entry -> isBelowCounter(entry.layout(), document))
            : document -> OldTotals.isBeside(document);
    return sample(
            firestore
                .collectionGroup(collection)
                .orderBy(FieldPath.documentId())
                .select(RollupFields.COUNTER),
            path -> true)
        .stream()
        .filter(ours.negate())
        .map(Documents::path)
        .findFirst();
  }

  private static boolean isBelowCounter(Layout layout, DocumentSnapshot name) {
    DocumentReference counter = name.getReference().getParent().getParent();
    return counter != null && counter.getParent().getId().equals(layout.countersCollection());
  }

  /**
   * Where shards of a fold's collection lie.
   *
   * @param looked how many were looked at
   * @param patterns how many lie below documents of each pattern
   */
  record Lying(int looked, Map<String, Integer> patterns) {}

  /**
   * Looks where shards of a fold's collection lie.
   *
   * @param folded the documents that are left out
   */
  Lying lying(String shards, Predicate<String> folded)
      throws ExecutionException, InterruptedException {
    List<DocumentReference> all = shards(shards);
    Map<String, Integer> patterns = new TreeMap<>();
    all.stream()
        .flatMap(shard -> Optional.ofNullable(shard.getParent().getParent()).stream())
        .map(DocumentReference::getPath)
        .filter(folded.negate())
        .forEach(document -> patterns.merge(pattern(document), 1, Integer::sum));
    return new Lying(all.size(), patterns);
  }

  private List<DocumentReference> shards(String collection)
      throws ExecutionException, InterruptedException {
    return sample(
            firestore
                .collectionGroup(collection)
                .orderBy(FieldPath.documentId())
                .select(FieldPath.documentId()),
            path -> true)
        .stream()
        .map(QueryDocumentSnapshot::getReference)
        .toList();
  }

  /**
   * The pattern that a document would fit: {@code rooms/r1/posts/p1} is rooms/{room}/posts/{post}.
   */
  static String pattern(String document) {
    String[] parts = document.split("/", -1);
    List<String> taken = new ArrayList<>();
    for (int i = 0; i < parts.length; i += 2) {
      String name =
          parts[i].replaceFirst("s$", "").replaceAll("\\W", "_").replaceFirst("^(?=\\d|$)", "_");
      while (taken.contains(name)) {
        name += "_";
      }
      taken.add(name);
      parts[i + 1] = "{" + name + "}";
    }
    return Printable.of(String.join("/", parts));
  }

  /**
   * A sharded counter whose shards a fold would delete: its ids are numbers, and it has its number
   * of shards; empty if none is among those that were looked at.
   */
  Optional<String> shardedCounter(FoldLayout layout)
      throws ExecutionException, InterruptedException {
    DocumentReference[] documents =
        shards(layout.shards()).stream()
            .filter(shard -> shard.getId().matches("\\d+"))
            .flatMap(shard -> Optional.ofNullable(shard.getParent().getParent()).stream())
            .filter(document -> layout.holds(document.getPath()))
            .distinct()
            .limit(10)
            .toArray(DocumentReference[]::new);
    if (documents.length == 0) {
      return Optional.empty();
    }
    return firestore.getAll(documents, FieldMask.of("num_shards", "numShards")).get().stream()
        .filter(document -> document.contains("num_shards") || document.contains("numShards"))
        .map(Documents::path)
        .findFirst();
  }

  /**
   * The entry's own collection, or those of its name below the pattern's fixed start.
   *
   * @param name of the collection: the counters' or the roll-ups'
   */
  private Query counters(Layout layout, String name) {
    return layout
        .singleParent()
        .<Query>map(
            parent ->
                firestore
                    .collection(parent.isEmpty() ? name : parent + "/" + name)
                    .orderBy(FieldPath.documentId()))
        .orElseGet(() -> PathRange.of(firestore, name, layout.fixedStart()));
  }

  /** The first documents whose paths fit, among the first that are there. */
  private static List<QueryDocumentSnapshot> sample(Query all, Predicate<String> fits)
      throws ExecutionException, InterruptedException {
    List<QueryDocumentSnapshot> found = new ArrayList<>();
    Query from = all;
    for (int read = 0; read < MOST_READ && found.size() < SAMPLE; read += SAMPLE) {
      List<QueryDocumentSnapshot> page = from.limit(SAMPLE).get().get().getDocuments();
      page.stream()
          .filter(document -> fits.test(document.getReference().getPath()))
          .limit(SAMPLE - found.size())
          .forEach(found::add);
      if (page.size() < SAMPLE) {
        break;
      }
      from = all.startAfter(page.get(page.size() - 1));
    }
    return found;
  }
}
