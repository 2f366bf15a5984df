import type {Counter, CounterOptions, Names} from './counters.js';
import {Totals as Shared, type DefaultEntries, type Entries} from './totals.js';

export type {Counter, CounterOptions, Names} from './counters.js';
export type {DefaultEntries, Entries, Entry, Failed, Rollup, TotalReader} from './totals.js';

/** The functions of an SDK with the Web SDK's modular API, as `import * as sdk from ...` has them. */
export interface Sdk {
  Timestamp: {fromMillis(millis: number): unknown};
  doc: Function;
  getDoc: Function;
  increment: Function;
  /** For `listen` only: `firebase/firestore/lite` has none. */
  onSnapshot?: Function | undefined;
  runTransaction: Function;
  serverTimestamp: Function;
  writeBatch: Function;
}

/** Those that `Totals` needs. */
export type ReadingSdk = Pick<Sdk, 'doc' | 'getDoc' | 'onSnapshot'>;

/** Totals in a client, whose rules must let it read the roll-ups. */
export class Totals<TotalsFile extends Entries = DefaultEntries> extends Shared<TotalsFile> {
  /**
   * @param file the content of the app's `totals.json`, or an object of entries with what is read of them; undefined: the
   *     functions have no file
   * @param options the SDK that `db` comes from
   */
  constructor(db: object, file: TotalsFile | undefined, options: {sdk: ReadingSdk});
}

export interface PageOptions extends Names {
  /** For security rules of your own, which let pages add other numbers than 1 and -1; default false. */
  ownRules?: boolean | undefined;
}

/** Counters in a client. The project's rules allow `add`, `total` and `listen`; the others need rules of your own. */
export class Counters {
  /** @param options the SDK that `db` comes from, and the names that are not the default ones */
  constructor(db: object, options: PageOptions & {sdk: Sdk}, parent?: string);

  /** Those below a document, such as `rooms/r1`. */
  below(parent: string): Counters;

  /**
   * For the strict rules: each `add` also writes the user's pass, which is one more write. It adds 1; the rules
   * refuse it within a second of the user's last.
   *
   * @param uid of the user who is signed in
   * @param options once: for the rules' variant `once`, with which a user adds to a counter only once: `add` resolves if
   *   the user has counted, now or before. Without it, an `add` that rejects with permission-denied may have counted: the
   *   SDK sends a click again whose reply was lost
   */
  withPass(uid: string, options?: {once?: boolean | undefined}): Counters;

  counter(id: string, options?: CounterOptions): Counter;
}
