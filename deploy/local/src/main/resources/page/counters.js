// What the documents of Firestore say of counters. Nothing here calls Firestore.

const ANYWHERE = '{parent=**}/';

/** Whether a path is one of the pattern, such as rooms/{room}/counters/{counter}. */
export function fits(pattern, path) {
  const anywhere = pattern.startsWith(ANYWHERE);
  const wanted = (anywhere ? pattern.slice(ANYWHERE.length) : pattern).split('/');
  const all = path.split('/');
  const parts = anywhere && all.length % 2 === 0 ? all.slice(-wanted.length) : all;
  return parts.length === wanted.length && wanted.every((part, i) => part === parts[i] || /^\{\w+\}$/.test(part));
}

/** The counters of an entry among these documents, which are those of each collection. */
export function countersIn(collections, names) {
  const found = new Map();
  for (const {path} of collections.get(last(names.counters)) ?? []) {
    if (isCounter(path, names)) found.set(path, counter(path, names));
  }
  for (const {path, data} of collections.get(names.rollups) ?? []) {
    const mark = String(data.counter);
    if (isCounter(mark, names) && rollupOf(mark, names) === path) found.set(mark, withTotal(counter(mark, names), data));
  }
  return [...found.values()];
}

/** The counter with the total that this document holds; undefined for a document that is not there. */
export function withTotal(counter, data) {
  if (counter.field) {
    const value = valueAt(counter.field, data);
    const total = typeof value === 'number' ? value : undefined;
    // Each fold changes the total, but leaves no time.
    const folded = 'total' in counter && total !== counter.total;
    return {...counter, total, asOf: folded ? Date.now() : counter.asOf};
  }
  // Without its counter's mark, a document is somebody else's.
  if (data?.counter !== counter.document || typeof data.count !== 'number') return {...counter, total: undefined, live: false};
  return {...counter, total: data.count, number: data.shards, live: data.live_until !== undefined, asOf: data.as_of?.toMillis?.() ?? 0};
}

/** The last part of a path, or of a pattern. */
export function last(path) {
  return path.split('/').at(-1);
}

function isCounter(path, {counters}) {
  return fits(`${counters}/{id}`, path);
}

function counter(path, names) {
  const atRoot = path.split('/').length === 2;
  const {name} = names;
  return {
    // A document may be a counter of several entries.
    id: name ? `${name} of ${path}` : path,
    title: name ? `${name} of ${path}` : atRoot ? last(path) : path,
    entry: name,
    document: path,
    totalIn: rollupOf(path, names),
    shards: `${path}/${names.shards}`,
    countField: names.countField,
    documents: names.documents,
    values: names.values,
    polled: names.polls,
    holdMillis: 1000 * names.holdSeconds,
    asOf: 0,
  };
}

function rollupOf(path, {rollups}) {
  const parts = path.split('/');
  return [...parts.slice(0, -2), rollups, parts.at(-1)].join('/');
}

/** With FOLD: the numbers of the documents that are folded, as counters. */
export function fieldsIn(found, names) {
  return [...found.values()].flat()
    .filter(({path}) => names.fold.some((pattern) => fits(pattern, path)))
    .flatMap(({path, data}) => numbers(data).map(([field, total]) => ({
      id: `${path} ${field.join('.')}`,
      title: `${path} ${field.join('.')}`,
      totalIn: path,
      shards: `${path}/${names.shards}`,
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
 * How a total compares with its shards: `exact` is what it should be, `behind` how long it has not been that, in milliseconds.
 *
 * `right` is when it was right before.
 */
export function judge({total, number, field, documents, asOf}, held, {right}, now) {
  const sum = documents ? held.sum : held.reduce((all, {count}) => all + count, 0);
  const many = documents ? held.number : held.length;
  // A post whose last like has gone has 0 likes; one that never had any has no total.
  const isEmptied = documents && many === 0 && number === 0;
  const exact = field ? total + sum : many || isEmptied ? sum : undefined;
  const isRight = isSame(exact, total) && (!documents || total === undefined || number === many);
  const last = isRight ? now : Math.max(right ?? now, asOf);
  return {exact, waiting: sum, right: last, behind: Math.max(0, now - last), isRight};
}

/** The sum of fractions depends on their order. */
function isSame(one, other) {
  const areWhole = Number.isInteger(one) && Number.isInteger(other);
  return one === other || (!areWhole && Math.abs(one - other) <= 1e-9 * Math.abs(one));
}
