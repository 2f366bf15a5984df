package dev.tallyroll.simulation;

import com.google.firestore.v1.Document;
import com.google.firestore.v1.DocumentMask;
import com.google.firestore.v1.DocumentTransform.FieldTransform;
import com.google.firestore.v1.Write;
import java.util.Map;

/** Writes of Firestore's protocol, of documents by their paths from the root. */
final class Writes {
  private Writes() {}

  private static Document document(String path, Map<String, ?> fields) {
    return Document.newBuilder()
        .setName(SimulatedServer.ROOT + "/" + path)
        .putAllFields(Protos.values(fields))
        .build();
  }

  /** Writes a whole document. */
  static Write set(String path, Map<String, ?> fields) {
    return Write.newBuilder().setUpdate(document(path, fields)).build();
  }

  static Write delete(String path) {
    return Write.newBuilder().setDelete(SimulatedServer.ROOT + "/" + path).build();
  }

  /** Adds to fields, by their paths; makes the document if it is not there. */
  static Write increment(String path, Map<String, ? extends Number> deltas) {
    Write.Builder write =
        Write.newBuilder()
            .setUpdate(document(path, Map.of()))
            .setUpdateMask(DocumentMask.getDefaultInstance());
    deltas.forEach(
        (field, delta) ->
            write.addUpdateTransforms(
                FieldTransform.newBuilder().setFieldPath(field).setIncrement(Protos.value(delta))));
    return write.build();
  }
}
