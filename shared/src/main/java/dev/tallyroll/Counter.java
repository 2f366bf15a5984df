package dev.tallyroll;

import com.google.api.core.ApiFuture;
import java.time.Duration;
import java.time.Instant;

/**
 * A handle of one counter, which also writes it: it holds no state, and costs nothing to make. Safe
 * for use by many threads.
 *
 * <p>Calls refuse arguments and fail as those of a {@link CounterReader} do. A call that is refused
 * writes nothing.
 *
 * <p>Costs are in billed Firestore operations; N is the number of shard documents. They do not
 * include the functions' work after a write.
 *
 * <p>Minor releases add methods: so only fakes for tests should implement it.
 */
public interface Counter extends CounterReader {
  /** More shards than one batch may create, and far more than one counter's writes ever need. */
  int MOST_SHARDS = 1_000;

  /** More shards than {@link #reset} and {@link #compact} can read and write in one batch. */
  int MOST_SHARDS_IN_A_BATCH = 5_000;

  /**
   * 2^40. Firestore's {@code increment} saturates without a word at the ends of the long range; a
   * shard takes eight million increments of this size before it does.
   */
  long MOST_DELTA = 1L << 40;

  /**
   * Creates the counter: its document and the shards 0 to {@code shards - 1}, all or nothing. One
   * shard takes about one write a second, sustained.
   *
   * <p>Cost: {@code shards + 1} writes.
   *
   * @param shards 1 to {@value #MOST_SHARDS}
   * @return fails with {@link CounterException.Exists} if the counter or one of the shards is there
   */
  ApiFuture<Void> create(int shards);

  /**
   * Creates what is missing of the counter, and adds nothing to what is there: its document with
   * this number of shards, if that is missing or its number is invalid; and the shards below its
   * number, where a document without a count gets a 0. It mends a counter whose document or shards
   * were deleted by hand, and can be repeated. Unlike {@link #create}, it takes over the counts of
   * shards that are there.
   *
   * <p>Cost: N + 1 reads; if something is missing, 1 write for each, and 1 more if the document is
   * there.
   *
   * @param shards 1 to {@value #MOST_SHARDS}. If the document is there, its own number stays
   * @return how many documents it has created. Fails with {@link CounterException.Damaged} if there
   *     are more than {@value #MOST_SHARDS_IN_A_BATCH} shards, or with {@link
   *     CounterException.Busy} as {@link #reset}
   */
  ApiFuture<Integer> createMissing(int shards);

  /**
   * Adds to a random shard, <b>at least once</b>: the client repeats a write whose reply was lost,
   * and it may then count twice. If that matters, use {@link #addOnce(String, long)}.
   *
   * <p>It updates the shard and does not set it, so a late increment never brings a deleted counter
   * back. If the shard is missing and the counter's document is there, it creates the shard.
   * (Clients that write by merging {@code set} create shards as they go; {@link #compact} deletes
   * some.)
   *
   * <p>Cost: 1 write; and 1 read for each counter and minute, to know how many shards there are. If
   * the shard is missing: 1 read and 2 writes. To add 0: 1 read more, for the time.
   *
   * @param delta {@link #MOST_DELTA -2^40 to 2^40}
   * @return when it was committed (for 0, which Firestore gives no time, a moment later): a
   *     roll-up's total includes it from this {@code asOf} on, see {@link #awaitTotal}. Fails with
   *     {@link CounterException.NotFound}, or with {@link CounterException.Damaged} if the number
   *     of shards is invalid. After a failure of Firestore's own, it may or may not have counted
   */
  ApiFuture<Instant> add(long delta);

  /**
   * As {@link #add}, with a fraction. The shard is then a double, and so is the total, even if the
   * delta is a whole number, until {@link #reset}. Clients count on such a shard as on others: the
   * printed security rules allow it.
   *
   * @param delta {@link #MOST_DELTA -2^40 to 2^40}, not NaN
   */
  ApiFuture<Instant> addFraction(double delta);

  /**
   * An increment for a commit of the caller's own, such as a batch that creates a like's document.
   * It chooses a random shard, and writes nothing yet.
   *
   * <p>Cost: 1 read for each counter and minute, to know how many shards there are. Call it before
   * a transaction: it locks nothing there, and one increment serves all attempts.
   *
   * @param delta {@link #MOST_DELTA -2^40 to 2^40}
   * @return fails with {@link CounterException.NotFound} or {@link CounterException.Damaged}
   */
  ApiFuture<Increment> prepare(long delta);

  /** As {@link #prepare}, with a fraction, which makes the total a double. */
  ApiFuture<Increment> prepareFraction(double delta);

  /**
   * Adds <b>exactly once</b>, whatever replies are lost: as {@link #addOnce(String, long)} with a
   * new random name. If the client repeats a write whose reply was lost, it counts once. After a
   * failure of Firestore's own it may or may not have counted, and another call, which has another
   * name, may count again. A caller that tries again must choose the name itself.
   *
   * <p>Cost: as {@link #addOnce(String, long)}. If a reply was lost: 1 read more.
   *
   * @param delta {@link #MOST_DELTA -2^40 to 2^40}
   * @return when it was committed, as of {@link #add}; also of a delta of 0
   */
  ApiFuture<Instant> addOnce(long delta);

  /**
   * Adds <b>exactly once</b> for a name, however often it is called and whatever replies are lost,
   * while the name is kept (by default for a week): one batch creates a document of that name and
   * increments the shard that the name hashes to.
   *
   * <p>Choose the name before the first try: a request's id, an order's number. After any failure
   * call again with the same name. Names that rise in order (a time, a serial number) are slow
   * above a few hundred a second, since Firestore stores neighbours together.
   *
   * <p>Cost: 2 writes, and later 1 delete by the TTL policy; and 1 read for each counter and
   * minute. If the shard is missing: 1 read and 3 writes. If it has counted before, it writes
   * nothing.
   *
   * @param name a Firestore document id
   * @param delta {@link #MOST_DELTA -2^40 to 2^40}; only the first call's delta counts
   * @return true if this call has counted it; false if it was counted before, perhaps by this
   *     call's own first attempt, whose reply was lost. Fails as {@link #add}
   */
  ApiFuture<Boolean> addOnce(String name, long delta);

  /** As {@link #addOnce(String, long)}, with a fraction, which makes the total a double. */
  ApiFuture<Boolean> addFractionOnce(String name, double delta);

  /**
   * The exact total now.
   *
   * <p>Cost: 1 read for each 1,000 shards, at least 1; with {@link SumMode#DOCUMENTS} N reads.
   *
   * @return 0 if there is no such counter; not {@linkplain Total#isUsable usable} if a shard holds
   *     NaN or an infinity, or if the total has left the integers' range
   */
  ApiFuture<Total> exactTotal();

  /**
   * Sets the counter to 0 without losing an increment that happens meanwhile: it reads all shards
   * at one moment and subtracts from each what it held, in one batch, exactly once. The counter
   * then holds what was added since that moment. Every value becomes an integer, also NaN and a
   * text. But doubles that are written all the time stay doubles, and may be wrong in their last
   * digits.
   *
   * <p>So this one call mends a shard on which clients cannot count: the security rules refuse them
   * on NaN, an infinity, and from 2^53 on.
   *
   * <p>Cost: N + 1 reads; 1 write for each shard that is not the integer 0, and 2 more if there is
   * such a shard. One of the two is a name, as of {@link #addOnce}, which the TTL policy deletes.
   *
   * @return exactly what was subtracted. Fails with {@link CounterException.NotFound}, with {@link
   *     CounterException.Damaged} if there are more than {@value #MOST_SHARDS_IN_A_BATCH} shards,
   *     or with {@link CounterException.Busy} after repeated concurrent changes
   */
  ApiFuture<Total> reset();

  /**
   * Deletes the counter: its document and its shards (in one batch, up to 500), then the names of
   * its increments; the functions remove the roll-up. That of a busy counter says 0 before, until
   * its last lease has ended, plus {@code SLACK} and a tick: for up to eight seconds by the default
   * settings. A lease lasts for {@code LEASE}, or with a {@code hold} for twice that and four
   * periods, at most ten minutes.
   *
   * <p>What else is below the counter's document stays, and keeps no roll-up: it is the app's. So
   * are the passes of the security rules' variant {@code once}. If a counter is created again with
   * the same id, they refuse the users who have counted before, until the app deletes them, too.
   *
   * <p>No late increment of this library brings the counter back; a merging {@code set} of another
   * client would. Call again after a failure; deleting an absent counter is no error.
   *
   * <p>Cost: N + 1 reads and N + 1 deletes; 1 read and 1 delete for each name that is kept, and 1
   * read more.
   */
  ApiFuture<Void> delete();

  /**
   * Changes the number of shards while clients go on counting; no increment is lost. Growing
   * creates the missing shards and raises the number in one batch. Shrinking lowers the number
   * only: shards beyond it are retired. They are still summed, and clients that remember the old
   * number still increment them; see {@link #compact}. An invalid number of shards is replaced.
   *
   * <p>Cost: 1 read; if the number changes, 1 write, and 1 write for each shard that is added.
   *
   * @param shards 1 to {@value #MOST_SHARDS}
   * @return fails with {@link CounterException.NotFound}, or {@link CounterException.Busy} as
   *     {@link #reset}
   */
  ApiFuture<Void> resize(int shards);

  /**
   * Folds retired shards, those beyond the number of shards, into one that is in use, and deletes
   * them, if nobody has written them for the stated time. One batch does this, with a precondition
   * on each: a shard that is incremented meanwhile stays. Shards with NaN or an infinity stay, too,
   * and documents whose ids are no shard's number. The sum is moved as an integer if it is one, or
   * else as a double, which makes the shard a double.
   *
   * <p>A client that still knows the old number, and updates a shard that is gone, gets NOT_FOUND,
   * and nothing is counted: it should read the number again, as this library does. A merging {@code
   * set} creates the shard again; it is summed, and the next call folds it. So {@code unwritten}
   * must be longer than clients remember the number, such as an hour.
   *
   * <p>Cost: N + 1 reads; if there is something to fold, 1 or 2 writes, and 1 delete for each.
   *
   * @param unwritten zero or more, in Firestore's time
   * @return how many retired shards are left. Fails with {@link CounterException.NotFound}, {@link
   *     CounterException.Damaged}, or {@link CounterException.Busy} as {@link #reset}
   */
  ApiFuture<Integer> compact(Duration unwritten);
}
