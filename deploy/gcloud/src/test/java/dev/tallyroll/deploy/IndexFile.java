package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.firestore.v1.StructuredAggregationQuery.Aggregation;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.StructuredQuery.CompositeFilter;
import com.google.firestore.v1.StructuredQuery.Direction;
import com.google.firestore.v1.StructuredQuery.FieldFilter;
import com.google.firestore.v1.StructuredQuery.Filter;
import com.google.gson.Gson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A firestore.indexes.json, and which queries it serves by the Standard edition's rules. Immutable.
 */
record IndexFile(List<Index> indexes, List<Exemption> fieldOverrides) {

  private static final Set<FieldFilter.Operator> EQUALITIES =
      Set.of(FieldFilter.Operator.EQUAL, FieldFilter.Operator.IN);

  /**
   * An index, or what a query needs of one. The document's name, by which every index ends, is left
   * out.
   *
   * @param queryScope COLLECTION or COLLECTION_GROUP
   */
  record Index(String collectionGroup, String queryScope, List<Field> fields) {}

  /**
   * A field of an index.
   *
   * @param order ASCENDING or DESCENDING
   */
  record Field(String fieldPath, String order) {}

  /** A field's own indexes in place of those that come by themselves: in our files, none. */
  record Exemption(String collectionGroup, String fieldPath, boolean ttl, List<Index> indexes) {

    private boolean isOf(Index need) {
      return collectionGroup.equals(need.collectionGroup)
          && fieldPath.equals(need.fields.get(0).fieldPath);
    }

    @Override
    public String toString() {
      return collectionGroup + "." + fieldPath;
    }
  }

  static IndexFile of(String json) {
    return new Gson().fromJson(json, IndexFile.class);
  }

  /**
   * A query that asks for no field goes by the documents' names, and needs no index. One field has
   * an index of its own, made by itself for collections but not for groups, unless it is exempt.
   * Several fields need an index that somebody made. (It may be read backwards, which no query of
   * ours does.)
   */
  boolean serves(Index need) {
    return need.fields.isEmpty() || indexes.contains(need) || isMadeByItself(need);
  }

  private boolean isMadeByItself(Index need) {
    return need.fields.size() == 1
        && need.queryScope.equals("COLLECTION")
        && fieldOverrides.stream().noneMatch(exempt -> exempt.isOf(need));
  }

  /**
   * First the fields that are compared for equality, by their names, then those that are sorted by
   * or compared otherwise, in their order. A sum reads its field from an index, as if it were
   * sorted by.
   */
  static Index neededBy(StructuredQuery query, List<Aggregation> aggregations) {
    Map<String, String> equal = new TreeMap<>();
    Map<String, String> sorted = new LinkedHashMap<>();
    for (StructuredQuery.Order order : query.getOrderByList()) {
      boolean falls = order.getDirection() == Direction.DESCENDING;
      sorted.put(order.getField().getFieldPath(), falls ? "DESCENDING" : "ASCENDING");
    }
    for (FieldFilter filter : filters(query.getWhere())) {
      (EQUALITIES.contains(filter.getOp()) ? equal : sorted)
          .putIfAbsent(filter.getField().getFieldPath(), "ASCENDING");
    }
    aggregations.stream()
        .filter(Aggregation::hasSum)
        .forEach(sum -> sorted.putIfAbsent(sum.getSum().getField().getFieldPath(), "ASCENDING"));
    sorted.remove("__name__");

    Map<String, String> all = new LinkedHashMap<>(equal);
    all.putAll(sorted);
    var from = query.getFromList().get(0);
    return new Index(
        from.getCollectionId(),
        from.getAllDescendants() ? "COLLECTION_GROUP" : "COLLECTION",
        all.entrySet().stream().map(one -> new Field(one.getKey(), one.getValue())).toList());
  }

  private static List<FieldFilter> filters(Filter where) {
    if (where.hasFieldFilter()) {
      return List.of(where.getFieldFilter());
    }
    CompositeFilter all = where.getCompositeFilter();
    assertThat(all.getOp()).isNotEqualTo(CompositeFilter.Operator.OR);
    return all.getFiltersList().stream().flatMap(one -> filters(one).stream()).toList();
  }
}
