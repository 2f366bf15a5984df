// What the documents of Firestore say of totals. Nothing here calls Firestore.

const ANYWHERE = '{parent=**}/';

/** The figure that an app shows first, where it shows several. */
const FIRST = ['AVERAGE', 'SUM', 'COUNT'];

/** Whether a path is one of the pattern, such as rooms/{room}/counters/{counter}. */
export function fits(pattern, path) {
  const anywhere = pattern.startsWith(ANYWHERE);
  const wanted = (anywhere ? pattern.slice(ANYWHERE.length) : pattern).split('/');
  const all = path.split('/');
  const parts = anywhere && all.length % 2 === 0 ? all.slice(-wanted.length) : all;
  return parts.length === wanted.length && wanted.every((part, i) => part === parts[i] || /^\{\w+\}$/.test(part));
}

/** The totals of an entry among these documents, which are those of each collection. */
export function totalsIn(collections, names) {
  const found = new Map();
  for (const {path, data} of collections.get(collectionOf(names)) ?? []) {
    if (fits(names.document, path)) found.set(path, withDocument(counter(path, names), data));
  }
  for (const {path, data} of collections.get(names.rollups) ?? []) {
    const mark = String(data.counter);
    if (fits(names.document, mark) && rollupOf(mark, names) === path) {
      found.set(mark, withTotal(found.get(mark) ?? counter(mark, names), data));
    }
  }
  return [...found.values()];
}

/** The counter with the total that this document holds; undefined for a document that is not there. */
export function withTotal(counter, data) {
  if (counter.field) {
    const total = numberAt(counter.field, data);
    // Each fold changes the total, but leaves no time.
    const folded = 'total' in counter && total !== counter.total;
    return {...counter, total, asOf: folded ? Date.now() : counter.asOf};
  }
  // Without its counter's mark, a document is somebody else's.
  if (data?.counter !== counter.document || typeof data.count !== 'number') return {...counter, total: undefined, live: false};
  return {...counter, total: data.count, number: data.shards, live: data.live_until !== undefined, asOf: data.as_of?.toMillis?.() ?? 0};
}

/** The counter with what its own document, the app's, shows of the total. */
export function withDocument(counter, data) {
  return {...counter, isThere: data !== undefined, shown: counter.shows && numberAt(counter.shows.split('.'), data)};
}

/** What the app shows: the field of its own document, or the figure of the roll-up. */
export function valueOf(counter) {
  if (counter.field) return counter.total;
  return counter.shows && counter.isThere ? counter.shown : figures(counter.total, counter.number)[counter.figure];
}

/** The figures of a sum of so many documents; none without a sum. */
export function figures(sum, number) {
  return sum === undefined ? {} : {SUM: sum, COUNT: number, AVERAGE: number ? sum / number : 0};
}

/** The name of the collection of the documents that an entry's totals are of. */
export function collectionOf({document}) {
  return document.split('/').at(-2);
}

/** The last part of a path. */
function last(path) {
  return path.split('/').at(-1);
}

function counter(path, names) {
  const {name, into, countField} = names;
  const figure = FIRST.find((each) => each in into) ?? (countField ? 'SUM' : 'COUNT');
  return {
    // A document may have totals of several entries.
    id: `${name} of ${path}`,
    // Clients know a counter at the root by its id.
    title: names.documents || figure in into || path.split('/').length > 2 ? path : last(path),
    entry: name,
    document: path,
    totalIn: rollupOf(path, names),
    shards: shardsOf(path, names),
    countField,
    figure,
    into,
    shows: into[figure],
    documents: names.documents,
    values: names.values,
    polled: names.polls,
    holdMillis: 1000 * names.holdSeconds,
    asOf: 0,
  };
}

/** The collection that is summed: below the document, or elsewhere with the same variables. */
function shardsOf(path, {document, of}) {
  if (of.startsWith(`${document}/`)) return path + of.slice(document.length);
  const ids = path.split('/');
  const variables = new Map(document.split('/').map((part, i) => [part, ids[i]]));
  return of.split('/').map((part) => (part.startsWith('{') ? variables.get(part) : part)).join('/');
}

function rollupOf(path, {rollups}) {
  const parts = path.split('/');
  return [...parts.slice(0, -2), rollups, parts.at(-1)].join('/');
}

/** With FOLD: the numbers of the documents that are folded, as totals. */
export function fieldsIn(found, names) {
  return [...found.values()].flat()
    .filter(({path}) => names.fold.some((pattern) => fits(pattern, path)))
    .flatMap(({path, data}) => numbers(data).map(([field, total]) => ({
      id: `${path} ${field.join('.')}`,
      title: path,
      entry: names.name,
      totalIn: path,
      shards: `${path}/${names.of}`,
      field,
      stays: names.foldFields.length > 0 && !names.foldFields.includes(field.join('.')),
      total,
      holdMillis: 0,
      asOf: 0,
    })));
}

function numbers(value, way = []) {
  if (typeof value === 'number') return [[way, value]];
  if (value === null || Object.getPrototypeOf(Object(value)) !== Object.prototype) return [];
  return Object.entries(value).flatMap(([name, inner]) => numbers(inner, [...way, name]));
}

function valueAt(way, data) {
  return way.reduce((value, name) => value?.[name], data);
}

function numberAt(way, data) {
  const value = valueAt(way, data);
  return typeof value === 'number' ? value : undefined;
}

/** What each shard holds of a counter, with 2 before 10; NaN for one that holds no number. */
export function counts(shards, {field, countField}) {
  if (!field) {
    return shards
      .toSorted((one, other) => one.id.length - other.id.length || (one.id < other.id ? -1 : 1))
      .map(({id, data}) => ({id, count: typeof data[countField] === 'number' ? data[countField] : NaN}));
  }
  return shards.flatMap(({id, data}) => (Array.isArray(data._updates_) ? data._updates_.map((each) => each?._data_) : [data])
    .map((each) => valueAt(field, each))
    .filter((count) => Number.isFinite(count))
    .map((count) => ({id, count})));
}

/**
 * How a total compares with what it sums: `exact` is the figure that it should show, `behind` how long it has not, in milliseconds.
 *
 * `right` is when it was right before.
 */
export function judge(counter, held, {right}, now) {
  const {total, number, field, figure, documents, asOf} = counter;
  const sum = documents ? held.sum : held.reduce((all, {count}) => all + count, 0);
  const many = documents ? held.number : held.length;
  // A post whose last like has gone has 0 likes; one that never had any has no total.
  const isEmptied = documents && many === 0 && number === 0;
  const all = field ? total + sum : many || isEmptied ? sum : undefined;
  const isRight = isSame(all, total) && (!documents || total === undefined || number === many) && isShown(counter);
  const last = isRight ? now : Math.max(right ?? now, asOf);
  const exact = field ? all : documents && figure === 'COUNT' ? many : figures(all, many)[figure];
  return {exact, waiting: sum, counted: documents && figure !== 'SUM' ? many : all, right: last, behind: Math.max(0, now - last), isRight};
}

/** Whether the app's own document shows the roll-up's figure; a document that is not there shows none. */
function isShown({total, number, figure, shows, isThere, shown}) {
  return !shows || !isThere || total === undefined || isSame(figures(total, number)[figure], shown);
}

/** Which entries a page of so many cards shows, each with its totals there; one without totals is where they would be. */
export function groupsOn(page, cards, entries, totals) {
  const last = Math.max(0, Math.ceil(totals.length / cards) - 1);
  let before = 0;
  return entries.map(({name}) => {
    const all = totals.filter(({entry}) => entry === name);
    const start = Math.max(0, page * cards - before);
    const here = all.slice(start, Math.max(start, (page + 1) * cards - before));
    const isHere = all.length ? here.length > 0 : Math.min(last, Math.floor(before / cards)) === page;
    before += all.length;
    return {name, many: all.length, here, isHere};
  }).filter(({isHere}) => isHere);
}

/** The sum of fractions depends on their order. */
function isSame(one, other) {
  const areWhole = Number.isInteger(one) && Number.isInteger(other);
  return one === other || (!areWhole && Math.abs(one - other) <= 1e-9 * Math.abs(one));
}
