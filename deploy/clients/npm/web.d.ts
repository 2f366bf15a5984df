import type {Firestore} from 'firebase/firestore';
import type {Names} from './counters.js';
import {Counters as Modular, type Sdk} from './modular.js';

export type {Counter, CounterReader, Names, Rollup, Sdk} from './modular.js';

/** Counters on a web page. */
export class Counters extends Modular {
  constructor(db: Firestore, options?: Names & {sdk?: Sdk}, parent?: string);

  /** With a database of another SDK, or of another copy of it. */
  constructor(db: object, options: Names & {sdk: Sdk}, parent?: string);
}
