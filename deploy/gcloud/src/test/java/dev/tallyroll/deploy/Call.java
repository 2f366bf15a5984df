package dev.tallyroll.deploy;

import java.util.List;

/**
 * One call of Firestore's REST API, below a database's documents; without a body it is a GET.
 *
 * @param path what follows "documents"
 * @param body JSON, or empty
 */
record Call(String path, String body) {

  /** Where @P stands for the project. */
  static final String DOCUMENTS = "projects/@P/databases/(default)/documents";

  /** Gets a document, or lists a collection. */
  static Call get(String path) {
    return new Call("/" + path, "");
  }

  /**
   * A leaderboard: the documents of a collection with the highest counts.
   *
   * @param limit how many, as the query says it, or empty for all
   */
  static Call highest(String parent, String collection, String limit) {
    String query =
        """
        {"structuredQuery":{"from":[{"collectionId":"%s"}],%s        "orderBy":[{"field":{"fieldPath":"count"},"direction":"DESCENDING"}]}}
        """
            .formatted(collection, limit);
    return new Call("/%s:runQuery".formatted(parent).replace("/:", ":"), query);
  }

  /** A query for one document of a collection, by its name. */
  static Call named(String parent, String collection, String document) {
    String query =
        """
        {"structuredQuery":{"from":[{"collectionId":"%s"}],"where":{"fieldFilter":\
        {"field":{"fieldPath":"__name__"},"op":"EQUAL","value":%s}}}}
        """
            .formatted(collection, reference(document));
    return new Call("/%s:runQuery".formatted(parent).replace("/:", ":"), query);
  }

  /** Ten documents of all collections of that name. */
  static Call group(String collection) {
    return new Call(
        ":runQuery", "{\"structuredQuery\":{%s,\"limit\":10}}".formatted(allOf(collection)));
  }

  static Call sum(String collection, String field) {
    return new Call(
        ":runAggregationQuery",
        """
        {"structuredAggregationQuery":{"structuredQuery":{%s},\
        "aggregations":[{"alias":"total","sum":{"field":{"fieldPath":"%s"}}}]}}
        """
            .formatted(allOf(collection), field));
  }

  private static String allOf(String collection) {
    return "\"from\":[{\"collectionId\":\"" + collection + "\",\"allDescendants\":true}]";
  }

  static Call commit(List<String> writes) {
    return new Call(":commit", "{\"writes\":[" + String.join(",", writes) + "]}");
  }

  /** Writes the whole document. */
  static String set(String document, String fields) {
    return "{\"update\":%s}".formatted(named(document, fields));
  }

  /** Writes one field of a document that exists, as update() does. */
  static String update(String document, String field, String value) {
    return "{\"update\":%s,\"updateMask\":{\"fieldPaths\":[\"%s\"]},%s}"
        .formatted(named(document, "\"" + field + "\":" + value), field, EXISTS);
  }

  /** The samples' increment, as update() sends it. */
  static String increment(String document, String field, String by) {
    return increments(document, transform(field, by), "," + EXISTS);
  }

  /** The Node sample's increment: a merging set, which does not ask whether the document exists. */
  static String mergeIncrement(String document, String field, String by) {
    return increments(document, transform(field, by), "");
  }

  /** Two transforms of one field in one write. */
  static String incrementTwice(String document, String field) {
    String once = transform(field, integer(1));
    return increments(document, once + "," + once, "," + EXISTS);
  }

  private static String increments(String document, String transforms, String precondition) {
    return "{\"update\":%s,\"updateMask\":{},\"updateTransforms\":[%s]%s}"
        .formatted(named(document, ""), transforms, precondition);
  }

  private static String transform(String field, String by) {
    return "{\"fieldPath\":\"%s\",\"increment\":%s}".formatted(field, by);
  }

  /** Writes the whole document, with the server's time in the field "at". */
  static String stamp(String document, String fields) {
    return "{\"update\":%s,\"updateTransforms\":[{\"fieldPath\":\"at\",%s}]}"
        .formatted(named(document, fields), "\"setToServerValue\":\"REQUEST_TIME\"");
  }

  static String delete(String document) {
    return "{\"delete\":\"" + DOCUMENTS + "/" + document + "\"}";
  }

  static String text(String value) {
    return "{\"stringValue\":\"" + value + "\"}";
  }

  static String reference(String document) {
    return "{\"referenceValue\":\"" + DOCUMENTS + "/" + document + "\"}";
  }

  static String decimal(String value) {
    return "{\"doubleValue\":" + value + "}";
  }

  static String integer(long value) {
    return "{\"integerValue\":\"" + value + "\"}";
  }

  private static String named(String document, String fields) {
    return "{\"name\":\"%s/%s\",\"fields\":{%s}}".formatted(DOCUMENTS, document, fields);
  }

  private static final String EXISTS = "\"currentDocument\":{\"exists\":true}";
}
