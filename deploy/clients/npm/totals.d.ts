/** An entry of the app's file of totals. Its other keys say what the functions do, and are not read here. */
export interface Entry {
  /** The path of the collection whose documents are summed, such as `posts/{post}/likes`. */
  of: string;
  /** The path of the document that the total is of, such as `profiles/{user}`; default the document above `of`. */
  document?: string | undefined;
  /** The collection of the roll-ups, beside that document; default the entry's name and `_rollups`, of `counters` `rollups`. */
  rollups?: string | undefined;
}

/** The file of totals, by the names of its entries. Only `$schema` is a text. */
export interface Entries {
  [name: string]: Entry | string;
}

/** The entries of functions that have no file of totals. */
export type DefaultEntries = {counters: Entry};

export type EntryName<TotalsFile> = Exclude<keyof TotalsFile, '$schema'> & string;

/** A time of Firestore's, as its SDKs' `Timestamp`. */
export interface Time {
  readonly seconds: number;
  readonly nanoseconds: number;
  toDate(): Date;
}

/** What is in a roll-up. */
export interface Rollup {
  /** The sum, or the number where each document counts one; of a counter, the sum of its shards; 0 if there is none. */
  total: number;
  /** How many documents were summed; 0 if there is none. */
  number: number;
  /** The total by the number; 0 if the number is 0. */
  average: number;
  /** The database's time of the sum; `new Date(0)` if there is none. */
  asOf: Date;
}

/** Gets a failure: the SDK's error, or a RangeError. A function that takes the SDK's type of error is one, too. */
export type Failed = {told(failure: Error): void}['told'];

/** Reads a total, and changes nothing. A failed call rejects with the SDK's error. */
export interface TotalReader {
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

/** The totals of an app, by the entries of its file. */
export abstract class Totals<TotalsFile extends object, Reader = TotalReader> {
  /**
   * The total of a document. It reads nothing yet.
   *
   * @param name of the entry. One that the file does not have is refused with a RangeError, as is an entry without a
   *     sound `of`
   * @param path of the document that the total is of, such as `posts/p1`. One that is not as the entry has it is refused
   *     with a RangeError
   */
  of(name: EntryName<TotalsFile>, path: string): Reader;
}
