import type {Names} from './counters.js';
import {ServerCounters} from './server.js';

export type {Counter, CounterReader, Names, Rollup} from './counters.js';
export type {BufferedCounters, CounterTotal, Increment, ServerCounter} from './server.js';

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

  /**
   * Sets what a reader reads of an app's own documents, and tells its listeners, as the functions do after a write.
   *
   * @param number how many documents were summed: 0 or more, or a RangeError
   * @param asOf default now
   */
  setTotal(id: string, total: number, number: number, asOf?: Date): void;

  /** Later writes are in no roll-up, as for a moment on Firestore, until `release`. */
  hold(): void;

  /** Brings all roll-ups up to date. */
  release(): void;
}
