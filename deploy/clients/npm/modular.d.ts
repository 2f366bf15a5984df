import type {Counter, CounterOptions, CounterReader, Names} from './counters.js';

export type {Counter, CounterOptions, CounterReader, Failed, Names, Rollup} from './counters.js';

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

  /**
   * Reads only: for shards that are an app's own documents, such as the likes of a post, which a counter's calls would
   * change or delete.
   */
  reader(id: string): CounterReader;
}
