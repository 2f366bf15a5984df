// Totals of an app's own documents in memory, for tests without an emulator.
import {Counters, requireInteger} from './counters.js';

/** Documents, and who listens to them. */
class Memory {
  #documents = new Map();
  #listeners = new Set();

  read(path) {
    const fields = this.#documents.get(path);
    return {get: (field) => fields?.[field]};
  }

  write(path, fields) {
    this.#documents.set(path, fields);
    for (const listener of this.#listeners) {
      if (listener.path === path) {
        this.#tell(listener);
      }
    }
  }

  listen(path, show) {
    const listener = {path, show};
    this.#listeners.add(listener);
    this.#tell(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Later, as Firestore does, but not to those who have stopped meanwhile. */
  #tell(listener) {
    const document = this.read(listener.path);
    queueMicrotask(() => {
      if (this.#listeners.has(listener)) {
        listener.show(document);
      }
    });
  }
}

const sdk = {
  doc: (memory, path) => ({memory, path}),
  get: async ({memory, path}) => memory.read(path),
  listen: ({memory, path}, show) => memory.listen(path, show),
};

export class FakeCounters extends Counters {
  constructor(names = {}, parent = '') {
    super(sdk, new Memory(), names, parent);
  }

  setTotal(id, total, number, asOf = new Date()) {
    const {document, rollupDocument} = this.reader(id);
    requireInteger('number', 0, Number.MAX_SAFE_INTEGER, number);
    if (!Number.isFinite(total)) {
      throw new RangeError(`total: expected a finite number, found ${total}`);
    }
    this.db.write(rollupDocument.path, {counter: document.path, count: total, shards: number, as_of: {toDate: () => asOf}});
  }

  counter(id) {
    throw new RangeError(`counter: expected a reader, since this fake has the totals of documents only, found '${id}'`);
  }
}
