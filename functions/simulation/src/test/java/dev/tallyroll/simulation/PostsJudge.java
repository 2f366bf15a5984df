package dev.tallyroll.simulation;

import com.google.firestore.v1.Document;
import com.google.firestore.v1.Value;
import dev.tallyroll.CounterPath;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.runs.RunSettings;
import dev.tallyroll.simulation.SimulatedServer.Changed;
import dev.tallyroll.simulation.SimulatedServer.Commit;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks each commit of functions that count documents: what they write is theirs, and exact; and,
 * at the end, that nothing is left behind. Reads the server without the code that is tested.
 */
final class PostsJudge {
  /** The time for an event, a wake-up and some calls. */
  private static final Duration CALLS = Duration.ofMillis(500);

  /** A commit with fields is given up after two seconds, and may then be behind another one. */
  private static final Duration HELD_UP = Duration.ofMillis(4_500);

  private final World world;
  private final SimulatedServer server;
  private final Map<Layout, Map<Figure, FieldName>> fields;

  /** What the documents of a total were, by the path of its roll-up and the time of each change. */
  private final Map<String, NavigableMap<Instant, Map<Figure, Number>>> seen = new HashMap<>();

  /** Since when a collection has documents. */
  private final Map<String, Instant> filledSince = new HashMap<>();

  private final Map<String, Instant> postSince = new HashMap<>();

  /** Since when a roll-up lacks a change, by its path. */
  private final Map<String, Instant> lacking = new HashMap<>();

  /** The longest time for which one has, by its layout. */
  private final Map<Layout, Duration> lag = new HashMap<>();

  /** Posts whose fields the app has written, so that only another total or a sweep mends them. */
  private final Set<String> disturbed = new HashSet<>();

  PostsJudge(World world, Map<Layout, Map<Figure, FieldName>> fields) {
    this.world = world;
    this.server = world.server;
    this.fields = fields;
  }

  void disturbed(String post) {
    disturbed.add(post);
  }

  void committed(Commit commit) {
    for (Changed each : commit.changes()) {
      note(each, commit);
    }
    commit.by().ifPresent(by -> commit.changes().forEach(each -> check(by, each, commit)));
  }

  private void note(Changed each, Commit commit) {
    String path = each.path();
    for (Layout layout : fields.keySet()) {
      for (CounterPath post : posts(layout, each)) {
        List<Document> there = summed(layout, post);
        Map<Figure, Number> figures = figures(there, layout);
        String rollup = layout.rollupDocument(post);
        seen.computeIfAbsent(rollup, none -> new TreeMap<>()).put(commit.time(), figures);
        if (shown(layout, post).equals(Optional.of(figures))
            || server.document(layout.counterDocument(post)).isEmpty()) {
          lacking.remove(rollup);
        } else {
          lacking.putIfAbsent(rollup, commit.time());
        }
        if (there.isEmpty()) {
          filledSince.remove(rollup);
        } else {
          filledSince.putIfAbsent(rollup, world.time.now());
        }
      }
    }
    if (isPost(path)) {
      if (each.after().isEmpty()) {
        postSince.remove(path);
      } else if (postSince.putIfAbsent(path, world.time.now()) == null) {
        disturbed.add(path); // without its fields, until they are written
      }
    }
  }

  /** The posts that a document was summed for before a change, and is after it. */
  static Set<CounterPath> posts(Layout layout, Changed each) {
    Set<CounterPath> posts = new LinkedHashSet<>();
    for (var version : List.of(each.before(), each.after())) {
      version
          .filter(document -> fits(layout.where().all(), document))
          .flatMap(document -> post(layout, each.path(), document))
          .ifPresent(posts::add);
    }
    return posts;
  }

  /** The post that a document is about. */
  private static Optional<CounterPath> post(Layout layout, String path, Document document) {
    return layout.counterOfShard(
        path,
        field ->
            Optional.ofNullable(document.getFieldsMap().get(field.first()))
                .filter(Value::hasStringValue)
                .map(Value::getStringValue));
  }

  /** Whether fields hold what they must: numbers as numbers, and null only as itself. */
  private static boolean fits(Map<FieldName, Optional<Object>> wanted, Document document) {
    return wanted.entrySet().stream()
        .allMatch(
            each -> {
              Value found = Protos.get(document.getFieldsMap(), each.getKey().names());
              if (found == null || each.getValue().isEmpty()) {
                return found != null && found.hasNullValue();
              }
              Object there = Protos.object(found);
              return each.getValue().get() instanceof Number number
                  ? there instanceof Number other && number.doubleValue() == other.doubleValue()
                  : each.getValue().get().equals(there);
            });
  }

  /** The documents that are summed for a post. */
  private List<Document> summed(Layout layout, CounterPath post) {
    return server.list(layout.shardsCollection(post)).stream()
        .filter(document -> fits(layout.where().all(), document))
        .filter(
            document ->
                post(layout, SimulatedServer.path(document), document).equals(Optional.of(post)))
        .toList();
  }

  private static boolean isPost(String path) {
    return SimulatedServer.parent(path).equals("posts");
  }

  private static void require(boolean holds, Object what, String promise) {
    if (!holds) {
      throw new AssertionError(promise + ": " + what);
    }
  }

  private void check(Functions functions, Changed each, Commit commit) {
    String path = each.path();
    Optional<Layout> rollups = layout(functions, path);
    if (isPost(path)) {
      // A commit of functions is of one total.
      Layout by =
          commit.written().stream()
              .flatMap(written -> layout(functions, written).stream())
              .findFirst()
              .orElseThrow(() -> new AssertionError("fields without a total: " + each));
      if (fields.containsKey(by)) {
        checkPost(by, each, commit);
      } else {
        checkFirst(by, each);
      }
    } else if (rollups.isPresent()) {
      checkRollup(rollups.get(), rollups.get().counterOfRollup(path).orElseThrow(), each);
    } else {
      require(path.startsWith(functions.liveList()), each, "functions write a document of others");
    }
  }

  /** The layout of the functions that have a roll-up in a place. */
  private static Optional<Layout> layout(Functions functions, String path) {
    return functions.layouts().stream()
        .filter(layout -> layout.counterOfRollup(path).isPresent())
        .findFirst();
  }

  private void checkRollup(Layout by, CounterPath post, Changed each) {
    require(
        Stream.of(each.before(), each.after())
            .flatMap(Optional::stream)
            .allMatch(document -> ServerTotals.isMarked(document, by, post)),
        each,
        "functions write totals with their mark only");
    require(DocumentsWorld.POSTS.contains(post), each, "no total is made of a post that never was");
    if (!fields.containsKey(by)) {
      return; // those of functions with other settings, where there were none
    }
    Optional<Instant> version = each.before().map(old -> Protos.instant(old.getUpdateTime()));
    if (each.after().isEmpty()) {
      require(
          !filledSince.getOrDefault(each.path(), Instant.MAX).isBefore(version.orElseThrow()),
          each,
          "a total is removed only without documents");
      require(
          fields.get(by).isEmpty()
              || !postSince
                  .getOrDefault(by.counterDocument(post), Instant.MAX)
                  .isBefore(version.orElseThrow()),
          each,
          "a total is removed only without its post");
      return;
    }
    Document after = each.after().get();
    Map<Figure, Number> figures = figures(after);
    Instant asOf = ServerTotals.time(after, "as_of").orElse(Instant.EPOCH);
    noteLag(by, each.path(), asOf);
    var exact = seen.getOrDefault(each.path(), new TreeMap<>()).floorEntry(asOf);
    require(
        exact != null && exact.getValue().equals(figures),
        each,
        "a total is exact as of its time, " + exact);
    require(
        !Long.valueOf(0).equals(figures.get(Figure.COUNT)) || each.before().isPresent(),
        each,
        "0 is written only over a total");
  }

  private void noteLag(Layout layout, String rollup, Instant asOf) {
    Instant since = lacking.remove(rollup);
    if (since != null && asOf.isBefore(since)) {
      lacking.put(rollup, since);
    } else if (since != null) {
      Duration waited = Duration.between(since, world.time.now());
      lag.merge(layout, waited, (one, other) -> one.compareTo(other) > 0 ? one : other);
    }
  }

  /**
   * Checks, in a world without faults, that each total was shown in time: by its own entry's
   * period. A post that the app writes or locks holds its totals up for some seconds.
   */
  void checkFresh(List<Entry> entries) {
    for (Entry entry : entries) {
      Duration minute =
          entry.timing().most() == Long.MAX_VALUE ? Duration.ZERO : RunSettings.SCHEDULE;
      Duration most =
          entry
              .timing()
              .tick()
              .multipliedBy(2)
              .plus(minute)
              .plus(entry.timing().hold())
              .plus(CALLS);
      boolean isHeldUp = !entry.fields().isEmpty() && !disturbed.isEmpty();
      Duration found = lag.getOrDefault(entry.layout(), Duration.ZERO);
      require(
          !entry.hasEvents() || found.compareTo(isHeldUp ? most.plus(HELD_UP) : most) <= 0,
          entry + " was " + found + " behind",
          "a change shows within two of its periods");
    }
  }

  /** The figures of a post's documents. */
  private static Map<Figure, Number> figures(List<Document> documents, Layout layout) {
    long whole = 0;
    double fraction = 0;
    boolean isWhole = true;
    long number = 0;
    for (Document each : documents) {
      if (layout.countField().isEmpty()) {
        whole++;
        number++;
        continue;
      }
      Value stars = Protos.get(each.getFieldsMap(), layout.counted().orElseThrow().names());
      if (stars != null && stars.hasIntegerValue()) {
        number++;
        whole += stars.getIntegerValue();
      } else if (stars != null && stars.hasDoubleValue()) {
        number++;
        fraction += stars.getDoubleValue();
        isWhole = false;
      }
    }
    Map<Figure, Number> figures = new TreeMap<>();
    figures.put(Figure.SUM, isWhole ? (Number) whole : (Number) (whole + fraction));
    figures.put(Figure.COUNT, number);
    figures.put(Figure.AVERAGE, number == 0 ? 0.0 : (whole + fraction) / number);
    return figures;
  }

  /** The figures that a roll-up stands for. */
  private static Map<Figure, Number> figures(Document rollup) {
    Object count = Protos.object(rollup.getFieldsMap().getOrDefault("count", Protos.value(-1L)));
    Number total = (Number) Objects.requireNonNull(count);
    long number = rollup.getFieldsMap().getOrDefault("shards", Protos.value(-1L)).getIntegerValue();
    Map<Figure, Number> figures = new TreeMap<>();
    figures.put(Figure.SUM, total);
    figures.put(Figure.COUNT, number);
    figures.put(Figure.AVERAGE, number == 0 ? 0.0 : total.doubleValue() / number);
    return figures;
  }

  /** Functions with other settings write fields only where they were first to make a roll-up. */
  private void checkFirst(Layout by, Changed each) {
    CounterPath post = by.counterOfDocument(each.path()).orElseThrow();
    require(
        server.document(by.rollupDocument(post)).stream()
            .allMatch(rollup -> ServerTotals.isMarked(rollup, by, post)),
        each,
        "functions write fields of their own totals only");
    disturbed(each.path());
  }

  /** Functions change only their free fields of a post, to the figures of the same commit. */
  private void checkPost(Layout by, Changed each, Commit commit) {
    require(each.before().isPresent() && each.after().isPresent(), each, "a post is the app's");
    String rollup = by.rollupDocument(by.counterOfDocument(each.path()).orElseThrow());
    Document total =
        commit.changes().stream()
            .filter(change -> change.path().equals(rollup))
            .findAny()
            .flatMap(Changed::after)
            .or(() -> server.document(rollup))
            .orElseThrow(() -> new AssertionError("fields without a total: " + each));
    Map<String, Value> expected = new HashMap<>(each.before().get().getFieldsMap());
    figures(total)
        .forEach(
            (figure, number) -> {
              FieldName field = fields.getOrDefault(by, Map.of()).get(figure);
              if (field != null && isFree(each.before().get(), field)) {
                Protos.put(expected, field.names(), Protos.value(number));
              }
            });
    require(
        expected.equals(each.after().get().getFieldsMap()), each, "only the figures are written");
  }

  private static boolean isFree(Document post, FieldName field) {
    Value first = post.getFieldsMap().get(field.first());
    Value last = Protos.get(post.getFieldsMap(), field.names());
    return (field.names().size() == 1 || first == null || first.hasMapValue())
        && (last == null || last.hasIntegerValue() || last.hasDoubleValue());
  }

  /**
   * Checks that each total is right, once nothing is pending.
   *
   * @param isFound whether nothing is missed; else no sweep finds documents below a post that is
   *     not there, and has no total
   * @param isSwept whether a sweep has looked at everything since the last change
   * @param mayLag those that may still miss that the last document has gone: of two instances that
   *     poll in turn, one does not know what the other has shown
   */
  void checkTotals(
      List<Layout> deployed, boolean isFound, boolean isSwept, Predicate<Layout> mayLag) {
    for (Layout layout : deployed) {
      for (CounterPath post : DocumentsWorld.POSTS) {
        Map<Figure, Number> exact = exact(layout, post);
        Optional<Map<Figure, Number>> shown = shown(layout, post);
        boolean isEmpty = Long.valueOf(0).equals(exact.get(Figure.COUNT));
        String document = layout.counterDocument(post);
        boolean isThere = server.document(document).isPresent();
        boolean shows =
            !fields.getOrDefault(layout, Map.of()).isEmpty() || !layout.documentFields().isEmpty();
        // Without its post, a total is not made; when that has come, its next document makes it, or
        // the sweep.
        boolean waits = shows && (!isThere || (!isSwept && disturbed.contains(document)));
        boolean mayLack = waits || (!isFound && !isThere);
        require(
            (isEmpty || (mayLack && shown.isEmpty()))
                ? mayLag.test(layout) || shown.filter(total -> !total.equals(exact)).isEmpty()
                : shown.equals(Optional.of(exact)),
            layout.rollupDocument(post) + ", exact " + exact + ", shown " + shown,
            "a total is right once all events are acknowledged");
      }
    }
  }

  /** Checks the fields of posts that only the functions wrote. */
  void checkKeptFields(List<Layout> deployed, Predicate<Layout> isPolled) {
    for (Layout layout : deployed) {
      for (CounterPath post : DocumentsWorld.POSTS) {
        if (!disturbed.contains(layout.counterDocument(post)) && !isPolled.test(layout)) {
          checkFields(layout, post, "fields follow without a sweep");
        }
      }
    }
  }

  /** Checks everything, after a sweep. */
  void checkAll(List<Layout> deployed, boolean isFound) {
    checkTotals(deployed, isFound, /* isSwept= */ true, /* mayLag= */ layout -> false);
    for (Layout layout : deployed) {
      for (CounterPath post : DocumentsWorld.POSTS) {
        checkFields(layout, post, "fields are right after a sweep");
        boolean isGone =
            summed(layout, post).isEmpty()
                && server.document(layout.counterDocument(post)).isEmpty();
        require(!isGone || shown(layout, post).isEmpty(), post, "the total of a post goes with it");
      }
    }
  }

  private void checkFields(Layout layout, CounterPath post, String promise) {
    Optional<Document> own = server.document(layout.counterDocument(post));
    Optional<Map<Figure, Number>> shown = shown(layout, post);
    if (own.isEmpty() || shown.isEmpty()) {
      return;
    }
    fields
        .getOrDefault(layout, Map.of())
        .forEach(
            (figure, field) -> {
              @Nullable Value there = Protos.get(own.get().getFieldsMap(), field.names());
              require(
                  !isFree(own.get(), field)
                      || (there != null
                          && Objects.equals(Protos.object(there), shown.get().get(figure))),
                  own.get() + ", " + shown,
                  promise);
            });
  }

  private Map<Figure, Number> exact(Layout layout, CounterPath post) {
    return figures(summed(layout, post), layout);
  }

  private Optional<Map<Figure, Number>> shown(Layout layout, CounterPath post) {
    return server.document(layout.rollupDocument(post)).map(PostsJudge::figures);
  }
}
