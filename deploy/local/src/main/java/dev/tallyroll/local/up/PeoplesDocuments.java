package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.WriteResult;
import com.google.common.collect.Lists;
import com.google.common.util.concurrent.MoreExecutors;
import dev.tallyroll.CounterReader;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.internal.Times;
import dev.tallyroll.local.up.Served.Documents;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * The documents of some hundred people below a post, one each: likes that they create and take
 * back, or ratings, whose number they change. Some only edit a text, which changes no total.
 * Thread-safe.
 */
final class PeoplesDocuments implements DemoCounter.Source {
  private static final int PEOPLE = 300;

  private final String name;
  private final CounterReader reader;
  private final CollectionReference collection;
  private final Optional<FieldName> counted;
  private final Documents values;
  private final Random random = new Random(1);

  /** The number that each person has written; a person without a document has none. */
  private final Map<Integer, Long> written = new HashMap<>();

  private int texts;

  PeoplesDocuments(
      String name,
      CounterReader reader,
      CollectionReference collection,
      Optional<FieldName> counted,
      Documents values) {
    this.name = name;
    this.reader = reader;
    this.collection = collection;
    this.counted = counted;
    this.values = values;
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
    int person = random.nextInt(PEOPLE);
    var document = collection.document("person-" + person);
    Long before = written.get(person);
    int next = random.nextInt(3);
    ApiFuture<WriteResult> done;
    if (before != null && next == 0) {
      written.remove(person);
      done = document.delete();
    } else {
      long value = before != null && next == 1 ? before : values.pick(random);
      written.put(person, value);
      done = document.set(content(value));
    }
    return ApiFutures.transform(
        done, result -> Times.instant(result.getUpdateTime()), MoreExecutors.directExecutor());
  }

  private Map<String, Object> content(long value) {
    Map<String, Object> content = new HashMap<>();
    counted.ifPresent(field -> content.putAll(nested(field.names(), value)));
    content.put("text", "edition " + texts++);
    return content;
  }

  private static Map<String, Object> nested(List<String> names, long value) {
    Object inner = value;
    for (String name : Lists.reverse(names.subList(1, names.size()))) {
      inner = Map.of(name, inner);
    }
    return Map.of(names.get(0), inner);
  }

  @Override
  public long exact() throws ExecutionException, InterruptedException {
    return new ShardSums(SumMode.AGGREGATE, counted)
        .sum(collection)
        .get()
        .total()
        .number()
        .longValue();
  }

  @Override
  public ListenerRegistration listen(Consumer<RolledUpTotal> shown) {
    return reader.listen(shown, ended -> {});
  }
}
