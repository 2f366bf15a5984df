package dev.tallyroll.timestamps;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.Query.Direction;
import com.google.common.hash.Hashing;
import com.google.firestore.v1.RunQueryRequest;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.StructuredQuery.CollectionSelector;
import com.google.firestore.v1.StructuredQuery.CompositeFilter;
import com.google.firestore.v1.StructuredQuery.FieldFilter;
import com.google.firestore.v1.StructuredQuery.FieldReference;
import com.google.firestore.v1.StructuredQuery.Filter;
import com.google.firestore.v1.StructuredQuery.Order;
import com.google.protobuf.TextFormat;
import dev.tallyroll.timestamps.Shards.Fields;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * A caller's query: its collection and its filters. It is checked: it can run for each chunk of
 * shard values, ordered by the timestamp. Immutable.
 *
 * @param alternatives its filter as Firestore carries it out: of each alternative, all terms hold
 */
record BaseQuery(
    Query query, Fields fields, RunQueryRequest request, List<List<Term>> alternatives) {
  /** Source: Firestore's page on queries, "up to 30 disjunctions in disjunctive normal form". */
  private static final int MAX_DISJUNCTIONS = 30;

  /** The alternatives of a query without a filter. */
  private static final List<List<Term>> ANY = List.of(List.of());

  /**
   * One condition of a filter, on one field.
   *
   * @param values how many values match; each counts as a disjunction
   */
  record Term(String field, Kind kind, int values) {

    /** How an index serves a condition; an element is one of an array. */
    enum Kind {
      EQUALITY,
      ELEMENT,
      RANGE,
      NOT_IN
    }

    static Term of(Filter filter) {
      if (filter.hasUnaryFilter()) {
        Kind kind =
            switch (filter.getUnaryFilter().getOp()) {
              case IS_NULL, IS_NAN -> Kind.EQUALITY;
              default -> Kind.RANGE;
            };
        return new Term(filter.getUnaryFilter().getField().getFieldPath(), kind, 1);
      }
      FieldFilter term = filter.getFieldFilter();
      String field = term.getField().getFieldPath();
      int values = Math.max(1, term.getValue().getArrayValue().getValuesCount());
      return switch (term.getOp()) {
        case EQUAL -> new Term(field, Kind.EQUALITY, 1);
        case IN -> new Term(field, Kind.EQUALITY, values);
        case ARRAY_CONTAINS -> new Term(field, Kind.ELEMENT, 1);
        case ARRAY_CONTAINS_ANY -> new Term(field, Kind.ELEMENT, values);
        case NOT_IN -> new Term(field, Kind.NOT_IN, 1);
        default -> new Term(field, Kind.RANGE, 1);
      };
    }
  }

  /**
   * Takes a caller's query.
   *
   * @throws UnusableQueryException if it cannot be sharded
   */
  static BaseQuery of(Query query, Fields fields) {
    RunQueryRequest request = request(Objects.requireNonNull(query, "query"));
    StructuredQuery structure = request.getStructuredQuery();
    checkOrderAndExtent(structure);
    checkProjection(structure, fields.timestamp());
    var alternatives = alternatives(structure.getWhere());
    alternatives.forEach(terms -> terms.forEach(term -> check(term, fields)));
    BaseQuery base = new BaseQuery(query, fields, request, alternatives);
    refuseDisjunctionsIf(base.disjunctions() > MAX_DISJUNCTIONS);
    return base;
  }

  private static RunQueryRequest request(Query query) {
    try {
      return query.toProto();
    } catch (IllegalStateException limitToLast) {
      throw new UnusableQueryException("no limitToLast(); the page has a limit", "one");
    }
  }

  private static void checkOrderAndExtent(StructuredQuery query) {
    for (Order order : query.getOrderByList()) {
      throw new UnusableQueryException(
          "no orderBy() or cursor, as the timestamp gives the order",
          "one by '" + order.getField().getFieldPath() + "'");
    }
    refuseIf(query.hasLimit(), "no limit(), as the page has one", query.getLimit().getValue());
    refuseIf(query.getOffset() != 0, "no offset(), as pages have tokens", query.getOffset());
  }

  /** The merge goes by the timestamp, so it has to be in every document that is read. */
  private static void checkProjection(StructuredQuery query, String timestamp) {
    Stream<String> selected =
        query.getSelect().getFieldsList().stream().map(FieldReference::getFieldPath);
    refuseIf(
        query.hasSelect() && selected.noneMatch(field -> (timestamp + ".").startsWith(field + ".")),
        "a select() with '" + timestamp + "'",
        "one without");
  }

  private static void check(Term term, Fields fields) {
    refuseIf(
        term.field().equals(fields.shard()),
        "no filter on '" + fields.shard() + "', which the shard values are for",
        "one");
    refuseIf(
        term.kind() == Term.Kind.NOT_IN,
        "no not-in, which Firestore does not take beside the shard field's in",
        "one on '" + term.field() + "'");
    refuseIf(
        term.kind() == Term.Kind.RANGE && !term.field().equals(fields.timestamp()),
        "ranges (<, <=, >, >=, !=) on '" + fields.timestamp() + "' only, which gives the order",
        "one on '" + term.field() + "'");
  }

  private static List<List<Term>> alternatives(Filter filter) {
    return switch (filter.getFilterTypeCase()) {
      case FILTERTYPE_NOT_SET -> ANY;
      case COMPOSITE_FILTER -> {
        CompositeFilter composite = filter.getCompositeFilter();
        var parts = composite.getFiltersList().stream().map(BaseQuery::alternatives);
        yield composite.getOp() == CompositeFilter.Operator.OR
            ? parts.flatMap(List::stream).toList()
            : parts.reduce(ANY, BaseQuery::and);
      }
      default -> List.of(List.of(Term.of(filter)));
    };
  }

  /**
   * Refuses too many alternatives before it makes them: forty conditions with two values each have
   * 2^40.
   */
  private static List<List<Term>> and(List<List<Term>> left, List<List<Term>> right) {
    refuseDisjunctionsIf((long) left.size() * right.size() > MAX_DISJUNCTIONS);
    return left.stream()
        .flatMap(
            one ->
                right.stream().map(other -> Stream.concat(one.stream(), other.stream()).toList()))
        .toList();
  }

  /** Each product stops above the maximum, so that none overflows. */
  private long disjunctions() {
    return alternatives.stream()
        .mapToLong(
            terms ->
                terms.stream()
                    .mapToLong(Term::values)
                    .reduce(1, (all, more) -> Math.min(all * more, MAX_DISJUNCTIONS + 1)))
        .sum();
  }

  private static void refuseDisjunctionsIf(boolean tooMany) {
    refuseIf(
        tooMany,
        "at most " + MAX_DISJUNCTIONS + " disjunctions (in, array-contains-any, or)",
        "more");
  }

  private static void refuseIf(boolean wrong, String expected, Object found) {
    if (wrong) {
      throw new UnusableQueryException(expected, found.toString());
    }
  }

  /** The query's collection or collection group. */
  CollectionSelector from() {
    return request.getStructuredQuery().getFrom(0);
  }

  /** How many shard values fit beside its own disjunctions; at least one. */
  int valuesPerQuery() {
    return (int) (MAX_DISJUNCTIONS / disjunctions());
  }

  /** The fewest queries that together find what this one finds, each ordered. */
  List<Query> chunks(Shards shards, Direction direction) {
    return shards.chunks(valuesPerQuery()).stream()
        .map(
            chunk ->
                query
                    .whereIn(fields.shard(), chunk)
                    .whereGreaterThanOrEqualTo(fields.timestamp(), fields.least())
                    .orderBy(fields.timestamp(), direction)
                    .orderBy(FieldPath.documentId(), direction))
        .toList();
  }

  /** Equal for the same query in every process with the same version of the client. */
  String fingerprint(Direction direction) {
    // This text sorts the keys of maps, whose order else differs from process to process.
    String text = TextFormat.printer().printToString(request);
    String whole =
        String.join(
            "/",
            fields.shard(),
            fields.timestamp(),
            fields.least().toString(),
            direction.name(),
            text);
    return Hashing.murmur3_128().hashString(whole, UTF_8).toString();
  }
}
