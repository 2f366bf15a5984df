package dev.tallyroll.simulation;

import com.google.api.gax.grpc.GrpcStatusCode;
import com.google.api.gax.rpc.ApiException;
import com.google.api.gax.rpc.ApiExceptionFactory;
import com.google.firestore.v1.AggregationResult;
import com.google.firestore.v1.BatchGetDocumentsRequest;
import com.google.firestore.v1.BatchGetDocumentsResponse;
import com.google.firestore.v1.CommitRequest;
import com.google.firestore.v1.CommitResponse;
import com.google.firestore.v1.Cursor;
import com.google.firestore.v1.Document;
import com.google.firestore.v1.DocumentTransform.FieldTransform;
import com.google.firestore.v1.Precondition;
import com.google.firestore.v1.RunAggregationQueryRequest;
import com.google.firestore.v1.RunAggregationQueryResponse;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.RunQueryResponse;
import com.google.firestore.v1.StructuredAggregationQuery.Aggregation;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.StructuredQuery.FieldFilter;
import com.google.firestore.v1.StructuredQuery.Filter;
import com.google.firestore.v1.StructuredQuery.UnaryFilter;
import com.google.firestore.v1.Value;
import com.google.firestore.v1.Write;
import com.google.firestore.v1.WriteResult;
import com.google.protobuf.Timestamp;
import io.grpc.Status;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Firestore's side of its own protocol, as far as this project uses it; it refuses all else. {@link
 * ServerContract} compares it with the official emulator.
 *
 * <p>Each request takes effect at one moment. Commit times rise strictly, and so do a document's
 * update times, as Firestore documents. A commit may become visible later than that, and is
 * answered then. Until then, the server is one of two kinds:
 *
 * <ul>
 *   <li>As Firestore, it reads everything at a time before the commit. Firestore may do so as long
 *       as nobody has the commit's answer.
 *   <li>As the emulator, its reads leave the commit out although their read time is later. The
 *       commits of one counter become visible in their order.
 * </ul>
 */
final class SimulatedServer {
  static final String ROOT = "projects/simulated/databases/(default)/documents";

  /** The largest document. https://firebase.google.com/docs/firestore/quotas#limits */
  private static final int MOST_BYTES = 1 << 20;

  /** This project makes no larger commit. */
  private static final int MOST_WRITES = 500;

  /** In a key: a whole part of a path. */
  private static final Pattern NUMERIC_ID = Pattern.compile("(?<![^\0])__id(-?\\d+)__(?![^\0])");

  /**
   * A commit.
   *
   * @param by the functions that made it; empty for all others
   * @param from the time from which reads show it
   * @param written the paths of all its writes
   * @param changes those that changed a document
   */
  record Commit(
      Optional<Functions> by,
      Instant time,
      Instant from,
      Set<String> written,
      List<Changed> changes,
      CommitResponse response) {}

  /** A document before and after a commit. */
  record Changed(String path, Optional<Document> before, Optional<Document> after) {}

  private static final BigInteger LEAST_ID = BigInteger.valueOf(Long.MIN_VALUE);

  private final VirtualTime time;

  /** All documents by their paths in Firestore's order, as preconditions see them. */
  private final NavigableMap<String, Document> documents = new TreeMap<>();

  /** The documents, as queries see them. */
  private final NavigableMap<String, Document> visible = new TreeMap<>();

  /** All visible commits. */
  private final List<Commit> commits = new ArrayList<>();

  /** The times of the commits that are not visible yet. */
  private final NavigableSet<Instant> unseen = new TreeSet<>();

  /** When the last commit becomes visible, by what must become visible in order. */
  private final Map<String, Instant> lastFrom = new HashMap<>();

  private final List<Consumer<Commit>> observers = new ArrayList<>();
  private final Map<String, List<String>> full = new HashMap<>();

  /** Whether the server reads at old times, as Firestore does, and not past its own commits. */
  boolean readsAtOldTimes;

  private Instant last = Instant.EPOCH;
  private Instant lastCommit = Instant.EPOCH;

  SimulatedServer(VirtualTime time) {
    this.time = time;
  }

  /** All visible commits, in their order. */
  List<Commit> commits() {
    return List.copyOf(commits);
  }

  /** Adds an observer of all commits; each commit comes when it becomes visible. */
  void observe(Consumer<Commit> observer) {
    observers.add(observer);
  }

  /** The time of a request, different from all others. */
  Instant tick() {
    Instant now = time.now();
    last = now.isAfter(last) ? now : last.plusNanos(1_000);
    return last;
  }

  /** The time of the last commit. */
  Instant lastCommit() {
    return lastCommit;
  }

  private Instant readTime() {
    return readsAtOldTimes && !unseen.isEmpty() ? unseen.first().minusNanos(1_000) : tick();
  }

  /** The newest version of a document, by its path from the root of the database. */
  Optional<Document> document(String path) {
    return Optional.ofNullable(documents.get(key(path)));
  }

  /** The documents of a collection, as queries see them. */
  List<Document> list(String collection) {
    return list(visible, collection);
  }

  /** The newest documents of a collection. */
  List<Document> newest(String collection) {
    return list(documents, collection);
  }

  private static List<Document> list(NavigableMap<String, Document> all, String collection) {
    return Range.below(collection)
        .of(all)
        .filter(each -> parent(path(each)).equals(collection))
        .toList();
  }

  /** All documents in collections of a name, as queries see them. */
  List<Document> group(String collection) {
    return visible.values().stream()
        .filter(document -> collectionId(path(document)).equals(collection))
        .toList();
  }

  /** From now on, a document has no room for a field. */
  void fill(String path, List<String> names) {
    full.put(path, names);
  }

  /** A document's path from the root of the database. */
  static String path(Document document) {
    return document.getName().substring(ROOT.length() + 1);
  }

  /** The id of a document, or of a collection. */
  static String id(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  static String parent(String path) {
    return path.substring(0, Math.max(0, path.lastIndexOf('/')));
  }

  private static String collectionId(String path) {
    return id(parent(path));
  }

  /**
   * Orders paths as Firestore does: by their parts, and numeric ids before others. A part may hold
   * the character NUL, as the end of a range does.
   */
  private static String key(String path) {
    String key = byCodePoints(path.replace('\0', '\1').replace('/', '\0'));
    return key.contains("__id") ? numeric(key) : key;
  }

  /** In UTF-16, the characters beyond the first plane sort before the last ones of that. */
  private static String byCodePoints(String text) {
    return text.chars().allMatch(unit -> unit < Character.MIN_SURROGATE)
        ? text
        : text.chars()
            .mapToObj(unit -> Character.toString((char) behindOthers(unit)))
            .collect(Collectors.joining());
  }

  private static int behindOthers(int unit) {
    int surrogates = Character.MAX_SURROGATE + 1 - Character.MIN_SURROGATE;
    int others = Character.MAX_VALUE - Character.MAX_SURROGATE;
    return unit < Character.MIN_SURROGATE
        ? unit
        : unit <= Character.MAX_SURROGATE ? unit + others : unit - surrogates;
  }

  private static String numeric(String key) {
    return NUMERIC_ID
        .matcher(key)
        .replaceAll(
            id -> {
              BigInteger number = new BigInteger(id.group(1)).subtract(LEAST_ID);
              String digits = number.toString();
              return "\1" + "0".repeat(20 - digits.length()) + digits;
            });
  }

  /** A path from the root of the database; fails for other databases. */
  static String relative(String name) {
    if (!name.startsWith(ROOT)
        || (name.length() > ROOT.length() && name.charAt(ROOT.length()) != '/')) {
      throw failure(Status.Code.PERMISSION_DENIED, "no such database: " + name);
    }
    return name.substring(Math.min(name.length(), ROOT.length() + 1));
  }

  List<BatchGetDocumentsResponse> get(BatchGetDocumentsRequest request) {
    Timestamp now = Protos.timestamp(readTime());
    return request.getDocumentsList().stream()
        .map(
            name -> {
              Document found = visible.get(key(relative(name)));
              var answer = BatchGetDocumentsResponse.newBuilder().setReadTime(now);
              return found == null
                  ? answer.setMissing(name).build()
                  : answer
                      .setFound(
                          request.hasMask()
                              ? masked(found, request.getMask().getFieldPathsList())
                              : found)
                      .build();
            })
        .toList();
  }

  private static Document masked(Document document, List<String> paths) {
    Map<String, Value> fields = new TreeMap<>();
    for (String path : paths) {
      List<String> names = Protos.names(path);
      Value value = Protos.get(document.getFieldsMap(), names);
      if (value != null) {
        Protos.put(fields, names, value);
      }
    }
    return document.toBuilder().clearFields().putAllFields(fields).build();
  }

  List<RunQueryResponse> query(RunQueryRequest request) {
    Instant asked = Protos.instant(request.getReadTime());
    Timestamp now = Protos.timestamp(request.hasReadTime() ? asked : readTime());
    StructuredQuery query = request.getStructuredQuery();
    List<String> wanted =
        query.getSelect().getFieldsList().stream()
            .map(field -> field.getFieldPath())
            .filter(path -> !path.equals("__name__"))
            .toList();
    List<RunQueryResponse> answer =
        found(request.hasReadTime() ? visibleAt(asked) : visible, request.getParent(), query)
            .map(document -> query.hasSelect() ? masked(document, wanted) : document)
            .map(
                document ->
                    RunQueryResponse.newBuilder().setDocument(document).setReadTime(now).build())
            .toList();
    return answer.isEmpty()
        ? List.of(RunQueryResponse.newBuilder().setReadTime(now).build())
        : answer;
  }

  /**
   * The documents of a past moment: the client asks for the rest of a query as of its beginning.
   */
  private NavigableMap<String, Document> visibleAt(Instant past) {
    NavigableMap<String, Document> then = new TreeMap<>(visible);
    for (int i = commits.size() - 1; i >= 0 && commits.get(i).time.isAfter(past); i--) {
      commits.get(i).changes.forEach(each -> put(then, each.path, each.before));
    }
    return then;
  }

  private static Stream<Document> found(
      NavigableMap<String, Document> all, String parent, StructuredQuery query) {
    var from = query.getFrom(0);
    boolean isKnown =
        query.getFromCount() == 1
            && query.getOffset() == 0
            && (isBesideNumbers(query)
                || query.getOrderByList().stream()
                    .allMatch(order -> order.getField().getFieldPath().equals("__name__")));
    if (!isKnown) {
      throw failure(Status.Code.UNIMPLEMENTED, query.toString());
    }
    String name = from.getCollectionId();
    String above = relative(parent);
    String collection = above.isEmpty() ? name : above + "/" + name;
    Range range = Range.below(from.getAllDescendants() ? above : collection);
    Range part = isBesideNumbers(query) ? range : range.between(query);
    Stream<Document> inside = part.of(all).filter(each -> collectionId(path(each)).equals(name));
    Stream<Document> direct =
        from.getAllDescendants()
            ? inside
            : inside.filter(each -> parent(parent(path(each))).equals(above));
    List<Filter> filters = filters(query);
    Stream<Document> equal =
        direct.filter(
            document ->
                filters.stream().allMatch(each -> !isEquality(each) || holds(document, each)));
    List<Filter> others = filters.stream().filter(each -> !isEquality(each)).toList();
    Stream<Document> filtered =
        isBesideNumbers(query)
            ? besideNumbers(equal, query)
            : others.isEmpty() ? equal : filter(equal, others, query);
    return query.hasLimit() ? filtered.limit(query.getLimit().getValue()) : filtered;
  }

  /**
   * Whether the query asks for what is before all numbers, or behind them, in the order of values.
   */
  private static boolean isBesideNumbers(StructuredQuery query) {
    Cursor cursor = query.hasEndAt() ? query.getEndAt() : query.getStartAt();
    return query.getOrderByCount() == 1
        && cursor.getValuesCount() == 1
        && Double.isInfinite(cursor.getValues(0).getDoubleValue());
  }

  /** Null, truth values and NaN come before all numbers. */
  private static Stream<Document> besideNumbers(Stream<Document> all, StructuredQuery query) {
    List<String> names = Protos.names(query.getOrderBy(0).getField().getFieldPath());
    return all.filter(
        document -> {
          Value value = Protos.get(document.getFieldsMap(), names);
          return value != null
              && !isNumber(value)
              && query.hasEndAt()
                  == (value.hasNullValue() || value.hasBooleanValue() || value.hasDoubleValue());
        });
  }

  /** Documents between two places in the order of their keys. */
  private record Range(String from, boolean withFrom, String to, boolean withTo) {
    /** Everything below a path; below the empty one is the whole database. */
    static Range below(String path) {
      return path.isEmpty()
          ? new Range("", true, "\uffff", false)
          : new Range(key(path) + "\0", true, key(path) + "\1", false);
    }

    /** The part that is between a query's cursors, too. */
    Range between(StructuredQuery query) {
      Range part = this;
      if (query.hasStartAt() && place(query.getStartAt()).compareTo(from) >= 0) {
        part = new Range(place(query.getStartAt()), query.getStartAt().getBefore(), to, withTo);
      }
      if (query.hasEndAt() && place(query.getEndAt()).compareTo(to) < 0) {
        String end = place(query.getEndAt());
        part = new Range(part.from, part.withFrom, end, !query.getEndAt().getBefore());
      }
      return part;
    }

    Stream<Document> of(NavigableMap<String, Document> all) {
      return from.compareTo(to) < 0
          ? all.subMap(from, withFrom, to, withTo).values().stream()
          : Stream.empty();
    }
  }

  private static String place(Cursor cursor) {
    if (cursor.getValuesCount() != 1 || !cursor.getValues(0).hasReferenceValue()) {
      throw failure(Status.Code.UNIMPLEMENTED, cursor.toString());
    }
    return key(relative(cursor.getValues(0).getReferenceValue()));
  }

  private static List<Filter> filters(StructuredQuery query) {
    if (!query.hasWhere()) {
      return List.of();
    }
    return query.getWhere().hasCompositeFilter()
        ? query.getWhere().getCompositeFilter().getFiltersList()
        : List.of(query.getWhere());
  }

  private static boolean isEquality(Filter filter) {
    return filter.hasUnaryFilter()
        ? filter.getUnaryFilter().getOp() == UnaryFilter.Operator.IS_NULL
        : filter.getFieldFilter().getOp() == FieldFilter.Operator.EQUAL;
  }

  private static boolean holds(Document document, Filter filter) {
    String path =
        filter.hasUnaryFilter()
            ? filter.getUnaryFilter().getField().getFieldPath()
            : filter.getFieldFilter().getField().getFieldPath();
    Value found = Protos.get(document.getFieldsMap(), Protos.names(path));
    if (found == null || filter.hasUnaryFilter()) {
      return found != null && found.hasNullValue();
    }
    Value expected = filter.getFieldFilter().getValue();
    return (isNumber(expected) && isNumber(found))
        ? exact(expected).equals(exact(found))
        : expected.equals(found);
  }

  /** A number in one form; an infinite one by its name. */
  private static Object exact(Value number) {
    if (number.hasIntegerValue()) {
      return BigInteger.valueOf(number.getIntegerValue());
    }
    double value = number.getDoubleValue();
    boolean isWhole = Double.isFinite(value) && value == Math.rint(value);
    return isWhole ? new BigDecimal(value).toBigInteger() : (Object) value;
  }

  /**
   * The only other filters in use: numbers, and a time later than another. The answer to that is in
   * the order of the times.
   */
  private static Stream<Document> filter(
      Stream<Document> all, List<Filter> filters, StructuredQuery query) {
    FieldFilter filter = filters.get(0).getFieldFilter();
    if (filters.size() > 1) {
      throw failure(Status.Code.UNIMPLEMENTED, query.toString());
    }
    List<String> names = Protos.names(filter.getField().getFieldPath());
    boolean isOfNumbers =
        filter.getOp() == FieldFilter.Operator.GREATER_THAN_OR_EQUAL
            && filter.getValue().getDoubleValue() == Double.NEGATIVE_INFINITY;
    if (isOfNumbers) {
      return all.filter(document -> isNumber(Protos.get(document.getFieldsMap(), names)));
    }
    if (filter.getOp() != FieldFilter.Operator.GREATER_THAN
        || !filter.getValue().hasTimestampValue()) {
      throw failure(Status.Code.UNIMPLEMENTED, query.toString());
    }
    Instant than = Protos.instant(filter.getValue().getTimestampValue());
    record Timed(Document document, Instant time) {}
    return all.flatMap(
            document -> {
              Value value = Protos.get(document.getFieldsMap(), names);
              return value != null && value.hasTimestampValue()
                  ? Stream.of(new Timed(document, Protos.instant(value.getTimestampValue())))
                  : Stream.empty();
            })
        .filter(timed -> timed.time.isAfter(than))
        .sorted(Comparator.comparing(Timed::time))
        .map(Timed::document);
  }

  /** In Firestore's order, NaN comes before all numbers. */
  private static boolean isNumber(@Nullable Value value) {
    return value != null
        && (value.hasIntegerValue()
            || (value.hasDoubleValue() && !Double.isNaN(value.getDoubleValue())));
  }

  List<RunAggregationQueryResponse> aggregate(RunAggregationQueryRequest request) {
    Timestamp now = Protos.timestamp(readTime());
    var query = request.getStructuredAggregationQuery();
    List<List<String>> fields =
        query.getAggregationsList().stream()
            .filter(Aggregation::hasSum)
            .map(each -> Protos.names(each.getSum().getField().getFieldPath()))
            .toList();
    // Documents without a field are left out in all of the query's aggregations.
    List<Document> counted =
        found(visible, request.getParent(), query.getStructuredQuery())
            .filter(
                document ->
                    fields.stream().allMatch(f -> Protos.get(document.getFieldsMap(), f) != null))
            .toList();
    AggregationResult.Builder result = AggregationResult.newBuilder();
    for (Aggregation each : query.getAggregationsList()) {
      result.putAggregateFields(
          each.getAlias(),
          each.hasSum()
              ? sum(counted, Protos.names(each.getSum().getField().getFieldPath()))
              : Protos.value((long) counted.size()));
    }
    return List.of(
        RunAggregationQueryResponse.newBuilder().setResult(result).setReadTime(now).build());
  }

  /** A sum of integers is one as long as it fits; what is no number is left out. */
  private static Value sum(List<Document> documents, List<String> names) {
    BigInteger whole = BigInteger.ZERO;
    double fraction = 0;
    boolean isWhole = true;
    for (Document document : documents) {
      Value value = Protos.get(document.getFieldsMap(), names);
      if (value != null && value.hasIntegerValue()) {
        whole = whole.add(BigInteger.valueOf(value.getIntegerValue()));
      } else if (value != null && value.hasDoubleValue()) {
        isWhole = false;
        fraction += value.getDoubleValue();
      }
    }
    return isWhole && whole.bitLength() < Long.SIZE
        ? Protos.value(whole.longValue())
        : Protos.value(whole.doubleValue() + fraction);
  }

  /**
   * Commits now.
   *
   * @param requested when the request came, which is its time stamp for the fields of a document
   * @param hidden how long the commit stays invisible
   * @return completes when it is visible
   * @throws ApiException if Firestore would refuse it; then it changes nothing
   */
  CompletableFuture<Commit> commit(
      CommitRequest request, Optional<Functions> by, Instant requested, Duration hidden) {
    Instant now = tick();
    Map<String, Optional<Document>> after = new LinkedHashMap<>();
    CommitResponse.Builder answer =
        CommitResponse.newBuilder().setCommitTime(Protos.timestamp(now));
    if (request.getWritesCount() > MOST_WRITES) {
      throw failure(Status.Code.INVALID_ARGUMENT, "too many writes");
    }
    for (Write write : request.getWritesList()) {
      String path = path(write);
      Optional<Document> old = after.getOrDefault(path, document(path));
      check(write.getCurrentDocument(), path, old);
      Optional<Document> changed = changed(write, old, requested, now);
      after.put(path, changed);
      answer.addWriteResults(
          changed
              .map(
                  document ->
                      WriteResult.newBuilder().setUpdateTime(document.getUpdateTime()).build())
              .orElse(WriteResult.getDefaultInstance()));
    }
    List<Changed> changes = new ArrayList<>();
    after.forEach(
        (path, document) -> {
          Optional<Document> before = document(path);
          if (!before.equals(document)) {
            changes.add(new Changed(path, before, document));
            put(documents, path, document);
          }
        });
    Commit commit = new Commit(by, now, now, after.keySet(), changes, answer.build());
    lastCommit = now;
    return show(commit, hidden);
  }

  private CompletableFuture<Commit> show(Commit commit, Duration hidden) {
    Instant from = commit.time.plus(hidden);
    boolean isLate = !hidden.isZero();
    for (String order : orders(commit)) {
      Instant before = lastFrom.getOrDefault(order, Instant.EPOCH);
      isLate |= !before.isBefore(time.now());
      from = before.isAfter(from) ? before : from;
    }
    CompletableFuture<Commit> seen = new CompletableFuture<>();
    if (isLate) {
      for (String order : orders(commit)) {
        lastFrom.put(order, from);
      }
      unseen.add(commit.time);
      time.after(Duration.between(time.now(), from), () -> seen.complete(showLate(commit)));
    } else {
      seen.complete(showNow(commit));
    }
    return seen;
  }

  /**
   * How long a refusal waits. Who is refused knows of the commits before: what he reads next, shows
   * them.
   */
  Duration untilVisible(CommitRequest refused) {
    return refused.getWritesList().stream()
        .map(write -> lastFrom.getOrDefault(path(write), Instant.EPOCH))
        .filter(from -> from.isAfter(time.now()))
        .max(Comparator.naturalOrder())
        .map(from -> Duration.between(time.now(), from))
        .orElse(Duration.ZERO);
  }

  /**
   * The orders that a commit stands in. Two commits of one order become visible one after the
   * other. Each document has an order; beside that, all commits have one, as in Firestore, or the
   * commits of each counter have one, as in the emulator.
   */
  private List<String> orders(Commit commit) {
    return commit.written.stream()
        .flatMap(path -> Stream.of(path, readsAtOldTimes ? "" : firstTwoParts(path)))
        .toList();
  }

  private static String firstTwoParts(String path) {
    int second = path.indexOf('/', path.indexOf('/') + 1);
    return second < 0 ? path : path.substring(0, second);
  }

  private Commit showLate(Commit commit) {
    unseen.remove(commit.time);
    return showNow(
        readsAtOldTimes
            ? commit
            : new Commit(
                commit.by, commit.time, tick(), commit.written, commit.changes, commit.response));
  }

  private Commit showNow(Commit commit) {
    commit.changes.forEach(each -> put(visible, each.path, each.after));
    commits.add(commit);
    observers.forEach(observer -> observer.accept(commit));
    return commit;
  }

  private static void put(
      Map<String, Document> documents, String path, Optional<Document> document) {
    if (document.isPresent()) {
      documents.put(key(path), document.get());
    } else {
      documents.remove(key(path));
    }
  }

  /** The path of the document that a write is about. */
  static String path(Write write) {
    return relative(write.getDelete().isEmpty() ? write.getUpdate().getName() : write.getDelete());
  }

  private static void check(Precondition expected, String path, Optional<Document> old) {
    switch (expected.getConditionTypeCase()) {
      case EXISTS -> {
        if (expected.getExists() != old.isPresent()) {
          throw failure(
              expected.getExists() ? Status.Code.NOT_FOUND : Status.Code.ALREADY_EXISTS, path);
        }
      }
      case UPDATE_TIME -> {
        if (old.filter(document -> document.getUpdateTime().equals(expected.getUpdateTime()))
            .isEmpty()) {
          throw failure(Status.Code.FAILED_PRECONDITION, path);
        }
      }
      case CONDITIONTYPE_NOT_SET -> {}
    }
  }

  /** A write without a change keeps the document's version. */
  private Optional<Document> changed(
      Write write, Optional<Document> old, Instant requested, Instant now) {
    if (!write.getDelete().isEmpty()) {
      return Optional.empty();
    }
    Map<String, Value> given = write.getUpdate().getFieldsMap();
    Map<String, Value> fields =
        new TreeMap<>(
            write.hasUpdateMask() ? old.map(Document::getFieldsMap).orElse(Map.of()) : given);
    for (String path : write.getUpdateMask().getFieldPathsList()) {
      List<String> names = Protos.names(path);
      Protos.put(fields, names, Protos.get(given, names));
    }
    for (FieldTransform transform : write.getUpdateTransformsList()) {
      List<String> names = Protos.names(transform.getFieldPath());
      Protos.put(fields, names, transformed(transform, Protos.get(fields, names), requested));
    }
    String path = path(write);
    Document.Builder document =
        Document.newBuilder().setName(write.getUpdate().getName()).putAllFields(fields);
    boolean isFull =
        full.containsKey(path) && Protos.get(fields, full.getOrDefault(path, List.of())) != null;
    if (isFull || document.clone().buildPartial().getSerializedSize() > MOST_BYTES) {
      throw failure(Status.Code.INVALID_ARGUMENT, path + " is too large");
    }
    boolean isSame = old.filter(stored -> stored.getFieldsMap().equals(fields)).isPresent();
    return Optional.of(
        document
            .setCreateTime(old.map(Document::getCreateTime).orElse(Protos.timestamp(now)))
            .setUpdateTime(isSame ? old.orElseThrow().getUpdateTime() : Protos.timestamp(now))
            .build());
  }

  /** A request's time is that of its arrival, in milliseconds. */
  private static Value transformed(
      FieldTransform transform, @Nullable Value old, Instant requested) {
    return switch (transform.getTransformTypeCase()) {
      case INCREMENT -> added(old, transform.getIncrement());
      case SET_TO_SERVER_VALUE ->
          Protos.value(requested.minusMillis(2).truncatedTo(ChronoUnit.MILLIS));
      default -> throw failure(Status.Code.UNIMPLEMENTED, transform.toString());
    };
  }

  private static Value added(@Nullable Value old, Value delta) {
    if (old == null || !(old.hasIntegerValue() || old.hasDoubleValue())) {
      return delta;
    }
    if (old.hasIntegerValue() && delta.hasIntegerValue()) {
      BigInteger sum =
          BigInteger.valueOf(old.getIntegerValue())
              .add(BigInteger.valueOf(delta.getIntegerValue()));
      return Protos.value(
          sum.bitLength() < Long.SIZE
              ? sum.longValue()
              : sum.signum() < 0 ? Long.MIN_VALUE : Long.MAX_VALUE);
    }
    return Protos.value(number(old) + number(delta));
  }

  private static double number(Value value) {
    return value.hasIntegerValue() ? value.getIntegerValue() : value.getDoubleValue();
  }

  static ApiException failure(Status.Code code, String why) {
    Status status = Status.fromCode(code).withDescription(why);
    return ApiExceptionFactory.createException(
        status.asRuntimeException(), GrpcStatusCode.of(code), /* retryable= */ false);
  }
}
