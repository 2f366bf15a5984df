import type {Names} from './counters.js';
import {ServerCounters} from './server.js';

export type {CounterOptions, CounterReader, Failed, Names, Rollup, Time} from './counters.js';
export type {
  BufferOptions, BufferedCounter, BufferedCounters, CounterTotal, Increment, ServerCounter as Counter, ServerReader,
} from './server.js';

export interface Sdk {
  FieldValue: {increment(n: number): unknown};
  /** For `exactTotal`. */
  AggregateField?: {sum(field: string): unknown} | undefined;
  /** Not needed. */
  Timestamp?: unknown;
}

/** A Firestore of any copy of `@google-cloud/firestore`, such as that of `firebase-admin`. */
export interface Database {
  doc(path: string): unknown;
  runTransaction: Function;
}

/** Counters on a server, which no rule binds. */
export class Counters extends ServerCounters {
  /**
   * @param options the names that are not the default ones; `sdk` where the class of `db` does not have what its
   *     package exports, as `@google-cloud/firestore` has
   */
  constructor(db: Database, options?: Names & {sdk?: Sdk | undefined}, parent?: string);
}
