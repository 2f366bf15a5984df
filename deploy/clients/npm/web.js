// Totals and counters on a web page, with the modular Web SDK. web.d.ts says what each call does.
import {
  Timestamp, doc, getDoc, increment, onSnapshot, runTransaction, serverTimestamp, writeBatch,
} from 'firebase/firestore';
import {Counters as ModularCounters, Totals as ModularTotals} from './modular.js';

/** Apart, so that the bundle of a page that only reads has no other functions of the SDK. */
const READING = {doc, getDoc, onSnapshot};

const OWN = {Timestamp, doc, getDoc, increment, onSnapshot, runTransaction, serverTimestamp, writeBatch};

export class Totals extends ModularTotals {
  constructor(db, file, options) {
    super(db, file, {sdk: options?.sdk ?? READING});
  }
}

export class Counters extends ModularCounters {
  constructor(db, options, parent) {
    super(db, {...options, sdk: options?.sdk ?? OWN}, parent);
  }
}
