package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.FieldValue;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.WriteResult;
import com.google.common.util.concurrent.MoreExecutors;
import dev.tallyroll.CounterReader;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.Conditions;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.internal.Times;
import dev.tallyroll.local.up.Served.Documents;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * The documents of some hundred people below a post, one each: likes that they create and take
 * back, or ratings, whose number they change. Some write the same again at another time, which
 * changes no total. Thread-safe.
 */
final class PeoplesDocuments implements DemoCounter.Source {
  private static final int PEOPLE = 300;

  private final String name;
  private final CounterReader reader;
  private final CollectionReference collection;
  private final Map<FieldName, Documents> fields;
  private final Conditions conditions;
  private final Random random = new Random(1);

  /** The numbers that each person has written; a person without a document has none. */
  private final Map<Integer, Map<FieldName, Long>> written = new HashMap<>();

  /** Who waits for an answer, and so writes nothing now. */
  private final Set<Integer> waiting = new HashSet<>();

  /**
   * @param fields those that are summed, with the range of their numbers
   * @param conditions what a document holds to count: most of them do
   */
  PeoplesDocuments(
      String name,
      CounterReader reader,
      CollectionReference collection,
      Map<FieldName, Documents> fields,
      Conditions conditions) {
    this.name = name;
    this.reader = reader;
    this.collection = collection;
    this.fields = fields;
    this.conditions = conditions;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean onlyRises() {
    return false;
  }

  /** One person creates, changes or deletes a document. */
  @Override
  public synchronized ApiFuture<Instant> increment() {
    if (waiting.size() == PEOPLE) {
      return ApiFutures.immediateFailedFuture(new IllegalStateException("everybody waits"));
    }
    int person = random.nextInt(PEOPLE);
    while (!waiting.add(person)) {
      person = (person + 1) % PEOPLE;
    }
    int writer = person;
    var document = collection.document(prefix() + person);
    Map<FieldName, Long> before = written.get(person);
    int next = random.nextInt(3);
    ApiFuture<WriteResult> done;
    if (before != null && next == 0) {
      written.remove(person);
      done = document.delete();
    } else {
      Map<FieldName, Long> values = before != null && next == 1 ? before : pick();
      written.put(person, values);
      done = document.set(content(values));
    }
    done.addListener(() -> answered(writer), MoreExecutors.directExecutor());
    return ApiFutures.transform(
        done, result -> Times.instant(result.getUpdateTime()), MoreExecutors.directExecutor());
  }

  private synchronized void answered(int person) {
    waiting.remove(person);
  }

  private Map<FieldName, Long> pick() {
    Map<FieldName, Long> values = new HashMap<>();
    fields.forEach((field, range) -> values.put(field, range.pick(random)));
    return values;
  }

  /** In a collection of several totals, each has documents of its own. */
  private String prefix() {
    return conditions.all().isEmpty() ? "person-" : name.replaceAll("[^A-Za-z0-9]+", "-") + "-";
  }

  private Map<String, Object> content(Map<FieldName, Long> values) {
    Map<String, Object> content = new HashMap<>();
    if (random.nextInt(4) > 0) {
      conditions.putInto(content);
    }
    values.forEach((field, value) -> field.put(content, value));
    content.put("at", FieldValue.serverTimestamp());
    return content;
  }

  /** How many documents there are. */
  @Override
  public long exact() throws ExecutionException, InterruptedException {
    return new ShardSums(SumMode.AGGREGATE, Optional.empty())
        .sum(conditions.of(collection))
        .get()
        .shards();
  }

  @Override
  public ListenerRegistration listen(Consumer<RolledUpTotal> shown) {
    return reader.listen(shown, ended -> {});
  }
}
