import type {CounterReader, Names} from './counters.js';

export type {CounterReader, Names, Rollup} from './counters.js';

/** Totals of an app's own documents in memory, for tests without an emulator. Read as those of a server or a page. */
export class FakeCounters {
  /** @param names as of the real ones */
  constructor(names?: Names, parent?: string);

  /** Those below a document, such as `rooms/r1`, with the same memory. */
  below(parent: string): FakeCounters;

  /** Reads 0 until a total is set. */
  reader(id: string): CounterReader;

  /**
   * Sets what a reader reads, and tells its listeners, as the functions do after a write of a document.
   *
   * @param number how many documents were summed: 0 or more, or a RangeError
   * @param asOf default now
   */
  setTotal(id: string, total: number, number: number, asOf?: Date): void;
}
