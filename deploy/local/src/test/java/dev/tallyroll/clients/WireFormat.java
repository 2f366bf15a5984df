package dev.tallyroll.clients;

/**
 * How client libraries send an increment, as JSON; which one a library uses is read from its
 * source. Those for phones send the same message in a stream rather than alone.
 */
enum WireFormat {
  /**
   * Servers' {@code update}: what has nothing but transforms becomes one transform, of a document
   * that must exist. Go: {@code DocumentRef.newUpdateWithTransform}; Python: {@code
   * pbs_for_update}; C#: {@code WriteBatch.AddUpdateWrites}; Ruby: {@code
   * Convert.writes_for_update}; PHP: {@code BulkWriter.update}.
   */
  TRANSFORM_OF_EXISTING(
      """
      {"transform": {"document": "%1$s", "fieldTransforms": [%2$s]},
       "currentDocument": {"exists": true}}"""),

  /** Servers' merging {@code set}, in the same places: the document need not exist. */
  TRANSFORM(
      """
      {"transform": {"document": "%1$s", "fieldTransforms": [%2$s]}}"""),

  /**
   * Phones' and browsers' {@code update}: a patch of no field, with transforms after it. Android:
   * {@code RemoteSerializer.encodeMutation}; Apple: {@code Serializer::EncodeMutation}.
   */
  PATCH(
      """
      {"update": {"name": "%1$s", "fields": {}}, "updateMask": {"fieldPaths": []},
       "updateTransforms": [%2$s], "currentDocument": {"exists": true}}""");

  private final String json;

  WireFormat(String json) {
    this.json = json;
  }

  /** A write that adds one to the field of the document. */
  String increment(String document, String field) {
    return json.formatted(
        document,
        """
        {"fieldPath": "%s", "increment": {"integerValue": "1"}}"""
            .formatted(field));
  }
}
