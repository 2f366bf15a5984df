// What pages and servers share: which document has the roll-up of a total, and how it is read. It runs in browsers, Node.js
// and React Native, so it takes nothing that only some of them have. An SDK is an object of functions, as in modular.js.

/** The entries of functions that have no file of totals. */
const DEFAULT = {counters: {of: 'counters/{counter}/shards', rollups: 'rollups'}};

/** How a pattern begins whose documents are anywhere. */
const ANYWHERE = '{parent=**}/';

/** The functions' own collection, at the root. */
export const RUNS = 'rollup_runs';

export function requireInteger(what, least, most, n) {
  check(what, `an integer from ${least} to ${most}`, n, Number.isInteger(n) && n >= least && n <= most);
}

/** In UTF-8; NaN if the text is not valid Unicode. */
export function bytes(text) {
  try {
    return encodeURIComponent(text).replace(/%../g, '.').length;
  } catch {
    return NaN;
  }
}

const ID = 'a Firestore id of 1 to 1,500 bytes, without a slash, not ., .. or __.*__';

/** Datastore's ids that are numbers, in Firestore's form. */
const NUMERIC_ID = /^__id-?\d{1,19}__$/;

/** An id of a document. Databases that were Datastore's have numeric ones. */
export function requireDocumentId(what, id) {
  check(what, ID, id,
    typeof id === 'string' && (NUMERIC_ID.test(id) || /^(?!\.{1,2}$|__[^]*__$)[^/]+$/.test(id)) && bytes(id) <= 1500);
}

/** A name of a collection, or of a field. */
export function requireId(what, id) {
  requireDocumentId(what, id);
  check(what, ID, id, !NUMERIC_ID.test(id));
}

/** Empty for the root of the database. */
export function requireParent(parent) {
  const ids = parent === '' ? [] : String(parent).split('/');
  check('parent', 'the path of a document, such as rooms/r1', parent, typeof parent === 'string' && ids.length % 2 === 0);
  ids.forEach((id, place) => (place % 2 ? requireDocumentId : requireId)('parent', id));
  check('parent', `a place outside of ${RUNS}, and at most 100 nested collections`, parent,
    ids[0] !== RUNS && ids.length / 2 + 2 <= 100);
}

export function requirePath(what, path) {
  check(what, 'a path of at most 6 KiB', path, bytes(path) <= 6 * 1024);
}

export function check(what, expected, found, isRight) {
  if (!isRight) {
    const text = String(found);
    const shown = text.length > 80 ? `${text.slice(0, 80)}...` : text;
    throw new RangeError(`${what}: expected ${expected}, found ${typeof found === 'string' ? `'${shown}'` : shown}`);
  }
}

/** An SDK is an object of functions, or a class that has them. */
export function requireSdk(expected, found, isRight) {
  check('sdk', expected, found && `${found.name ?? ''}{${Object.keys(found).join(', ')}}`, isRight);
}

/**
 * Lets a handle know this. It is behind a function, since an app's framework may put the handle in a Proxy, as Vue's
 * `ref` does: a Proxy has no private fields, and wraps what properties hold, but not what functions return.
 */
export function knows(handle, state) {
  handle.own = () => state;
  return handle;
}

/** What is read where there is no roll-up. */
export const none = () => ({total: 0, number: 0, average: 0, asOf: new Date(0)});

/** A number of JavaScript's, or a RangeError. */
export function requireTotal(path, count) {
  const total = Number(count);
  check(path, 'a total that JavaScript can hold, from -2^53 + 1 to 2^53 - 1', count, Math.abs(total) < 2 ** 53);
  return total;
}

/** Undefined if there is none of the document at that path, or another document in its place. */
export function rollupIn(document, path, totalOf) {
  if (document.get('counter') !== totalOf) {
    return undefined;
  }
  const total = requireTotal(path, document.get('count'));
  // If these are none, somebody else has written them.
  const shards = Number(document.get('shards'));
  const number = Number.isSafeInteger(shards) && shards > 0 ? shards : 0;
  const asOf = document.get('as_of')?.toDate?.() ?? new Date(0);
  return {total, number, average: number && total / number, asOf};
}

/** Reads the total of a document. */
export class TotalReader {
  constructor(sdk, document, rollupDocument) {
    knows(this, {sdk, document, rollupDocument});
  }

  async total() {
    return (await this.rollup()).total;
  }

  async rollup() {
    const {sdk, document, rollupDocument} = this.own();
    return rollupIn(await sdk.get(rollupDocument), rollupDocument, document) ?? none();
  }

  listen(show, failed = console.error) {
    const {sdk, document: totalOf, rollupDocument} = this.own();
    let shown;
    return sdk.listen(rollupDocument, (document) => {
      let rollup;
      try {
        rollup = rollupIn(document, rollupDocument, totalOf);
      } catch (wrong) {
        failed(wrong);
        return;
      }
      // What a page's cache does not have, the server may.
      if (!rollup && document.metadata?.fromCache) {
        return;
      }
      rollup ??= none();
      if (rollup.total !== shown?.total || rollup.number !== shown.number) {
        shown = rollup;
        show(rollup.total, rollup);
      }
    }, failed);
  }
}

/** The parts of a pattern, without `{parent=**}/`; none if it is no text. */
function partsOf(pattern) {
  const isText = typeof pattern === 'string';
  return isText ? (pattern.startsWith(ANYWHERE) ? pattern.slice(ANYWHERE.length) : pattern).split('/') : [];
}

/** The pattern of the documents that totals of an entry are of. */
function documentOf(name, {of, document}) {
  const parts = partsOf(of);
  check(`${name}.of`, 'the path of a collection, such as posts/{post}/likes', of, parts.length % 2 === 1 && parts.every(Boolean));
  if (document === undefined) {
    check(`${name}.document`, `the document that the total is of, as the collection ${of} is below none`, document, parts.length > 1);
    return of.slice(0, of.lastIndexOf('/'));
  }
  const own = partsOf(document);
  check(`${name}.document`, 'the path of a document, such as profiles/{user}', document,
    own.length > 0 && own.length % 2 === 0 && own.every(Boolean));
  return document;
}

/** The path of the roll-up of a document's total: beside the document's collection, with the same id. */
function rollupOf(name, entry, path) {
  const {rollups = name === 'counters' ? 'rollups' : `${name}_rollups`} = entry;
  requireId(`${name}.rollups`, rollups);
  const document = documentOf(name, entry);
  const pattern = partsOf(document);
  const ids = typeof path === 'string' ? path.split('/') : [];
  const above = ids.length - pattern.length;
  const isThere = document.startsWith(ANYWHERE) ? above >= 0 && above % 2 === 0 : above === 0;
  check(`path of ${name}`, document, path,
    isThere && pattern.every((part, place) => part.startsWith('{') || part === ids[above + place]));
  requireParent(ids.slice(0, above).join('/'));
  ids.slice(above).forEach((id) => requireDocumentId(`path of ${name}`, id));
  const rollup = [...ids.slice(0, -2), rollups, ids[ids.length - 1]].join('/');
  requirePath(`roll-up of ${name}`, rollup);
  return rollup;
}

/** Totals of documents, by the entries of the app's file. */
export class Totals {
  /** @param kind the class that reads a total here */
  constructor(sdk, file = DEFAULT, kind = TotalReader) {
    check('file', 'the content of totals.json, an object of entries', file,
      typeof file === 'object' && file !== null && !Array.isArray(file));
    knows(this, {sdk, file, kind});
  }

  of(name, path) {
    const {sdk, file, kind} = this.own();
    const names = Object.keys(file).filter((key) => key !== '$schema');
    check('entry', `one of ${names.join(', ')}`, name, names.includes(name));
    return new kind(sdk, path, rollupOf(name, file[name] ?? {}, path));
  }
}
