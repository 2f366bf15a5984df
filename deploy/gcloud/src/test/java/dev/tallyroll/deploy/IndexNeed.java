package dev.tallyroll.deploy;

import static com.google.firestore.v1.StructuredQuery.Direction.ASCENDING;

import com.google.firestore.v1.StructuredAggregationQuery;
import com.google.firestore.v1.StructuredAggregationQuery.Aggregation;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.StructuredQuery.CollectionSelector;
import com.google.firestore.v1.StructuredQuery.CompositeFilter;
import com.google.firestore.v1.StructuredQuery.FieldFilter;
import com.google.firestore.v1.StructuredQuery.Filter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What an index must hold for a query: first the fields that are compared for equality, in any
 * order, then those that are sorted by or compared otherwise, in theirs. The document's name, by
 * which every index ends, is left out. Immutable.
 *
 * @param collection the collection's id
 * @param scope COLLECTION or COLLECTION_GROUP
 */
record IndexNeed(String collection, String scope, Set<String> equal, List<Sorted> sorted) {

  private static final String NAME = "__name__";

  /** A field, and whether from the smallest value to the largest. */
  record Sorted(String field, boolean ascending) {

    Sorted reversed() {
      return new Sorted(field, !ascending);
    }
  }

  static IndexNeed of(StructuredQuery query) {
    if (query.getFromCount() != 1) {
      throw new AssertionError("expected a query of one collection, found " + query);
    }
    CollectionSelector from = query.getFrom(0);
    Set<String> equal = new TreeSet<>();
    List<Sorted> sorted = new ArrayList<>();
    for (StructuredQuery.Order order : query.getOrderByList()) {
      sort(sorted, order.getField().getFieldPath(), order.getDirection() == ASCENDING);
    }
    for (FieldFilter filter : filters(query.getWhere())) {
      String field = filter.getField().getFieldPath();
      if (isEquality(filter)) {
        equal.add(field);
      } else {
        sort(sorted, field, true);
      }
    }
    String scope = from.getAllDescendants() ? "COLLECTION_GROUP" : "COLLECTION";
    return new IndexNeed(from.getCollectionId(), scope, equal, sorted);
  }

  /** A sum reads its field from an index, as if it were sorted by. */
  static IndexNeed of(StructuredAggregationQuery query) {
    IndexNeed need = of(query.getStructuredQuery());
    for (Aggregation aggregation : query.getAggregationsList()) {
      if (aggregation.hasSum()) {
        sort(need.sorted(), aggregation.getSum().getField().getFieldPath(), true);
      }
    }
    return need;
  }

  private static List<FieldFilter> filters(Filter where) {
    if (where.hasFieldFilter()) {
      return List.of(where.getFieldFilter());
    }
    if (where.equals(Filter.getDefaultInstance())) {
      return List.of();
    }
    CompositeFilter all = where.getCompositeFilter();
    if (all.getOp() != CompositeFilter.Operator.AND) {
      throw new AssertionError("expected filters joined by AND, found " + where);
    }
    return all.getFiltersList().stream().flatMap(one -> filters(one).stream()).toList();
  }

  /** An "in" is a few equalities. */
  private static boolean isEquality(FieldFilter filter) {
    return filter.getOp() == FieldFilter.Operator.EQUAL
        || filter.getOp() == FieldFilter.Operator.IN;
  }

  private static void sort(List<Sorted> sorted, String field, boolean ascending) {
    if (!field.equals(NAME) && sorted.stream().noneMatch(other -> other.field().equals(field))) {
      sorted.add(new Sorted(field, ascending));
    }
  }

  int fields() {
    return equal.size() + sorted.size();
  }

  IndexNeed reversed() {
    List<Sorted> reversed = sorted.stream().map(Sorted::reversed).toList();
    return new IndexNeed(collection, scope, equal, reversed);
  }
}
