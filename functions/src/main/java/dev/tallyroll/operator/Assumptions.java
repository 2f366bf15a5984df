package dev.tallyroll.operator;

import com.google.api.gax.rpc.StatusCode;
import com.google.cloud.Timestamp;
import com.google.cloud.firestore.AggregateField;
import com.google.cloud.firestore.AggregateQuery;
import com.google.cloud.firestore.AggregateQuerySnapshot;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.TransactionOptions;
import com.google.cloud.firestore.WriteBatch;
import com.google.cloud.firestore.WriteResult;
import dev.tallyroll.internal.Failures;
import dev.tallyroll.operator.Row.Seen;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

/** Asks Firestore for what functions/README.md assumes of it, with some documents of its own. */
final class Assumptions {
  private static final int COMMITS = 20;
  private static final String NUMBER = "n";
  private static final String OTHER = "m";
  private static final AggregateField SUM = AggregateField.sum(NUMBER);

  private final Firestore firestore;
  private final CollectionReference numbers;
  private final DocumentReference a;
  private final DocumentReference b;

  /**
   * @param numbers a collection that nobody else uses
   */
  Assumptions(Firestore firestore, CollectionReference numbers) {
    this.firestore = firestore;
    this.numbers = numbers;
    this.a = numbers.document("a");
    this.b = numbers.document("b");
  }

  /** A row for each; deletes its documents. */
  List<Row> ask() throws ExecutionException, InterruptedException {
    firestore.recursiveDelete(numbers).get();
    try {
      return List.of(
          Row.of("a sum and a read at the time of a commit see it", this::seesCommits),
          Row.of(
              "a write's update time is that of the document read then, also if nothing changes",
              this::keepsVersions),
          Row.of("a refused precondition leaves the whole commit undone", this::leavesUndone),
          Row.of("a sum beside commits is of one moment: " + COMMITS, this::sumsOneMoment),
          Row.of("a range finds numbers, and neither text, null nor NaN", this::findsNumbers),
          Row.of("a count with two equalities needs no composite index", this::merges),
          Row.of("a sum with an equality is refused without one", this::wantsAnIndex));
    } finally {
      firestore.recursiveDelete(numbers).get();
    }
  }

  /** Sets both in one commit; returns the update time of the first. */
  private Timestamp set(long inA, long inB) throws ExecutionException, InterruptedException {
    WriteBatch batch = firestore.batch();
    batch.set(a, Map.of(NUMBER, inA));
    batch.set(b, Map.of(NUMBER, inB));
    return batch.commit().get().get(0).getUpdateTime();
  }

  private static long number(DocumentSnapshot document) {
    return document.get(NUMBER) instanceof Long number ? number : -1;
  }

  private static long sum(AggregateQuerySnapshot answer) {
    return answer.get(SUM) instanceof Long sum ? sum : -1;
  }

  private Seen seesCommits() throws ExecutionException, InterruptedException {
    List<String> seen = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      Timestamp commit = set(i, 0);
      AggregateQuery all = numbers.aggregate(SUM);
      seen.add(
          firestore
              .runTransaction(
                  then -> "" + sum(then.get(all).get()) + number(then.get(a).get()),
                  TransactionOptions.createReadOnlyOptionsBuilder()
                      .setReadTime(commit.toProto())
                      .build())
              .get());
    }
    return Seen.of(String.join(" ", seen), seen.equals(List.of("11", "22", "33", "44", "55")));
  }

  private Seen keepsVersions() throws ExecutionException, InterruptedException {
    Timestamp first = a.set(Map.of(NUMBER, 5)).get().getUpdateTime();
    Timestamp again = a.set(Map.of(NUMBER, 5)).get().getUpdateTime();
    Timestamp read = a.get().get().getUpdateTime();
    a.update(Precondition.updatedAt(again), NUMBER, 6).get();
    return Seen.of(first + ", " + again + ", read " + read, again.equals(read));
  }

  private Seen leavesUndone() throws ExecutionException, InterruptedException {
    Timestamp old = set(5, 0);
    set(6, 0);
    WriteBatch batch = firestore.batch();
    batch.set(b, Map.of(NUMBER, 9));
    batch.update(a, Precondition.updatedAt(old), FieldPath.of(NUMBER), 7);
    String answer = answer(batch);
    long inA = number(a.get().get());
    long inB = number(b.get().get());
    return Seen.of(
        "%s, %d and %d".formatted(answer, inA, inB),
        answer.equals(StatusCode.Code.FAILED_PRECONDITION.name()) && inA == 6 && inB == 0);
  }

  private static String answer(WriteBatch batch) throws InterruptedException {
    try {
      List<WriteResult> done = batch.commit().get();
      return done.size() + " writes are done";
    } catch (ExecutionException refused) {
      return Failures.code(refused.getCause()).name();
    }
  }

  /** One commit after the other moves 1 from a to b. */
  private Seen sumsOneMoment() throws ExecutionException, InterruptedException {
    set(COMMITS, 0);
    CompletableFuture<Void> moves = CompletableFuture.runAsync(this::move);
    Map<Long, Integer> seen = new TreeMap<>();
    do {
      seen.merge(sum(numbers.aggregate(SUM).get().get()), 1, Integer::sum);
    } while (!moves.isDone());
    moves.get();
    return Seen.of(
        seen.entrySet().stream()
            .map(sum -> sum.getKey() + " (" + sum.getValue() + " times)")
            .collect(Collectors.joining("; ")),
        seen.keySet().equals(Set.of((long) COMMITS)));
  }

  private void move() {
    try {
      for (int i = 1; i <= COMMITS; i++) {
        set(COMMITS - i, i);
      }
    } catch (ExecutionException failure) {
      throw new IllegalStateException(failure);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private Seen merges() throws ExecutionException, InterruptedException {
    a.set(Map.of(NUMBER, 1, OTHER, 1)).get();
    b.set(Map.of(NUMBER, 1, OTHER, 2)).get();
    long found =
        numbers.whereEqualTo(NUMBER, 1).whereEqualTo(OTHER, 1).count().get().get().getCount();
    return Seen.of("" + found, found == 1);
  }

  private Seen wantsAnIndex() throws InterruptedException {
    try {
      long found = sum(numbers.whereEqualTo(OTHER, 1).aggregate(SUM).get().get());
      return Seen.of("the sum is " + found, false);
    } catch (ExecutionException refused) {
      StatusCode.Code code = Failures.code(refused.getCause());
      return Seen.of(code.name(), code == StatusCode.Code.FAILED_PRECONDITION);
    }
  }

  private Seen findsNumbers() throws ExecutionException, InterruptedException {
    set(5, 2);
    Map<String, Object> nothing = new HashMap<>();
    nothing.put(NUMBER, null);
    numbers.document("c").set(Map.of(NUMBER, "4")).get();
    numbers.document("d").set(nothing).get();
    numbers.document("e").set(Map.of(NUMBER, Double.NaN)).get();
    AggregateQuerySnapshot found =
        numbers
            .whereGreaterThanOrEqualTo(NUMBER, Double.NEGATIVE_INFINITY)
            .aggregate(SUM, AggregateField.count())
            .get()
            .get();
    return Seen.of(
        sum(found) + " of " + found.getCount(), sum(found) == 7 && found.getCount() == 2);
  }
}
