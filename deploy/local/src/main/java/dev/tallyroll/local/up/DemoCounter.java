package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.ListenerRegistration;
import dev.tallyroll.Counter;
import dev.tallyroll.Counters;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.firestore.CounterOptions;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Entry;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A counter as in an application, and a reader of it. The counter starts at zero; each increment
 * adds one. Measures each lag: the time from an increment's acknowledgement until the reader sees
 * it. Thread-safe.
 *
 * <p>The reader sees the n-th acknowledged increment once the total is at least n. Two concurrent
 * increments may swap their numbers, but the sum of their lags stays the same.
 */
final class DemoCounter implements AutoCloseable {
  final Source source;
  private final ListenerRegistration reader;
  private final List<Long> acknowledged = new ArrayList<>();
  private final List<Long> lags = new ArrayList<>();
  private RolledUpTotal shown = RolledUpTotal.NONE;
  private int backwards;
  private int versions;

  /** The counter, or the field of a document, that the demo increments and reads. */
  interface Source {
    String name();

    /** Adds one to a shard, or changes a document. */
    ApiFuture<Instant> increment();

    /** Whether each increment adds one, so that lags can be told from totals. */
    default boolean onlyRises() {
      return true;
    }

    /** Returns the sum of all increments until now. */
    long exact() throws ExecutionException, InterruptedException;

    ListenerRegistration listen(Consumer<RolledUpTotal> reader);
  }

  /** A counter of the client library. */
  private record Library(String name, Counter counter) implements Source {
    @Override
    public ApiFuture<Instant> increment() {
      return counter.add(1);
    }

    @Override
    public long exact() throws ExecutionException, InterruptedException {
      return counter.exactTotal().get().longValue();
    }

    @Override
    public ListenerRegistration listen(Consumer<RolledUpTotal> reader) {
      return counter.listen(reader, ended -> {});
    }
  }

  DemoCounter(Source source) {
    this.source = source;
    this.reader = source.listen(total -> show(total, System.nanoTime()));
  }

  static DemoCounter create(String name, Counter counter, int shards)
      throws ExecutionException, InterruptedException {
    counter.create(shards).get();
    return new DemoCounter(new Library(name, counter));
  }

  /** The counters of an entry. */
  static Counters counters(Firestore firestore, Entry entry) {
    Layout layout = entry.layout();
    CounterOptions.Builder options =
        CounterOptions.builder()
            .of(layout.of())
            .document(layout.document())
            .rollupsCollection(layout.rollups());
    if (entry.looksLikeShardedCounter()) {
      options.countField(layout.countField()); // those of documents are only read
    }
    return FirestoreCounters.of(firestore, options.build());
  }

  synchronized void acknowledge(long nanoTime) {
    acknowledged.add(nanoTime);
    measure(nanoTime);
  }

  private synchronized void show(RolledUpTotal total, long nanoTime) {
    if (!total.exists() || !total.total().isUsable()) {
      return;
    }
    boolean fell = source.onlyRises() && total.longValue() < shown.longValue();
    if (fell || total.asOf().isBefore(shown.asOf())) {
      backwards++;
    }
    versions += total.asOf().isAfter(shown.asOf()) ? 1 : 0;
    shown = total;
    measure(nanoTime);
  }

  private void measure(long nanoTime) {
    if (!source.onlyRises()) {
      return;
    }
    while (lags.size() < acknowledged.size() && lags.size() < shown.longValue()) {
      lags.add(Math.max(0, nanoTime - acknowledged.get(lags.size())));
    }
  }

  /** The lags in nanoseconds, one for each increment that was acknowledged and has been seen. */
  synchronized List<Long> lags() {
    return List.copyOf(lags);
  }

  /** The lags of the increments that were acknowledged at {@code nanoTime} or later. */
  synchronized List<Long> lagsSince(long nanoTime) {
    return IntStream.range(0, lags.size())
        .filter(i -> acknowledged.get(i) - nanoTime >= 0)
        .mapToObj(lags::get)
        .toList();
  }

  synchronized long acknowledged() {
    return acknowledged.size();
  }

  /** The last roll-up that the reader got. */
  synchronized RolledUpTotal shown() {
    return shown;
  }

  /** How often a total that the reader saw, or its time, went backwards. */
  synchronized int backwards() {
    return backwards;
  }

  /** How many roll-ups the reader saw. */
  synchronized int versions() {
    return versions;
  }

  @Override
  public void close() {
    reader.remove();
  }
}
