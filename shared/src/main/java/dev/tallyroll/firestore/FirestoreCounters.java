package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import dev.tallyroll.BufferOptions;
import dev.tallyroll.BufferedCounters;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterPath;
import dev.tallyroll.CounterReader;
import dev.tallyroll.CounterTotal;
import dev.tallyroll.Counters;
import dev.tallyroll.firestore.Client.Draws;
import dev.tallyroll.internal.Arguments;
import dev.tallyroll.internal.Buffer;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.ids.Names;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Makes {@link Counters} on Cloud Firestore. */
public final class FirestoreCounters implements Counters {
  /** A search gives up after so many pages that hold only foreign documents. */
  private static final int MOST_PAGES = 100;

  /**
   * The last character of Unicode: no id that begins with a prefix sorts after the prefix and this.
   */
  private static final String LAST_CHARACTER = Character.toString(Character.MAX_CODE_POINT);

  private final Client client;
  private final String parent;

  private FirestoreCounters(Client client, String parent) {
    this.client = client;
    this.parent = parent;
  }

  /** Counters with {@link CounterOptions#DEFAULT}; no Firestore operation. */
  public static Counters of(Firestore firestore) {
    return of(firestore, CounterOptions.DEFAULT);
  }

  /** Counters with these options; no Firestore operation. */
  public static Counters of(Firestore firestore, CounterOptions options) {
    return of(
        firestore,
        options,
        InstantSource.system(),
        new Draws(
            shards -> ThreadLocalRandom.current().nextInt(shards),
            () -> UUID.randomUUID().toString()));
  }

  /**
   * Counters of a repeatable test.
   *
   * @param clock tells when names expire, and when a number of shards is forgotten
   */
  static Counters of(
      Firestore firestore, CounterOptions options, InstantSource clock, Draws draws) {
    return new FirestoreCounters(Client.of(firestore, options, clock, draws), "");
  }

  @Override
  public Counters below(String path) {
    return new FirestoreCounters(client, Names.requireParent(path));
  }

  @Override
  public Counter counter(String id) {
    return counter(new CounterPath(parent, id));
  }

  @Override
  public Counter counter(CounterPath path) {
    return new FirestoreCounter(documents(Arguments.present("path", path)));
  }

  @Override
  public CounterReader reader(String id) {
    return reader(new CounterPath(parent, id));
  }

  @Override
  public CounterReader reader(CounterPath path) {
    return new FirestoreReader(documents(Arguments.present("path", path)));
  }

  @Override
  public BufferedCounters buffered(BufferOptions bufferOptions) {
    boolean exactlyOnce = Arguments.present("options", bufferOptions).exactlyOnce();
    return new Buffer(
        bufferOptions,
        client.options().layout(),
        parent,
        (path, sum) -> new FirestoreCounter(documents(path)).addSum(sum, exactlyOnce),
        Buffer.Timer.daemon());
  }

  private CounterDocuments documents(CounterPath path) {
    return new CounterDocuments(client, path);
  }

  @Override
  public ApiFuture<List<CounterTotal>> totals(Collection<String> ids) {
    List<CounterDocuments> asked =
        Arguments.ids(ids).stream().map(id -> documents(new CounterPath(parent, id))).toList();
    return client.call(
        "totals", () -> asked.isEmpty() ? ApiFutures.immediateFuture(List.of()) : read(asked));
  }

  private ApiFuture<List<CounterTotal>> read(List<CounterDocuments> asked) {
    DocumentReference[] rollups =
        asked.stream().map(CounterDocuments::rollup).distinct().toArray(DocumentReference[]::new);
    return Steps.then(
        client.firestore().getAll(rollups),
        found -> {
          Map<CounterPath, CounterTotal> totals =
              decode(found).collect(Collectors.toMap(CounterTotal::path, one -> one));
          return asked.stream().map(documents -> totals.get(documents.counter())).toList();
        });
  }

  @Override
  public ApiFuture<List<CounterTotal>> list(String prefix, String after, int most) {
    Arguments.start("prefix", prefix);
    Arguments.start("after", after);
    Arguments.most(most);
    return client.call("list", () -> find(rest(prefix, after), most, List.of(), MOST_PAGES));
  }

  private Query rest(String prefix, String after) {
    FieldPath id = FieldPath.documentId();
    Query found = rollups().orderBy(id);
    if (!prefix.isEmpty()) {
      found =
          found
              .whereGreaterThanOrEqualTo(id, prefix)
              .whereLessThanOrEqualTo(id, prefix + LAST_CHARACTER);
    }
    return after.isEmpty() ? found : found.startAfter(after);
  }

  @Override
  public ApiFuture<List<CounterTotal>> top(int most) {
    Arguments.most(most);
    return client.call(
        "top",
        () ->
            find(
                rollups().orderBy(RollupFields.COUNT, Query.Direction.DESCENDING),
                most,
                List.of(),
                MOST_PAGES));
  }

  private CollectionReference rollups() {
    String name = client.options().layout().rollups();
    return client.firestore().collection(parent.isEmpty() ? name : parent + "/" + name);
  }

  /** Reads on until it has as many roll-ups, since there may be foreign documents among them. */
  private ApiFuture<List<CounterTotal>> find(
      Query rest, int most, List<CounterTotal> before, int left) {
    if (left == 0) {
      throw new IllegalStateException(
          "roll-ups: expected some on each of " + MOST_PAGES + " pages; found others' documents");
    }
    int wanted = most - before.size();
    return Steps.thenCall(
        rest.limit(wanted).get(),
        page -> {
          List<QueryDocumentSnapshot> documents = page.getDocuments();
          List<CounterTotal> found =
              Stream.concat(before.stream(), decode(documents).filter(one -> one.total().exists()))
                  .toList();
          return documents.size() < wanted || found.size() == most
              ? ApiFutures.immediateFuture(found)
              : find(rest.startAfter(documents.get(wanted - 1)), most, found, left - 1);
        });
  }

  private Stream<CounterTotal> decode(List<? extends DocumentSnapshot> rollups) {
    return rollups.stream()
        .flatMap(
            rollup ->
                client.options().layout().counterOfRollup(rollup.getReference().getPath()).stream()
                    .map(path -> CounterTotal.of(path, documents(path).decode(rollup))));
  }

  @Override
  public String toString() {
    return "counters below '" + parent + "' of " + client.firestore().getOptions().getDatabaseId();
  }
}
