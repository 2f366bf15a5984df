package dev.tallyroll.timestamps;

import com.google.firestore.v1.StructuredQuery.FieldFilter;
import com.google.firestore.v1.StructuredQuery.Filter;
import com.google.firestore.v1.StructuredQuery.UnaryFilter;

/**
 * One condition of a filter, on one field. Immutable.
 *
 * @param alternatives how many values would do; each counts as a disjunction
 */
record Term(String field, Kind kind, int alternatives) {

  /** How an index serves a condition. */
  enum Kind {
    /** A position in the index, before the timestamp. */
    EQUALITY,
    /** A position among the elements of arrays. */
    ELEMENT,
    /** A range, which has to be the last field of the index. */
    RANGE,
    /** Cannot be in one query with the filter on the shard field. */
    NOT_IN
  }

  static Term of(Filter filter) {
    return filter.hasUnaryFilter() ? of(filter.getUnaryFilter()) : of(filter.getFieldFilter());
  }

  private static Term of(UnaryFilter filter) {
    Kind kind =
        switch (filter.getOp()) {
          case IS_NULL, IS_NAN -> Kind.EQUALITY;
          default -> Kind.RANGE;
        };
    return new Term(filter.getField().getFieldPath(), kind, 1);
  }

  private static Term of(FieldFilter filter) {
    Kind kind =
        switch (filter.getOp()) {
          case EQUAL, IN -> Kind.EQUALITY;
          case ARRAY_CONTAINS, ARRAY_CONTAINS_ANY -> Kind.ELEMENT;
          case NOT_IN -> Kind.NOT_IN;
          default -> Kind.RANGE;
        };
    return new Term(filter.getField().getFieldPath(), kind, alternatives(filter));
  }

  private static int alternatives(FieldFilter filter) {
    return switch (filter.getOp()) {
      case IN, ARRAY_CONTAINS_ANY ->
          Math.max(1, filter.getValue().getArrayValue().getValuesCount());
      default -> 1;
    };
  }
}
