import type {Time, TotalReader} from './totals.js';

/** The names of an entry of the file of totals, where they differ from the defaults. Others are refused with a RangeError. */
export interface Names {
  /** The collection of counters in `of`; default `counters`. */
  counters?: string | undefined;
  /** The last part of `of`; default `shards`. */
  shards?: string | undefined;
  /** `rollups` of the entry; default `rollups`. */
  rollups?: string | undefined;
  /** `sum` of the entry, a field of a shard; default `count`. */
  count?: string | undefined;
  /** The counter's field with its number of shards; default `num_shards`. The printed rules know another by --num-shards. */
  numShards?: string | undefined;
  /** Where the names of increments are kept; default `increment_names`. */
  increments?: string | undefined;
}

export interface CounterOptions {
  /**
   * The counter's number of shards, or less. It saves the read of it, and a first `add` that is made offline is queued. Without it,
   * a handle learns the number by a read, and keeps it for a minute.
   */
  shards?: number | undefined;
}

/**
 * A counter, which is read as by a `TotalReader`. A failed call rejects with the SDK's error, a wrong argument with a
 * RangeError. Increments are from -2^40 to 2^40.
 */
export interface Counter extends TotalReader {
  /**
   * Creates it with 1 to 1,000 shards, in one commit; rejects with the SDK's code for "already exists" if its document is
   * there. New shards are at zero; if there are shards without the document, a server rejects, and a client keeps their
   * counts. Costs a write for each shard, and one more; in a client, a read, too.
   *
   * @param fields further fields of the counter's own document. Tallyroll's rules show such a document to no client, so
   *     no client can count on it: keep these fields in another document, or let clients get this one by a rule of yours
   */
  create(shards: number, fields?: object): Promise<void>;

  /**
   * Adds to a random shard. One write; a read before the first, and again after a minute. It may count twice if a reply is
   * lost: the SDKs of servers, pages and phones all send a write again.
   *
   * @param n on a page 1 or -1, as Tallyroll's rules allow
   * @return on a server, when it was committed
   */
  add(n?: number): Promise<Time | void>;

  /**
   * Adds once for a name, for a week; resolves to whether this call counted, or to false also if the reply to it was lost.
   * Two writes; in a client a read, too.
   */
  addOnce(name: string, n?: number): Promise<boolean>;
}
