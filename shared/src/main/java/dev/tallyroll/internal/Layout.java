package dev.tallyroll.internal;

import com.google.common.hash.Hashing;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.ids.Names;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where the counters of one kind, what they sum, and their roll-ups are stored; and where run
 * documents are. No other class knows.
 *
 * <p>No path that the functions write can be the path of a shard, because the four collection names
 * differ: so the write of a roll-up makes no event. The fields beside it may make one, for an entry
 * that sums them.
 *
 * @param of the collections whose documents are summed, the shards: a path pattern such as {@code
 *     posts/{post}/likes}, or {@code {parent=**}/counters/{counter}/shards} for counters under any
 *     parent
 * @param document the documents that totals are of, the counters' own: a path pattern with the
 *     variables of {@code of}, such as {@code posts/{post}}; any other variable is a field of a
 *     shard, whose text is the id: {@code teams/{teamId}}
 * @param rollups collection of the roll-ups, beside these documents
 * @param countField the field of a shard that is summed, with dots between the names on the way to
 *     it; empty if each document in the collection of shards counts one
 * @param where what a shard must hold to be one
 */
public record Layout(
    String of, String document, String rollups, String countField, Conditions where) {
  /** The collection of the functions' own documents, at the root. */
  public static final String RUNS = "rollup_runs";

  private static final String ANYWHERE = "{parent=**}/";

  /** The live list's collection, below a document of ours. */
  private static final String LIVE = "live";

  /** 128 bits: two counters never share an entry. */
  private static final int LIVE_ID_DIGITS = 32;

  /** The longest id of a shard that the library adds to. */
  private static final String LAST_SHARD = "9999";

  /** The collection, below a counter, of the names of its named increments. */
  public static final String INCREMENT_NAMES = "increment_names";

  /** The names of Google's page on distributed counters, and ours. */
  public static final Layout DEFAULT =
      new Layout(ANYWHERE + "counters/{counter}/shards", "rollups", "count");

  /** The name of a deployment that has no other. */
  public static final String DEPLOYMENT = "tallyroll";

  /**
   * @throws IllegalArgumentException if Firestore would refuse a name, if two collections share
   *     one, or if a pattern is invalid
   */
  public Layout {
    requireDocument(document);
    Names.requireId("shards collection", last(of));
    if (!above(of).equals(document)) {
      requireVariables(PathPattern.of(of), PathPattern.of(document));
    }
    Names.requireId("rollups collection", rollups);
    for (String name : countField.isEmpty() ? List.<String>of() : FieldName.split(countField)) {
      Names.requireId("counted field", name);
    }
    String counters = last(above(document));
    String shards = last(of);
    boolean areBelowNamesake = above(of).equals(document) && counters.equals(shards);
    if (areBelowNamesake
        || !areDifferent(counters, rollups, RUNS, LIVE)
        || !areDifferent(shards, rollups, RUNS, LIVE)) {
      throw new IllegalArgumentException(
          "collections: expected three different names, none of them '%s' or '%s'; found %s"
              .formatted(RUNS, LIVE, List.of(counters, shards, rollups)));
    }
    if (isInside(document) || isInside(of)) {
      throw new IllegalArgumentException(
          "counters: expected counters outside of " + RUNS + "; found '" + of + "'");
    }
  }

  /**
   * A layout whose totals are of the documents above the collections that are summed.
   *
   * @throws IllegalArgumentException as above
   */
  public Layout(String of, String rollups, String countField) {
    this(of, above(of), rollups, countField);
  }

  /**
   * A layout without conditions.
   *
   * @throws IllegalArgumentException as above
   */
  public Layout(String of, String document, String rollups, String countField) {
    this(of, document, rollups, countField, Conditions.NONE);
  }

  private static boolean areDifferent(String... names) {
    return new HashSet<>(List.of(names)).size() == names.length;
  }

  private static boolean isInside(String path) {
    return path.startsWith(RUNS + "/");
  }

  private static void requireDocument(String pattern) {
    boolean anywhere = pattern.startsWith(ANYWHERE);
    PathPattern path = PathPattern.of(anywhere ? pattern.substring(ANYWHERE.length()) : pattern);
    int size = path.parts().size();
    if (size % 2 != 0
        || (anywhere && (size > 2 || !path.endsInVariable()))
        || !path.isSound("document")) {
      throw new IllegalArgumentException(
          "document: expected the path of a document, such as rooms/{room}/counters/{counter} or"
              + " {parent=**}/counters/{counter}, each variable once; found '"
              + pattern
              + "'");
    }
  }

  private static void requireVariables(PathPattern of, PathPattern document) {
    boolean isCollection = of.parts().size() % 2 != 0 && of.isSound("of");
    if (!isCollection || !document.variables().containsAll(of.variables())) {
      throw new IllegalArgumentException(
          "document: expected the variables of a collection's path, '%s', each once; found '%s'"
              .formatted(of, document));
    }
  }

  /**
   * The pattern of the shards' paths, which their trigger watches. A trigger's pattern cannot
   * change, so whoever renames a variable keeps it: the last one is {@code counter}, and those
   * before it are numbered.
   */
  public String trigger() {
    List<String> parts = new ArrayList<>(split(of));
    int last = parts.size() - 2;
    for (int i = 0; i <= last; i++) {
      if (parts.get(i).matches("\\{\\w+}")) {
        parts.set(i, i == last ? "{counter}" : "{id" + i / 2 + "}");
      }
    }
    return String.join("/", parts) + "/{shard}";
  }

  /** Whether shards are below the documents that totals are of. */
  public boolean isBelow() {
    return document.equals(above(of));
  }

  /** The collections of the documents that totals are of, as a pattern. */
  public String counters() {
    return above(document);
  }

  /** The collections of the roll-ups, as a pattern. */
  public String allRollups() {
    String counters = counters();
    return counters.substring(0, counters.lastIndexOf('/') + 1) + rollups;
  }

  /** The name of the collections of shards. */
  public String shards() {
    return last(of);
  }

  /**
   * The collections of the documents that shards are below, as a pattern; empty for shards at the
   * root.
   */
  public String owners() {
    return above(above(of));
  }

  /** The field whose numbers are added; empty if documents are counted. */
  public Optional<FieldName> counted() {
    return countField.isEmpty() ? Optional.empty() : Optional.of(FieldName.parse(countField));
  }

  /** What each total is of. */
  public String totalOf() {
    Optional<String> elsewhere = isBelow() ? Optional.empty() : Optional.of(document);
    return new TotalOf(of, counted(), where.all(), elsewhere).toString();
  }

  /** The fields of a shard whose texts are parts of the document's path, by their variables. */
  public Map<String, FieldName> documentFields() {
    if (isBelow()) {
      return Map.of();
    }
    Set<String> others = PathPattern.of(of).variables();
    return PathPattern.of(document).variables().stream()
        .filter(variable -> !others.contains(variable))
        .collect(
            Collectors.toUnmodifiableMap(
                variable -> variable,
                variable -> FieldName.parse(variable.substring(1, variable.length() - 1))));
  }

  /** The fields of a shard that say whether, and of what, it is one. */
  public Set<FieldName> choosing() {
    return Stream.concat(where.all().keySet().stream(), documentFields().values().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** The one counter, if the document's path has no variable. */
  public Optional<CounterPath> only() {
    PathPattern path = PathPattern.of(document);
    return isAnywhere() || !path.variables().isEmpty()
        ? Optional.empty()
        : Optional.of(new CounterPath(above(counters()), last(document)));
  }

  /** All fields of a shard that the functions read. */
  public Set<FieldName> read() {
    return Stream.concat(counted().stream(), choosing().stream())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** What the fields of a counter's shards hold. */
  public Conditions conditions(CounterPath counter) {
    Map<String, FieldName> fields = documentFields();
    if (fields.isEmpty()) {
      return where;
    }
    Map<String, String> ids =
        PathPattern.of(document).variables(split(counterDocument(counter))).orElseThrow();
    Map<FieldName, Optional<Object>> all = new HashMap<>(where.all());
    fields.forEach((variable, field) -> all.put(field, Optional.ofNullable(ids.get(variable))));
    return new Conditions(all);
  }

  /** The same names below counters in another place. */
  public Layout in(String otherCounters) {
    String other = otherCounters + of.substring(owners().length());
    return new Layout(other, above(other), rollups, countField, where);
  }

  /** The counters' collection: the last part of the pattern. */
  public String countersCollection() {
    return last(counters());
  }

  /**
   * Path of the counter's own document.
   *
   * @throws IllegalArgumentException if the layout has no counters there, or if the path of a shard
   *     or of the roll-up is too long for a request
   */
  public String counterDocument(CounterPath counter) {
    if (!holds(counter.parent())) {
      throw Names.refusal(
          "parent of the counter",
          "one of %s, outside of %s".formatted(counters(), RUNS),
          counter.parent());
    }
    String path = beside(counter, countersCollection());
    if (!hasId(counter.id())) {
      throw Names.refusal("id of the counter", last(document), counter.id());
    }
    Names.requireRequestPath("shard of the counter", shardsCollection(path) + "/" + LAST_SHARD);
    Names.requirePath("roll-up of the counter", rollupDocument(counter));
    return path;
  }

  /** Path of the collection that holds the counter's shards. */
  public String shardsCollection(CounterPath counter) {
    return shardsCollection(counterDocument(counter));
  }

  private String shardsCollection(String counterDocument) {
    return isBelow()
        ? counterDocument + "/" + shards()
        : PathPattern.of(of)
            .with(PathPattern.of(document).variables(split(counterDocument)).orElseThrow());
  }

  /** Path of the counter's roll-up document. */
  public String rollupDocument(CounterPath counter) {
    return beside(counter, rollups);
  }

  private static String beside(CounterPath counter, String collection) {
    String path = collection + "/" + counter.id();
    return counter.parent().isEmpty() ? path : counter.parent() + "/" + path;
  }

  /**
   * Path of the run document of a job, which says which instance does it now. A job is a worker's
   * number, or the sweep of an entry. The document is in the live list, and its id sorts after all
   * ids of entries, which are hexadecimal.
   */
  public static String runDocument(String deployment, String job) {
    return liveList(deployment) + "/run-" + job;
  }

  /** Path of a deployment's live list, with an entry for each counter that holds a lease. */
  public static String liveList(String deployment) {
    return RUNS + "/" + deployment + "/" + LIVE;
  }

  /** Id of a counter's entry, which is about the lease in its roll-up. */
  public String liveId(CounterPath counter) {
    return liveId(rollupDocument(counter));
  }

  /**
   * Id of the entry about a document: a hash of its path, in hexadecimal, so that entries spread
   * evenly.
   */
  public static String liveId(String document) {
    return Hashing.sha256()
        .hashString(document, StandardCharsets.UTF_8)
        .toString()
        .substring(0, LIVE_ID_DIGITS);
  }

  /**
   * Path of the document that all counters are nested in; the empty path for counters at the root;
   * no path if the pattern has a variable, since then only a collection group holds all counters.
   */
  public Optional<String> singleParent() {
    String counters = counters();
    return fixedStart().length() < counters.length()
        ? Optional.empty()
        : Optional.of(above(counters));
  }

  /** The collection that the pattern's first variable is in; empty if it begins with one. */
  public String fixedStart() {
    return isAnywhere() ? "" : PathPattern.of(counters()).start();
  }

  /** Whether a path is one of a document in the collections that are summed. */
  public boolean isOfShard(String documentPath) {
    List<String> ids = split(documentPath);
    return documentFields().isEmpty()
        ? counterOfShard(documentPath).isPresent()
        : PathPattern.of(of).fits(ids.subList(0, ids.size() - 1));
  }

  /**
   * The counter that a shard's path belongs to; empty if it is not a shard's path, or if fields of
   * the shard say which.
   */
  public Optional<CounterPath> counterOfShard(String documentPath) {
    return counterOfShard(documentPath, field -> Optional.empty());
  }

  /**
   * The counter that a shard belongs to, whatever the conditions; empty if it is not a shard's
   * path, or if a field holds no id.
   *
   * @param texts what fields of the shard hold, if that is a text
   */
  public Optional<CounterPath> counterOfShard(
      String documentPath, Function<FieldName, Optional<String>> texts) {
    List<String> ids = split(documentPath);
    int size = ids.size();
    if (size % 2 != 0 || !ids.get(size - 2).equals(shards())) {
      return Optional.empty();
    }
    if (isBelow()) {
      return counter(ids.subList(0, size - 2), countersCollection());
    }
    Optional<Map<String, String>> found = PathPattern.of(of).variables(ids.subList(0, size - 1));
    if (found.isEmpty()) {
      return Optional.empty();
    }
    Map<String, String> all = new HashMap<>(found.get());
    for (var field : documentFields().entrySet()) {
      Optional<String> id = texts.apply(field.getValue()).filter(Names::isDocumentId);
      if (id.isEmpty()) {
        return Optional.empty();
      }
      all.put(field.getKey(), id.get());
    }
    return counterOfDocument(PathPattern.of(document).with(all));
  }

  /**
   * Whether a shard may be one of those that counters are spread over, by its id, and is no
   * document of a user's: these have other ids, or count one each.
   */
  public boolean isNumbered(String shard) {
    return !countField.isEmpty() && shard.matches("[0-9]{1,4}");
  }

  /** The counter that a roll-up's path belongs to; empty if it is not a roll-up's path. */
  public Optional<CounterPath> counterOfRollup(String documentPath) {
    return counter(split(documentPath), rollups);
  }

  /** The counter of a counter document's path; empty if it is not one. */
  public Optional<CounterPath> counterOfDocument(String documentPath) {
    return counter(split(documentPath), countersCollection());
  }

  private Optional<CounterPath> counter(List<String> ids, String collection) {
    int size = ids.size();
    if (size < 2 || size % 2 != 0 || !ids.get(size - 2).equals(collection)) {
      return Optional.empty();
    }
    String parent = String.join("/", ids.subList(0, size - 2));
    if (!holds(parent) || !hasId(ids.get(size - 1))) {
      return Optional.empty();
    }
    try {
      CounterPath counter = new CounterPath(parent, ids.get(size - 1));
      counterDocument(counter);
      return Optional.of(counter);
    } catch (IllegalArgumentException invalid) {
      return Optional.empty();
    }
  }

  /**
   * Whether the pattern allows counters under this parent: compares part by part. Below the
   * functions' own documents, there is none.
   */
  private boolean holds(String parent) {
    if (isAnywhere()) {
      return !isInside(parent);
    }
    List<String> parts = split(counters());
    PathPattern parents = new PathPattern(parts.subList(0, parts.size() - 1));
    return parents.fits(parent.isEmpty() ? List.of() : split(parent));
  }

  /** Whether the pattern allows a counter of this id. */
  private boolean hasId(String id) {
    String pattern = last(document);
    return pattern.equals(id) || pattern.matches("\\{\\w+}");
  }

  private boolean isAnywhere() {
    return document.startsWith(ANYWHERE);
  }

  /** The path above the last part of one; the empty path above a root collection. */
  private static String above(String path) {
    return path.substring(0, Math.max(0, path.lastIndexOf('/')));
  }

  private static String last(String pattern) {
    return pattern.substring(pattern.lastIndexOf('/') + 1);
  }

  private static List<String> split(String path) {
    return Arrays.asList(path.split("/", -1));
  }
}
