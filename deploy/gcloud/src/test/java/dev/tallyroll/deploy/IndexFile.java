package dev.tallyroll.deploy;

import com.google.gson.Gson;
import java.util.List;

/**
 * A firestore.indexes.json, and which queries it serves by the Standard edition's rules. Immutable.
 */
record IndexFile(List<Index> indexes, List<Exemption> fieldOverrides) {

  /**
   * An index, or what a query needs of one. The document's name, by which every index ends, is left
   * out.
   *
   * @param queryScope COLLECTION or COLLECTION_GROUP
   */
  record Index(String collectionGroup, String queryScope, List<Field> fields) {

    Index reversed() {
      return new Index(collectionGroup, queryScope, fields.stream().map(Field::reversed).toList());
    }
  }

  /**
   * A field of an index.
   *
   * @param order ASCENDING or DESCENDING
   */
  record Field(String fieldPath, String order) {

    private Field reversed() {
      return new Field(fieldPath, order.equals("ASCENDING") ? "DESCENDING" : "ASCENDING");
    }
  }

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
   * Several fields need an index that somebody made.
   */
  boolean serves(Index need) {
    return switch (need.fields.size()) {
      case 0 -> true;
      case 1 -> isMadeByItself(need) || indexes.contains(need);
      default -> indexes.contains(need) || indexes.contains(need.reversed());
    };
  }

  private boolean isMadeByItself(Index need) {
    return need.queryScope.equals("COLLECTION")
        && fieldOverrides.stream().noneMatch(exempt -> exempt.isOf(need));
  }
}
