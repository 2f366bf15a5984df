package dev.tallyroll.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.firestore.v1.StructuredAggregationQuery.Aggregation;
import com.google.firestore.v1.StructuredQuery;
import com.google.firestore.v1.StructuredQuery.CompositeFilter;
import com.google.firestore.v1.StructuredQuery.FieldFilter;
import com.google.firestore.v1.StructuredQuery.Filter;
import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A firestore.indexes.json without indexes of several fields, and which queries it serves by the
 * Standard edition's rules. Immutable.
 */
record IndexFile(List<JsonObject> indexes, List<Exemption> fieldOverrides) {

  /**
   * The fields that a query reads from one index. The document's name, by which every index ends,
   * is left out.
   *
   * @param group whether the query asks all collections of that name
   */
  record Need(String collection, boolean group, Set<String> fields) {}

  /** A field's own indexes in place of those that come by themselves: in our files, none. */
  record Exemption(
      String collectionGroup, String fieldPath, boolean ttl, List<JsonObject> indexes) {

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
   */
  boolean serves(Need need) {
    return need.fields.isEmpty()
        || (need.fields.size() == 1
            && !need.group
            && fieldOverrides.stream()
                .filter(exempt -> exempt.collectionGroup.equals(need.collection))
                .noneMatch(exempt -> need.fields.contains(exempt.fieldPath)));
  }

  /** A sum reads its field from an index, too. */
  static Need neededBy(StructuredQuery query, List<Aggregation> aggregations) {
    Set<String> fields = new TreeSet<>();
    query.getOrderByList().forEach(order -> fields.add(order.getField().getFieldPath()));
    filters(query.getWhere()).forEach(filter -> fields.add(filter.getField().getFieldPath()));
    aggregations.stream()
        .filter(Aggregation::hasSum)
        .forEach(sum -> fields.add(sum.getSum().getField().getFieldPath()));
    fields.remove("__name__");
    var from = query.getFromList().get(0);
    return new Need(from.getCollectionId(), from.getAllDescendants(), fields);
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
