import type {Firestore} from 'firebase/firestore';
import {Counters as ModularCounters, Totals as ModularTotals, type PageOptions, type ReadingSdk, type Sdk} from './modular.js';
import type {DefaultEntries, Entries} from './totals.js';

export type {
  Counter, CounterOptions, DefaultEntries, Entries, Entry, Failed, Names, PageOptions, ReadingSdk, Rollup, Sdk, TotalReader,
} from './modular.js';

/** Totals on a web page. */
export class Totals<TotalsFile extends Entries = DefaultEntries> extends ModularTotals<TotalsFile> {
  /**
   * @param file the content of the app's `totals.json`, or an object of entries with what is read of them; default: the
   *     functions have no file
   */
  constructor(db: Firestore, file?: TotalsFile, options?: {sdk?: ReadingSdk | undefined});

  /** With a database of another SDK, or of another copy of it. */
  constructor(db: object, file: TotalsFile | undefined, options: {sdk: ReadingSdk});
}

/** Counters on a web page. */
export class Counters extends ModularCounters {
  constructor(db: Firestore, options?: PageOptions & {sdk?: Sdk | undefined}, parent?: string);

  /** With a database of another SDK, or of another copy of it. */
  constructor(db: object, options: PageOptions & {sdk: Sdk}, parent?: string);
}
