package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutureCallback;
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
import dev.tallyroll.CounterTotal;
import dev.tallyroll.Counters;
import dev.tallyroll.internal.Arguments;
import dev.tallyroll.internal.Buffer;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.ids.Names;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes {@link Counters} on Cloud Firestore. */
public final class FirestoreCounters implements Counters {
  /** A search gives up after so many pages that hold only foreign documents. */
  private static final int MOST_PAGES = 100;

  /**
   * The last character of Unicode: no id that begins with a prefix sorts after the prefix and this.
   */
  private static final String LAST_CHARACTER = Character.toString(Character.MAX_CODE_POINT);

  /**
   * What is drawn by lot.
   *
   * @param below gives a number below another, to choose shards by
   * @param name gives a name that nothing else has
   */
  record Draws(IntUnaryOperator below, Supplier<String> name) {}

  final Firestore firestore;
  final CounterOptions options;
  final InstantSource clock;
  final Draws draws;
  final KnownShards known;
  private final String parent;
  private final Optional<FirestoreCounters> polled;

  private FirestoreCounters(
      Firestore firestore,
      CounterOptions options,
      InstantSource clock,
      Draws draws,
      String parent,
      Optional<FirestoreCounters> polled) {
    this.firestore = Arguments.present("firestore", firestore);
    this.options = Arguments.present("options", options);
    this.clock = Arguments.present("clock", clock);
    this.draws = draws;
    this.known =
        new KnownShards(
            clock,
            counter -> Steps.then(CounterHead.read(documents(counter)), CounterHead::shards));
    this.parent = parent;
    this.polled = polled;
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
    CounterOptions ofPolled = Arguments.present("options", options).ofPolled();
    String place = ofPolled.layout().singleParent().orElseThrow();
    FirestoreCounters polled =
        new FirestoreCounters(firestore, ofPolled, clock, draws, place, Optional.empty());
    return new FirestoreCounters(firestore, options, clock, draws, "", Optional.of(polled));
  }

  private FirestoreCounters(FirestoreCounters others, String parent) {
    this.firestore = others.firestore;
    this.options = others.options;
    this.clock = others.clock;
    this.draws = others.draws;
    this.known = others.known;
    this.parent = Names.requireParent(parent);
    this.polled = others.polled;
  }

  @Override
  public Counters below(String path) {
    return new FirestoreCounters(this, path);
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
  public Counters polled() {
    return polled.orElse(this);
  }

  @Override
  public BufferedCounters buffered(BufferOptions bufferOptions) {
    boolean exactlyOnce = Arguments.present("options", bufferOptions).exactlyOnce();
    return new Buffer(
        bufferOptions,
        options.layout(),
        parent,
        (path, sum) -> new FirestoreCounter(documents(path)).addSum(sum, exactlyOnce),
        Buffer.Timer.daemon());
  }

  private CounterDocuments documents(CounterPath path) {
    return new CounterDocuments(this, path);
  }

  @Override
  public ApiFuture<List<CounterTotal>> totals(Collection<String> ids) {
    List<CounterDocuments> asked =
        Arguments.ids(ids).stream().map(id -> documents(new CounterPath(parent, id))).toList();
    return call(
        "totals", () -> asked.isEmpty() ? ApiFutures.immediateFuture(List.of()) : read(asked));
  }

  private ApiFuture<List<CounterTotal>> read(List<CounterDocuments> asked) {
    DocumentReference[] rollups =
        asked.stream().map(CounterDocuments::rollup).distinct().toArray(DocumentReference[]::new);
    return Steps.then(
        firestore.getAll(rollups),
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
    return call("list", () -> find(rest(prefix, after), most, List.of(), MOST_PAGES));
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
    return call(
        "top",
        () ->
            find(
                rollups().orderBy(RollupFields.COUNT, Query.Direction.DESCENDING),
                most,
                List.of(),
                MOST_PAGES));
  }

  private CollectionReference rollups() {
    String name = options.layout().rollups();
    return firestore.collection(parent.isEmpty() ? name : parent + "/" + name);
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
                options.layout().counterOfRollup(rollup.getReference().getPath()).stream()
                    .map(path -> CounterTotal.of(path, documents(path).decode(rollup))));
  }

  /** Makes a call. If it throws, as a closed client does, the future fails. */
  <T> ApiFuture<T> call(String name, Supplier<ApiFuture<T>> work) {
    long start = System.nanoTime();
    ApiFuture<T> call = Steps.start(work);
    observe(name, start, call);
    return call;
  }

  /** Tells the observer of the call's end. */
  <T> void observe(String name, long start, ApiFuture<T> call) {
    ApiFutures.addCallback(
        call,
        new ApiFutureCallback<>() {
          @Override
          public void onSuccess(T answer) {
            end(null);
          }

          @Override
          public void onFailure(Throwable failure) {
            end(failure);
          }

          private void end(@Nullable Throwable failure) {
            Duration took = Duration.ofNanos(System.nanoTime() - start);
            options.observer().ended(name, took, failure);
          }
        },
        Runnable::run);
  }

  @Override
  public String toString() {
    return "counters below '" + parent + "' of " + firestore.getOptions().getDatabaseId();
  }
}
