package dev.tallyroll.deploy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.deploy.IndexNeed.Sorted;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * A firestore.indexes.json, and which queries it serves by the Standard edition's rules. Not
 * thread-safe.
 */
record IndexFile(JsonObject file) {

  static IndexFile read(Path path) {
    return new IndexFile(JsonParser.parseString(Home.read(path)).getAsJsonObject());
  }

  /**
   * A query that asks for no field goes by the documents' names, and needs no index. One field has
   * an index of its own, made by itself for collections but not for groups, unless an override says
   * otherwise. Several fields need an index that somebody made.
   */
  boolean serves(IndexNeed need) {
    return switch (need.fields()) {
      case 0 -> true;
      case 1 -> hasSingle(need) || hasComposite(need);
      default -> hasComposite(need) || hasComposite(need.reversed());
    };
  }

  private boolean hasSingle(IndexNeed need) {
    String field = need.equal().stream().findFirst().orElseGet(() -> need.sorted().get(0).field());
    return override(need.collection(), field)
        .map(made -> elements(made.getAsJsonArray("indexes")).anyMatch(scoped(need)))
        .orElse(need.scope().equals("COLLECTION"));
  }

  private static Predicate<JsonObject> scoped(IndexNeed need) {
    return index -> text(index, "queryScope").equals(need.scope()) && index.has("order");
  }

  private Optional<JsonObject> override(String collection, String field) {
    return elements(file.getAsJsonArray("fieldOverrides"))
        .filter(made -> text(made, "collectionGroup").equals(collection))
        .filter(made -> text(made, "fieldPath").equals(field))
        .findFirst();
  }

  private boolean hasComposite(IndexNeed need) {
    return elements(file.getAsJsonArray("indexes"))
        .filter(index -> text(index, "collectionGroup").equals(need.collection()))
        .filter(index -> text(index, "queryScope").equals(need.scope()))
        .map(index -> elements(index.getAsJsonArray("fields")).map(IndexFile::sorted).toList())
        .anyMatch(fields -> fits(fields, need));
  }

  private static boolean fits(List<Sorted> fields, IndexNeed need) {
    int equal = need.equal().size();
    return fields.size() == need.fields()
        && names(fields.subList(0, equal)).equals(need.equal())
        && fields.subList(equal, fields.size()).equals(need.sorted());
  }

  private static Set<String> names(List<Sorted> fields) {
    return fields.stream().map(Sorted::field).collect(Collectors.toSet());
  }

  private static Sorted sorted(JsonObject field) {
    return new Sorted(text(field, "fieldPath"), text(field, "order").equals("ASCENDING"));
  }

  private static Stream<JsonObject> elements(JsonArray array) {
    return StreamSupport.stream(array.spliterator(), false).map(JsonElement::getAsJsonObject);
  }

  private static String text(JsonObject object, String name) {
    return object.get(name).getAsString();
  }
}
