import type {Firestore} from 'firebase/firestore';
import {Counters as Modular, type PageOptions, type Sdk} from './modular.js';

export type {Counter, CounterOptions, CounterReader, Failed, Names, PageOptions, Rollup, Sdk} from './modular.js';

/** Counters on a web page. */
export class Counters extends Modular {
  constructor(db: Firestore, options?: PageOptions & {sdk?: Sdk | undefined}, parent?: string);

  /** With a database of another SDK, or of another copy of it. */
  constructor(db: object, options: PageOptions & {sdk: Sdk}, parent?: string);
}
