package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.Times;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The counter's own document as it was read: the number of shards, under any of its spellings.
 * Immutable.
 *
 * @param fields the spellings that the document has, the configured one before the others; if it
 *     has none, the configured one
 * @param found what is under the first of them
 * @param version the document's, for preconditions
 */
record CounterHead(
    CounterPath counter, List<String> fields, @Nullable Object found, Instant version) {
  /** Ten times what one aggregation read covers; a larger number is a slip or an attack. */
  private static final int MOST_SHARDS = 10_000;

  /** Google's samples write the first on servers and the Web, the second on mobiles. */
  private static final List<String> SPELLINGS = List.of("num_shards", "numShards");

  /**
   * Runs attempts until one has a result, and reads the document for each; fails with {@link
   * CounterException.Busy}.
   */
  static <T> ApiFuture<T> attempt(
      CounterDocuments documents, Function<CounterHead, ApiFuture<Optional<T>>> attempt) {
    return Steps.attempt(
        documents.counter(), () -> Steps.thenCall(read(documents), attempt::apply));
  }

  /** One read; fails with {@link CounterException.NotFound}. */
  static ApiFuture<CounterHead> read(CounterDocuments documents) {
    return Steps.then(
        find(documents),
        head -> head.orElseThrow(() -> new CounterException.NotFound(documents.counter())));
  }

  /** One read; empty if there is no document. */
  static ApiFuture<Optional<CounterHead>> find(CounterDocuments documents) {
    return Steps.then(
        documents.document().get(),
        document -> decode(documents.counter(), documents.options().shardsField(), document));
  }

  private static Optional<CounterHead> decode(
      CounterPath counter, String configured, DocumentSnapshot document) {
    return Optional.ofNullable(document.getData())
        .map(
            fields -> decode(counter, configured, fields, Times.instant(document.getUpdateTime())));
  }

  static CounterHead decode(
      CounterPath counter, String configured, Map<String, Object> fields, Instant version) {
    Set<String> spellings = new LinkedHashSet<>(List.of(configured));
    spellings.addAll(SPELLINGS);
    List<String> present = spellings.stream().filter(fields::containsKey).toList();
    List<String> names = present.isEmpty() ? List.of(configured) : present;
    return new CounterHead(counter, names, fields.get(names.get(0)), version);
  }

  boolean isSound() {
    return found instanceof Long shards && shards >= 1 && shards <= MOST_SHARDS;
  }

  /**
   * @throws CounterException.Damaged if the number is invalid
   */
  int shards() {
    if (isSound() && found instanceof Long shards) {
      return shards.intValue();
    }
    throw new CounterException.Damaged(
        counter,
        "a whole number from 1 to " + MOST_SHARDS + " in " + fields.get(0),
        String.valueOf(found));
  }

  /**
   * Lets the batch fail if the counter's document has changed. The write changes nothing, so the
   * document keeps its version, and batches that only keep it never refuse each other.
   */
  void keep(WriteBatch batch, DocumentReference document) {
    batch.update(document, asRead(), FieldPath.of(fields.get(0)), Objects.requireNonNull(found));
  }

  /** Changes the number, in the configured spelling and in those that are there already. */
  void replace(WriteBatch batch, DocumentReference document, String configured, int shards) {
    Object[] others =
        fields.stream()
            .filter(field -> !field.equals(configured))
            .flatMap(field -> Stream.of(FieldPath.of(field), (long) shards))
            .toArray();
    batch.update(document, asRead(), FieldPath.of(configured), (long) shards, others);
  }

  /**
   * Changes another field; so batches that do this refuse each other, and themselves if sent twice.
   */
  void change(WriteBatch batch, DocumentReference document, String field, String value) {
    batch.update(document, asRead(), FieldPath.of(field), value);
  }

  private Precondition asRead() {
    return Times.version(version);
  }
}
