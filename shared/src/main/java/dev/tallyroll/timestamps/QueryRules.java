package dev.tallyroll.timestamps;

import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.StructuredQuery.FieldReference;
import com.google.firestore.v1.StructuredQuery.Order;

/** What a caller's query may not have, each with the reason. Pure. */
final class QueryRules {
  private QueryRules() {}

  static void check(StructuredQuery query, Fields fields) {
    order(query);
    extent(query);
    projection(query, fields);
    NormalForm.terms(query.getWhere()).forEach(term -> term(term, fields));
    refuse(
        NormalForm.disjunctions(query.getWhere()) > NormalForm.MAX_DISJUNCTIONS,
        "at most " + NormalForm.MAX_DISJUNCTIONS + " disjunctions (in, array-contains-any, or)",
        "more");
  }

  private static void order(StructuredQuery query) {
    for (Order order : query.getOrderByList()) {
      throw new UnusableQueryException(
          "no orderBy(), as the timestamp gives the order",
          "one by '" + path(order.getField()) + "'");
    }
    refuse(
        query.hasStartAt() || query.hasEndAt(),
        "no cursor, as pages have tokens and times are filtered with where()",
        "one");
  }

  private static void extent(StructuredQuery query) {
    refuse(query.hasLimit(), "no limit(), as the page has one", query.getLimit().getValue());
    refuse(query.getOffset() != 0, "no offset(), as pages have tokens", query.getOffset());
    refuse(query.hasFindNearest(), "no findNearest()", "one");
  }

  /** The merge goes by the timestamp, so it has to be in every document that is read. */
  private static void projection(StructuredQuery query, Fields fields) {
    refuse(
        query.hasSelect()
            && query.getSelect().getFieldsList().stream()
                .noneMatch(field -> covers(path(field), fields.timestamp())),
        "a select() with '" + fields.timestamp() + "'",
        "one without");
  }

  private static boolean covers(String selected, String field) {
    return field.equals(selected) || field.startsWith(selected + ".");
  }

  private static void term(Term term, Fields fields) {
    refuse(
        term.field().equals(fields.shard()),
        "no filter on '" + fields.shard() + "', which the shard values are for",
        "one");
    refuse(
        term.kind() == Term.Kind.NOT_IN,
        "no not-in, which Firestore does not take beside the shard field's in",
        "one on '" + term.field() + "'");
    refuse(
        term.kind() == Term.Kind.RANGE && !term.field().equals(fields.timestamp()),
        "ranges (<, <=, >, >=, !=) on '" + fields.timestamp() + "' only, which gives the order",
        "one on '" + term.field() + "'");
  }

  private static String path(FieldReference field) {
    return field.getFieldPath();
  }

  private static void refuse(boolean wrong, String expected, Object found) {
    if (wrong) {
      throw new UnusableQueryException(expected, found.toString());
    }
  }
}
