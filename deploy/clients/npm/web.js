// Counters on a web page, with the modular Web SDK. web.d.ts says what each call does.
import {
  Timestamp, doc, getDoc, increment, onSnapshot, runTransaction, serverTimestamp, writeBatch,
} from 'firebase/firestore';
import {Counters as Modular} from './modular.js';

const OWN = {Timestamp, doc, getDoc, increment, onSnapshot, runTransaction, serverTimestamp, writeBatch};

export class Counters extends Modular {
  constructor(db, options, parent) {
    super(db, {...options, sdk: options?.sdk ?? OWN}, parent);
  }
}
