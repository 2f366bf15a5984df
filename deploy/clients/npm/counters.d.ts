/** The names in the functions' settings, where they differ from the defaults. Others are refused with a RangeError. */
export interface Names {
  /** The last part of COUNTERS; default `counters`. */
  counters?: string;
  /** POLLED; default `polled_counters`, empty for none. */
  polled?: string;
  /** SHARDS_COLLECTION; default `shards`. */
  shards?: string;
  /** ROLLUPS_COLLECTION; default `rollups`. */
  rollups?: string;
  /** COUNT_FIELD; default `count`. */
  count?: string;
  /** The counter's field with its number of shards; default `num_shards`. */
  numShards?: string;
  /** Where the names of increments are kept; default `increment_names`. */
  increments?: string;
}

/** A counter. A failed call rejects with the SDK's error, a wrong argument with a RangeError. Increments are from -2^40 to 2^40. */
export interface Counter {
  /**
   * Creates it with 1 to 400 shards, in one commit; rejects with the SDK's code for "already exists" if its document is
   * there. New shards are at zero; if there are shards without the document, a server rejects, and a client keeps their
   * counts. Costs a write for each shard, and one more; in a client, a read, too.
   *
   * @param fields further fields of the counter's own document. Tallyroll's rules show such a document to no client, so
   *     no client can count on it: keep these fields in another document, or let clients get this one by a rule of yours
   */
  create(shards: number, fields?: Record<string, unknown>): Promise<void>;

  /**
   * Adds to a random shard. One write; a read before the first, and again after a minute. It may count twice if a reply is
   * lost: the SDKs of servers, pages and phones all send a write again.
   */
  add(n?: number): Promise<void>;

  /**
   * Adds once for a name, for a week; resolves to whether this call counted, or to false also if the reply to it was lost.
   * Two writes; in a client a read, too.
   */
  addOnce(name: string, n?: number): Promise<boolean>;

  /** The rolled-up total; 0 if there is none. One read. Rejects with a RangeError if it is 2^53 or larger, or -2^53 or less. */
  total(): Promise<number>;

  /**
   * Shows the total now and after each change, one read each; returns a function that stops. Offline, a client shows the
   * total of its cache, or nothing until the server has answered.
   *
   * @param failed gets the SDK's error, after which the listener has ended; or a RangeError, as of `total`, after which it
   *     goes on. Default `console.error`
   */
  listen(show: (total: number) => void, failed?: (failure: Error) => void): () => void;
}
