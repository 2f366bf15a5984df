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
 * <p>Nothing here is closed but what {@link #buffered} makes: the Firestore client stays the
 * caller's. Tests of code that counts can take {@code FakeCounters} of the artifact {@code
 * tallyroll-fake}, which need no Firestore.
 *
 * <p>Costs are in billed Firestore operations; bad arguments and failures are told as {@link
 * Counter} says. Minor releases add methods: so only fakes for tests should implement it.
 */
public interface Counters {
  /** As many totals as one call reads. */
  int MOST_TOTALS = 1_000;

  /**
   * The counters that are nested in a document, and share what is remembered with these; no
   * Firestore operation.
   *
   * @param parent path of the document from the root, such as {@code rooms/r1}; empty for the root
   */
  Counters below(String parent);

  /** A handle of a counter; no Firestore operation. */
  Counter counter(String id);

  /** A handle of a counter anywhere, whatever these are below; no Firestore operation. */
  Counter counter(CounterPath path);

  /**
   * The polled counters, which cost the functions nothing for each increment, whatever these are
   * below; no Firestore operation. A total of theirs is a tick behind while it changes, and up to a
   * minute and a tick for the first change after a pause. One of them is no relation of the counter
   * of the same id that {@link #counter(String)} gives, but both want the same roll-up: choose ids
   * apart. Nothing is nested below them.
   */
  Counters polled();

  /** A handle of a polled counter; no Firestore operation. */
  default Counter polled(String id) {
    return polled().counter(id);
  }

  /**
   * Counters for servers that count a lot: increments of one counter are added up, and committed as
   * one write a second. It starts a thread with the first add; close it.
   */
  BufferedCounters buffered(BufferOptions options);

  /**
   * The totals of many counters in one call, as {@link Counter#total} gives them, one for each id,
   * in the order of the ids.
   *
   * <p>Cost: 1 read for each; an id that is there twice is read once.
   *
   * @param ids at most {@value #MOST_TOTALS}
   */
  ApiFuture<List<CounterTotal>> totals(Collection<String> ids);

  /**
   * The counters that have shards and whose ids begin alike, with their totals, by rising ids, page
   * by page: the next one comes after the last id of this one, and the last page is empty.
   *
   * <p>Cost: 1 read for each, and for each document of somebody else that is passed over, at least
   * 1.
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
   * <p>Cost: 1 read for each, and for each document of somebody else that is passed over, at least
   * 1.
   *
   * @param most 1 to {@value #MOST_TOTALS}
   */
  ApiFuture<List<CounterTotal>> top(int most);
}
