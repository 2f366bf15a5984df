import type {Counter, CounterOptions} from './counters.js';
import type {Failed, Rollup, Time, TotalReader} from './totals.js';

/** Reads a total on a server. */
export interface ServerTotalReader extends TotalReader {
  /**
   * Waits for a total that includes a write. It reads the roll-up at once, then after pauses of 0.1 to 0.5 seconds.
   *
   * Cost: at most 4 reads in the first second, and 2 in each later one.
   *
   * @param committed what `add` has returned, or the write time or update time of an app's own document, as the SDK has it
   * @param options timeout: in milliseconds, 0 to 3600000, default 10000 (70000 is enough where more than
   *     30,000 documents are counted), after which it rejects with code 4; what was
   *     written is safe. signal: ends it early, and it rejects with the signal's reason
   */
  awaitTotal(committed: Time, options?: {timeout?: number | undefined; signal?: AbortSignal | undefined}): Promise<Rollup>;
}

/**
 * A counter on a server. It counts, is changed and deleted beside the Java library and clients: promises, limits and the
 * order of steps are the same. Costs are in reads and writes of Firestore; N is the number of shard documents.
 *
 * A call rejects with a RangeError for a wrong argument, with the SDK's error, or with an error that says what to do, and
 * has one of these codes of gRPC's: 5, there is no such counter; 6, there is one; 9, its document or shards are not those
 * of a counter; 10, others have changed it five times meanwhile, so call again; 4, see `awaitTotal`.
 */
export interface ServerCounter extends Counter, ServerTotalReader {
  /**
   * Adds to a random shard, at least once. It updates the shard and does not set it, so a late increment never brings a
   * deleted counter back. If the shard is missing and the counter's document is there, it creates the shard.
   *
   * Cost: 1 write; and 1 read for each handle and minute. If the shard is missing: 2 reads and 2 writes. To add 0: 1 read more.
   *
   * @return when it was committed, for `awaitTotal`
   */
  add(n?: number): Promise<Time>;

  /**
   * Creates what is missing of the counter, and adds nothing to what is there: its document with this number of shards, if
   * that is missing or its number is invalid; and the shards below its number, where a document without a count gets a 0. It
   * mends a counter whose document or shards were deleted by hand, and can be repeated. Unlike `create`, it takes over the
   * counts of shards that are there.
   *
   * Cost: N + 1 reads; if something is missing, a write for each, and 1 more if the document is there.
   *
   * @param shards 1 to 1,000. If the document is there, its own number stays
   * @return how many documents it has created
   */
  createMissing(shards: number): Promise<number>;

  /**
   * An increment for a commit of the caller's own, such as a batch that creates a like's document. It writes nothing yet.
   * Call it before a transaction: one increment serves all attempts.
   *
   * Cost: 1 read for each handle and minute.
   */
  prepare(n?: number): Promise<Increment>;

  /** The exact total now. Rejects as `total` does. Cost: 1 read for each 1,000 shards, at least 1. */
  exactTotal(): Promise<number>;

  /**
   * Sets the counter to 0 without losing an increment that happens meanwhile: it reads all shards at one moment and
   * subtracts from each what it held, in one commit, exactly once. Every value becomes an integer, also NaN and a text; but
   * doubles that are written all the time stay doubles. So this call mends a shard on which clients cannot count.
   *
   * Cost: N + 1 reads; 1 write for each shard that is not the integer 0, and 2 more if there is such a shard.
   *
   * @return what was subtracted: NaN if that was among it, rounded from 2^53 on
   */
  reset(): Promise<number>;

  /**
   * Changes the number of shards while clients go on counting; no increment is lost. Growing creates the missing shards and
   * raises the number in one commit. Shrinking lowers the number only: shards beyond it are retired, and still summed; see
   * `compact`. An invalid number is replaced.
   *
   * Cost: 1 read; if the number changes, 1 write, and 1 for each shard that is added.
   *
   * @param shards 1 to 1,000
   */
  resize(shards: number): Promise<void>;

  /**
   * Folds retired shards into one that is in use, and deletes them, if nobody has written them for the stated time. One
   * commit does this, with a precondition on each: a shard that is incremented meanwhile stays. Shards with NaN or an
   * infinity stay, too, and all if they add up to 2^53 or more.
   *
   * Cost: N + 1 reads; if there is something to fold, 1 or 2 writes, and 1 delete for each.
   *
   * @param options unwritten: in milliseconds, default an hour; longer than clients remember the number
   * @return how many retired shards are left
   */
  compact(options?: {unwritten?: number | undefined}): Promise<number>;

  /**
   * Deletes the counter: its document and its shards, then the names of its increments; the functions remove the roll-up. What else
   * is below its document stays: it is the app's. No late increment of this library brings the counter back. Call again after
   * a failure; deleting an absent counter is no error.
   *
   * Cost: a read and a delete for each document, and 2 reads.
   */
  delete(): Promise<void>;
}

/** An increment for one batch, or for each attempt of one transaction. */
export interface Increment {
  /**
   * Adds the write to a batch or a transaction, after its reads; returns that. Cost: 1 write. If the shard is missing, the
   * commit fails with code 5: see `again`. A commit that also creates a document counts at most once.
   */
  addTo<Writes extends {update: Function}>(writes: Writes): Writes;

  /** The same for another attempt after code 5. It creates the shard if the counter's document is there. Cost: 1 read, 2 writes. */
  again(): Promise<Increment>;
}

/** A counter's roll-up, one of many that are read at once. */
export interface CounterTotal extends Rollup {
  id: string;
}

/** Counters on a server, which no rule binds. */
export abstract class ServerCounters {
  /** Those below a document, such as `rooms/r1`. */
  below(parent: string): this;

  /** Keep it: it knows the number of shards. */
  counter(id: string, options?: CounterOptions): ServerCounter;

  /** Counters that add up increments and commit each sum. They need CPU outside of requests. */
  buffered(options?: BufferOptions): BufferedCounters;

  /**
   * The totals of at most 1,000 counters, one for each id, in their order; zeros where there is no roll-up. One read for each
   * id that differs. Rejects as `total` does.
   */
  totals(ids: string[]): Promise<CounterTotal[]>;

  /**
   * The counters that have roll-ups, by rising ids. The next page comes after the last id of this one; the last is empty. One
   * read for each, and for each document of others among them; at least 1.
   *
   * @param options prefix: what the ids begin with; after: the id after which to begin; limit: 1 to 1,000, default 100
   */
  list(options?: {prefix?: string | undefined; after?: string | undefined; limit?: number | undefined}): Promise<CounterTotal[]>;

  /** The counters with the highest totals, the highest first; at most `limit`, 1 to 1,000, default 10. Costs as `list` does. */
  top(limit?: number): Promise<CounterTotal[]>;
}

/** Times in milliseconds. */
export interface BufferOptions {
  /** How long the first add of a sum waits at most: 10 to 60000, default 1000. */
  maxDelay?: number | undefined;
  /** How many adds of one counter wait at most: 1 to 1000000, default 10000. */
  maxPending?: number | undefined;
  /** How many sums wait or are under way at most: 1 to 1000000, default 10000. Further adds reject. */
  maxCounters?: number | undefined;
  /** How long `close` waits at most: 0 to 600000, default 8000. */
  closeTimeout?: number | undefined;
  /** Two writes in place of one, which count once if replies are lost; default false. */
  exactlyOnce?: boolean | undefined;
  /** Gets the failure of each sum and of each refused add, whether somebody awaits it or not; default `console.error`. */
  failed?: Failed | undefined;
}

export interface BufferedCounters {
  /** Keep it: adds of one handle are one commit, and it knows the number of shards. */
  counter(id: string): BufferedCounter;

  /** Commits all that waits; resolves when all earlier adds have ended, well or not. */
  flush(): Promise<void>;

  /** Refuses further adds and flushes; rejects if that takes too long. Call it when the process is told to end. */
  close(): Promise<void>;
}

export interface BufferedCounter {
  /**
   * From -2^40 to 2^40, or rejects with a RangeError. Resolves once it has counted, to the commit's time, unless with
   * `exactlyOnce` or a sum of 0; if it rejects otherwise, it may have counted.
   */
  add(n?: number): Promise<Time | void>;
}
