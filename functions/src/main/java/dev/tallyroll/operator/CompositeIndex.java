package dev.tallyroll.operator;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.protocol.Entry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * An index over several fields that the sums of an entry read. A count with one equality reads that
 * field's own index. Firestore refuses a sum with an equality without such an index; a count with
 * several equalities it merges from their indexes, which takes longer the more documents fulfil one
 * of them.
 *
 * @param collection the name of the collections
 * @param fields those with an equality by their names, and then the summed one, all ascending
 * @param equalities how many of them have an equality: their order means nothing
 * @see <a href="https://firebase.google.com/docs/firestore/query-data/index-overview">Google's
 *     page</a>
 */
record CompositeIndex(String collection, List<String> fields, int equalities) {
  private static final String ASCENDING = "ASCENDING";

  /** The index of an entry; empty if it needs none. */
  static Optional<CompositeIndex> of(Entry entry) {
    List<String> fields =
        new ArrayList<>(
            entry.layout().choosing().stream().map(FieldName::toString).sorted().toList());
    int equalities = fields.size();
    entry
        .layout()
        .counted()
        .filter(field -> entry.isIndexed())
        .map(FieldName::toString)
        .filter(field -> !fields.contains(field))
        .ifPresent(fields::add);
    return equalities > 0 && fields.size() > 1
        ? Optional.of(new CompositeIndex(entry.layout().shards(), List.copyOf(fields), equalities))
        : Optional.empty();
  }

  /** Whether an index of gcloud's list is this one. */
  boolean is(JsonObject index) {
    String name = Answers.text(index, "name");
    List<JsonObject> found =
        Answers.objects(index, "fields").stream()
            .filter(field -> !Answers.text(field, "fieldPath").equals("__name__"))
            .toList();
    List<String> paths = found.stream().map(field -> Answers.text(field, "fieldPath")).toList();
    return name.contains("/collectionGroups/" + collection + "/indexes/")
        && Answers.text(index, "queryScope").equals("COLLECTION")
        && found.stream().allMatch(field -> Answers.text(field, "order").equals(ASCENDING))
        && paths.size() == fields.size()
        && new HashSet<>(paths.subList(0, equalities))
            .equals(new HashSet<>(fields.subList(0, equalities)))
        && paths
            .subList(equalities, paths.size())
            .equals(fields.subList(equalities, fields.size()));
  }

  /** The index as one word, which bash takes apart: the collection, and gcloud's flags. */
  String word() {
    return collection + "|" + flags();
  }

  private String flags() {
    return fields.stream()
        .map(field -> "--field-config=field-path=%s,order=ascending".formatted(field))
        .collect(Collectors.joining(" "));
  }

  /** The command that makes it. */
  String command(String database, String project) {
    return "gcloud firestore indexes composite create --collection-group=%s --query-scope=collection %s --database=%s --project=%s"
        .formatted(collection, flags(), Shell.quoted(database), project);
  }

  /** In the form of {@code firestore.indexes.json}. */
  JsonObject json() {
    JsonArray all = new JsonArray();
    for (String field : fields) {
      JsonObject one = new JsonObject();
      one.addProperty("fieldPath", field);
      one.addProperty("order", ASCENDING);
      all.add(one);
    }
    JsonObject index = new JsonObject();
    index.addProperty("collectionGroup", collection);
    index.addProperty("queryScope", "COLLECTION");
    index.add("fields", all);
    return index;
  }

  @Override
  public String toString() {
    return collection + ": " + String.join(", ", fields);
  }
}
