/** The names of an entry of the file of totals, where they differ from the defaults. Others are refused with a RangeError. */
export interface Names {
  /** The collection of counters in `of`; default `counters`. */
  counters?: string | undefined;
  /** The last part of `of`; default `shards`. */
  shards?: string | undefined;
  /** `rollups` of the entry; default `rollups`. */
  rollups?: string | undefined;
  /** `sum` of the entry; default `count`. Empty or a path such as `review.stars` are for a `reader` only, which does not need it. */
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

/** A time of Firestore's, as its SDKs' `Timestamp`. */
export interface Time {
  readonly seconds: number;
  readonly nanoseconds: number;
  toDate(): Date;
}

/** What is in a counter's roll-up. */
export interface Rollup {
  /** The sum of all shards; 0 if there is none. */
  total: number;
  /** How many shards were summed, such as users' own documents; 0 if there is none. */
  number: number;
  /** The total by the number; 0 if the number is 0. */
  average: number;
  /** The database's time of the sum; `new Date(0)` if there is none. */
  asOf: Date;
}

/** Gets a failure: the SDK's error, or a RangeError. A function that takes the SDK's type of error is one, too. */
export type Failed = {told(failure: Error): void}['told'];

/** Reads a counter, and changes nothing. A failed call rejects with the SDK's error. */
export interface CounterReader {
  /** The rolled-up total; 0 if there is none. One read. Rejects with a RangeError if it is 2^53 or larger, or -2^53 or less. */
  total(): Promise<number>;

  /** The total, with the number and the average of what was summed. One read. Rejects as `total` does. */
  rollup(): Promise<Rollup>;

  /**
   * Shows the total now and after each change of it, or of the number, one read each; returns a function that stops.
   * Offline, a client shows the total of its cache, or nothing until the server has answered.
   *
   * @param failed gets the SDK's error, after which the listener has ended; or a RangeError, as of `total`, after which it
   *     goes on. Default `console.error`
   */
  listen(show: (total: number, rollup: Rollup) => void, failed?: Failed): () => void;
}

/**
 * A counter, which is read as by a `CounterReader`. A failed call rejects with the SDK's error, a wrong argument with a
 * RangeError. Increments are from -2^40 to 2^40.
 */
export interface Counter extends CounterReader {
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
