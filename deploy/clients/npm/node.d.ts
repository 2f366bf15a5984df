import type {Counter, CounterReader, Names} from './counters.js';

export type {Counter, CounterReader, Names, Rollup} from './counters.js';

export interface Sdk {
  FieldValue: {increment(n: number): unknown};
  Timestamp: {fromMillis(millis: number): unknown};
}

/** A Firestore of any copy of `@google-cloud/firestore`, such as that of `firebase-admin`. */
export interface Database {
  doc(path: string): unknown;
  runTransaction: Function;
}

/** Counters on a server, which no rule binds. */
export class Counters {
  /**
   * @param options the names that are not the default ones; `sdk` where the class of `db` does not have what its
   *     package exports, as `@google-cloud/firestore` has
   */
  constructor(db: Database, options?: Names & {sdk?: Sdk}, parent?: string);

  /** Those below a document, such as `rooms/r1`. */
  below(parent: string): Counters;

  /** Those in the collection of POLLED: a total is a tick behind, or up to a minute after a pause. */
  polled(): Counters;

  counter(id: string): Counter;

  /**
   * Reads only: for shards that are an app's own documents, such as the likes of a post, which a counter's calls would
   * change or delete.
   */
  reader(id: string): CounterReader;

  /** Counters that add up increments and commit each sum. They need CPU outside of requests. */
  buffered(options?: BufferOptions): BufferedCounters;
}

/** Times in milliseconds. */
export interface BufferOptions {
  /** How long the first add of a sum waits at most: 10 to 60000, default 1000. */
  maxDelay?: number;
  /** How many adds of one counter wait at most: 1 to 1000000, default 10000. */
  maxPending?: number;
  /** How many sums wait or are under way at most: 1 to 1000000, default 10000. Further adds reject. */
  maxCounters?: number;
  /** How long `close` waits at most: 0 to 600000, default 8000. */
  closeTimeout?: number;
  /** Two writes in place of one, which count once if replies are lost; default false. */
  exactlyOnce?: boolean;
  /** Gets the failure of each sum and of each refused add, whether somebody awaits it or not; default `console.error`. */
  failed?: (failure: Error) => void;
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
  /** From -2^40 to 2^40, or rejects with a RangeError. Resolves once it has counted; if it rejects otherwise, it may have. */
  add(n?: number): Promise<void>;
}
