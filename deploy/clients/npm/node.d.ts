import type {Names} from './counters.js';
import {ServerCounters, type ServerTotalReader} from './server.js';
import {Totals as Shared, type DefaultEntries, type Entries} from './totals.js';

export type {CounterOptions, Names} from './counters.js';
export type {
  BufferOptions, BufferedCounter, BufferedCounters, CounterTotal, Increment, ServerCounter as Counter, ServerTotalReader as TotalReader,
} from './server.js';
export type {DefaultEntries, Entries, Entry, Failed, Rollup, Time} from './totals.js';

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

/** Totals on a server, which no rule binds. */
export class Totals<TotalsFile extends Entries = DefaultEntries> extends Shared<TotalsFile, ServerTotalReader> {
  /**
   * @param file the content of the app's `totals.json`, or an object of entries with what is read of them; default: the
   *     functions have no file
   */
  constructor(db: Database, file?: TotalsFile);
}

/** Counters on a server, which no rule binds. */
export class Counters extends ServerCounters {
  /**
   * @param options the names that are not the default ones; `sdk` where the class of `db` does not have what its
   *     package exports, as `@google-cloud/firestore` has
   */
  constructor(db: Database, options?: Names & {sdk?: Sdk | undefined}, parent?: string);
}
