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
import dev.tallyroll.Counter;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.internal.Arguments;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.ids.Names;
import java.time.InstantSource;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntUnaryOperator;

/** Makes {@link Counters} on Cloud Firestore. */
public final class FirestoreCounters implements Counters {
  /** A search gives up after so many pages that hold only documents of others. */
  private static final int MOST_PAGES = 100;

  final Firestore firestore;
  final CounterOptions options;
  final InstantSource clock;
  final IntUnaryOperator random;
  final KnownShards known;
  private final String parent;

  private FirestoreCounters(
      Firestore firestore, CounterOptions options, InstantSource clock, IntUnaryOperator random) {
    this.firestore = Arguments.present("firestore", firestore);
    this.options = Arguments.present("options", options);
    this.clock = Arguments.present("clock", clock);
    this.random = Arguments.present("random", random);
    this.known =
        new KnownShards(
            clock,
            counter -> Steps.then(CounterHead.read(documents(counter)), CounterHead::shards));
    this.parent = "";
  }

  /** Counters with {@link CounterOptions#DEFAULT}; no Firestore operation. */
  public static Counters of(Firestore firestore) {
    return of(firestore, CounterOptions.DEFAULT);
  }

  /** Counters that are laid out in another way; no Firestore operation. */
  public static Counters of(Firestore firestore, CounterOptions options) {
    return of(
        firestore,
        options,
        InstantSource.system(),
        shards -> ThreadLocalRandom.current().nextInt(shards));
  }

  /**
   * For tests that repeat.
   *
   * @param clock says when names expire and for how long a number of shards is remembered
   * @param random gives a number below another, to choose shards by
   */
  static Counters of(
      Firestore firestore, CounterOptions options, InstantSource clock, IntUnaryOperator random) {
    return new FirestoreCounters(firestore, options, clock, random);
  }

  private FirestoreCounters(FirestoreCounters others, String parent) {
    this.firestore = others.firestore;
    this.options = others.options;
    this.clock = others.clock;
    this.random = others.random;
    this.known = others.known;
    this.parent = Names.requireParent(parent);
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

  private CounterDocuments documents(CounterPath path) {
    return new CounterDocuments(this, path);
  }

  @Override
  public ApiFuture<Map<String, RolledUpTotal>> totals(Collection<String> ids) {
    DocumentReference[] rollups =
        Arguments.ids(ids).stream()
            .map(id -> documents(new CounterPath(parent, id)).rollup())
            .toArray(DocumentReference[]::new);
    return rollups.length == 0
        ? ApiFutures.immediateFuture(Map.of())
        : Steps.then(firestore.getAll(rollups), this::decode);
  }

  @Override
  public ApiFuture<Map<String, RolledUpTotal>> list(String after, int most) {
    Query all = rollups().orderBy(FieldPath.documentId());
    Query rest =
        Arguments.present("after", after).isEmpty()
            ? all
            : all.startAfter(Names.requireId("after", after));
    return find(rest, Arguments.most(most), Map.of(), MOST_PAGES);
  }

  @Override
  public ApiFuture<Map<String, RolledUpTotal>> top(int most) {
    Query all = rollups().orderBy(RollupFields.COUNT, Query.Direction.DESCENDING);
    return find(all, Arguments.most(most), Map.of(), MOST_PAGES);
  }

  private CollectionReference rollups() {
    String name = options.layout().rollups();
    return firestore.collection(parent.isEmpty() ? name : parent + "/" + name);
  }

  /** Reads on until it has as many roll-ups, for there may be documents of others among them. */
  private ApiFuture<Map<String, RolledUpTotal>> find(
      Query rest, int most, Map<String, RolledUpTotal> before, int left) {
    if (left == 0) {
      throw new IllegalStateException(
          "roll-ups: expected some on each of " + MOST_PAGES + " pages; found others' documents");
    }
    int wanted = most - before.size();
    return Steps.thenCall(
        rest.limit(wanted).get(),
        page -> {
          List<QueryDocumentSnapshot> documents = page.getDocuments();
          Map<String, RolledUpTotal> found = new LinkedHashMap<>(before);
          found.putAll(decode(documents));
          found.values().removeIf(RolledUpTotal.NONE::equals);
          return documents.size() < wanted || found.size() == most
              ? ApiFutures.immediateFuture(found)
              : find(rest.startAfter(documents.get(wanted - 1)), most, found, left - 1);
        });
  }

  private Map<String, RolledUpTotal> decode(List<? extends DocumentSnapshot> rollups) {
    Map<String, RolledUpTotal> totals = new LinkedHashMap<>();
    for (DocumentSnapshot rollup : rollups) {
      CounterPath path = new CounterPath(parent, rollup.getId());
      totals.put(path.id(), documents(path).decode(rollup));
    }
    return totals;
  }

  @Override
  public String toString() {
    return "counters below '" + parent + "' of " + firestore.getOptions().getDatabaseId();
  }
}
