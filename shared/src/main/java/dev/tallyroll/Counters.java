package dev.tallyroll;

import com.google.api.core.ApiFuture;
import java.util.Collection;
import java.util.List;

/**
 * The counters of one Firestore database. Make one and keep it: it remembers each counter's number
 * of shards for a minute, so that an increment needs no read. Safe for use by many threads.
 *
 * <pre>{@code
 * Counters counters = FirestoreCounters.of(firestore);
 * Counter likes = counters.counter("likes");
 * likes.create(10).get();
 * likes.add(1).get();
 * long count = likes.total().get().longValue();
 * }</pre>
 *
 * <p>Close only what {@link #buffered} makes; the Firestore client is the caller's to close. Tests
 * of code that counts can take {@code FakeCounters} of the artifact {@code tallyroll-fake}, which
 * need no Firestore.
 *
 * <p>Costs are in billed Firestore operations; {@link Counter} says how calls refuse arguments and
 * fail. Minor releases add methods: so only fakes for tests should implement it.
 */
public interface Counters {
  /** How many totals one call reads at most. */
  int MOST_TOTALS = 1_000;

  /**
   * The counters that are nested in a document; they share their memory with these. No Firestore
   * operation.
   *
   * @param parent path of the document from the root, such as {@code rooms/r1}; empty for the root
   */
  Counters below(String parent);

  /** A handle of a counter; no Firestore operation. */
  Counter counter(String id);

  /**
   * A handle of a counter anywhere, also outside of the document that these are below; no Firestore
   * operation.
   */
  Counter counter(CounterPath path);

  /**
   * A handle that only reads; no Firestore operation. It is for shards that are an app's own
   * documents: with {@code posts/{post}/likes}, {@code reader("p1")} reads how many likes are below
   * {@code posts/p1}. A {@link #counter} of them would change and delete what users wrote.
   */
  CounterReader reader(String id);

  /** As {@link #reader(String)}, of a counter anywhere. */
  CounterReader reader(CounterPath path);

  /**
   * Counters for servers that count a lot: they add up the increments of one counter, and commit
   * them as one write a second. The first add starts a thread; close it.
   */
  BufferedCounters buffered(BufferOptions options);

  /**
   * The totals of many counters in one call, as {@link Counter#total} gives them, one for each id,
   * in the order of the ids.
   *
   * <p>Cost: 1 read for each; an id that is given twice is read once.
   *
   * @param ids at most {@value #MOST_TOTALS}
   */
  ApiFuture<List<CounterTotal>> totals(Collection<String> ids);

  /**
   * The counters that have shards and whose ids begin alike, with their totals, by rising ids, page
   * by page: the next one comes after the last id of this one, and the last page is empty.
   *
   * <p>Cost: 1 read for each, and for each foreign document among them; at least 1.
   *
   * @param prefix what the ids begin with; empty for all counters
   * @param after the id after which to begin; empty to begin with the first
   * @param most 1 to {@value #MOST_TOTALS}
   */
  ApiFuture<List<CounterTotal>> list(String prefix, String after, int most);

  /**
   * The counters with the highest totals, the highest first. Those with equal totals are in falling
   * order of their ids.
   *
   * <p>Cost: 1 read for each, and for each foreign document among them; at least 1.
   *
   * @param most 1 to {@value #MOST_TOTALS}
   */
  ApiFuture<List<CounterTotal>> top(int most);
}
