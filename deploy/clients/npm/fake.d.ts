import type {Names} from './counters.js';
import {ServerCounters, type ServerTotalReader} from './server.js';
import {Totals, type DefaultEntries, type Entries, type EntryName} from './totals.js';

export type {Counter, Names} from './counters.js';
export type {BufferedCounters, CounterTotal, Increment, ServerCounter, ServerTotalReader} from './server.js';
export type {DefaultEntries, Entries, Entry, Rollup, TotalReader} from './totals.js';

/** Totals in memory, for tests without an emulator: those of a server, which has all that a page's have, too. */
export class FakeTotals<TotalsFile extends Entries = DefaultEntries> extends Totals<TotalsFile, ServerTotalReader> {
  /** @param file as of the real ones */
  constructor(file?: TotalsFile);

  /**
   * Sets the total of a document, and tells its listeners, as the functions do after a write.
   *
   * @param rollup total: a finite number. number: how many documents were summed, 0 or more. Others are refused with a
   *     RangeError. asOf: default now
   */
  set(name: EntryName<TotalsFile>, path: string, rollup: {total: number; number: number; asOf?: Date | undefined}): void;
}

/**
 * Counters in memory, for tests without an emulator: those of a server, which has all that a page's have, too. Each write is
 * in its roll-up at once; names do not expire. An increment of `prepare` counts when it is first added to a batch, of
 * whatever kind, since nothing tells of the commit.
 */
export class FakeCounters extends ServerCounters {
  /** @param names as of the real ones */
  constructor(names?: Names, parent?: string);

  /** As of a page: with `once`, a user counts only once. */
  withPass(uid: string, options?: {once?: boolean | undefined}): FakeCounters;

  /** Later writes are in no roll-up, as for a moment on Firestore, until `release`. */
  hold(): void;

  /** Brings all roll-ups up to date. */
  release(): void;
}
