package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.cloud.firestore.TransactionOptions;
import dev.tallyroll.SumMode;
import dev.tallyroll.Total;
import dev.tallyroll.fold.Shard;
import dev.tallyroll.fold.Shard.Leaf;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.PathPattern;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.RollupFields;
import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Times;
import dev.tallyroll.local.LocalCloudException;
import dev.tallyroll.operator.Printable;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.runs.Timing;
import dev.tallyroll.settings.FoldLayout;
import dev.tallyroll.settings.FoldSettings;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All counters in the database, or with FOLD all fields that shards have counted since the start,
 * and whether each total is right. Used by one thread.
 *
 * <p>A look costs the emulator some queries and up to {@value #SUMS_A_LOOK} sums of busy counters,
 * and as many of others; with FOLD one read of all shards and their documents.
 */
final class PageTotals {
  /** A crash of RollUp is over within a minute: a total that differs for longer is wrong. */
  static final Duration SOON = Duration.ofSeconds(75);

  private static final int SUMS_A_LOOK = 100;
  private static final int MOST_COUNTERS = 20_000;

  private static final int MOST_PATTERNS = 3;

  /** A pattern that a setting may name, and a person may paste into a shell. */
  private static final Pattern NAMEABLE = Pattern.compile("[A-Za-z0-9_{}/-]+");

  /** How many documents of a collection are looked at, to tell whether a pattern fits one. */
  private static final int MOST_LOOKED_AT = 100;

  /** On a busy machine, the emulator now and then answers UNKNOWN. */
  private static final int MOST_FAILURES = 10;

  private static final long AGAIN_MILLIS = 100;
  private static final String ANYWHERE = "{parent=**}/";

  private final Firestore firestore;
  private final Served settings;
  private final InstantSource clock;

  /** The counters, by their names. */
  private final Map<String, CounterId> counters = new TreeMap<>();

  /** The counters as they were when their shards were last summed. */
  private final Map<CounterId, State> states = new HashMap<>();

  /** Whose sum comes next. */
  private final Set<CounterId> next = new LinkedHashSet<>();

  private final Set<Field> fields = new LinkedHashSet<>();

  /** When each total was last right, by the counter's name. */
  private final Map<String, Instant> rightAt = new HashMap<>();

  private List<State> lastStates = List.of();
  private Optional<String> outside = Optional.empty();
  private int failures;

  /** Whether a total is right, wrong, or not yet shown. */
  enum Verdict {
    YES,
    NOT_YET,
    NO,
    /** With FOLD, what shards hold is left there: it is no part of the total. */
    STAYS
  }

  /**
   * A counter at the last look.
   *
   * @param counter its name, as {@link Served#name} has it; or a document and a field
   * @param total the total in its roll-up; null without a roll-up
   * @param exact the sum of its shards; null without shards; with FOLD, and what has been folded
   * @param lag seconds since its total was last right; 0 if it is right now
   * @param awaited whether a run will look at its total
   * @param held whether a hold lets its total be as it is
   */
  record State(
      String counter,
      @Nullable Number total,
      @Nullable Number exact,
      double lag,
      boolean awaited,
      boolean held,
      Verdict right) {
    /** Whether its total is as it shall be. */
    boolean isSettled() {
      return right == Verdict.YES || right == Verdict.STAYS;
    }
  }

  /** A counted field of a document. */
  private record Field(String document, FieldName name) {
    @Override
    public String toString() {
      return document + " " + name;
    }
  }

  /** What shards hold of a field, and when the oldest of them was made. */
  private record Rest(double sum, Instant since) {
    static final Rest NONE = new Rest(0, Instant.MAX);

    Rest plus(Rest other) {
      return new Rest(sum + other.sum, other.since.isBefore(since) ? other.since : since);
    }
  }

  /**
   * @param pages with FOLD, documents of the demo, which are named before they have a shard
   */
  PageTotals(Firestore firestore, Served settings, List<String> pages, InstantSource clock) {
    this.firestore = firestore;
    this.settings = settings;
    this.clock = clock;
    settings
        .fold()
        .flatMap(fold -> FoldedPage.fields(fold).findFirst())
        .ifPresent(field -> pages.forEach(page -> fields.add(new Field(page, field))));
  }

  /**
   * The counters now. If there are many, some are from an earlier look; if it fails, all are.
   *
   * @throws LocalCloudException if {@value #MOST_FAILURES} looks one after another have failed
   */
  List<State> states() throws InterruptedException {
    var unused = attempt(/* all= */ false);
    return lastStates;
  }

  /**
   * Compares all counters now, and returns them.
   *
   * @throws LocalCloudException as {@link #states} does
   */
  List<State> readAll() throws InterruptedException {
    while (!attempt(/* all= */ true)) {
      Thread.sleep(AGAIN_MILLIS);
    }
    return lastStates;
  }

  /** Returns whether the look has succeeded. */
  private boolean attempt(boolean all) throws InterruptedException {
    try {
      Optional<FoldSettings> fold = settings.fold();
      lastStates = fold.isPresent() ? fields(fold.get()) : counters(all);
      failures = 0;
      return true;
    } catch (ExecutionException e) {
      if (++failures == MOST_FAILURES) {
        throw new LocalCloudException(
            "expected Firestore to list the totals, found " + e.getCause(), e);
      }
      return false;
    }
  }

  /**
   * The advice for somebody who misses a counter; empty if there is no reason.
   *
   * @param nothingFound the advice where there is no counter at all
   */
  String advice(String nothingFound) {
    return outside.orElse(lastStates.isEmpty() ? nothingFound : "");
  }

  private List<State> counters(boolean all) throws ExecutionException, InterruptedException {
    Map<CounterId, Rollup> rollups = find();
    if (all || next.isEmpty()) {
      next.addAll(counters.values());
    }
    do {
      Set<CounterId> turn = new LinkedHashSet<>();
      counters.values().stream().filter(this::isBusy).limit(SUMS_A_LOOK).forEach(turn::add);
      next.stream().limit(SUMS_A_LOOK).forEach(turn::add);
      next.removeAll(turn);
      compare(turn, rollups);
    } while (all && !next.isEmpty());
    return sorted(states.values());
  }

  private static List<State> sorted(Collection<State> states) {
    return states.stream().sorted(Comparator.comparing(State::counter)).toList();
  }

  /** Whether its total may change soon, so that each look asks. */
  private boolean isBusy(CounterId counter) {
    State state = states.get(counter);
    return state != null && (state.awaited() || state.right() != Verdict.YES);
  }

  /** Sums the shards of some counters, and compares. A deleted counter has no state. */
  private void compare(Set<CounterId> some, Map<CounterId, Rollup> rollups)
      throws ExecutionException, InterruptedException {
    Map<CounterId, ApiFuture<Sum>> asked = new LinkedHashMap<>();
    for (CounterId counter : some) {
      var sums = new ShardSums(SumMode.AGGREGATE, counter.layout().counted());
      asked.put(counter, sums.sum(counter.conditions().of(firestore.collection(counter.shards()))));
    }
    for (var each : asked.entrySet()) {
      CounterId counter = each.getKey();
      Sum sum = each.getValue().get();
      Rollup rollup = rollups.get(counter);
      if (sum.shards() == 0 && rollup == null) {
        states.remove(counter);
      } else {
        states.put(counter, state(counter, Optional.ofNullable(rollup), sum));
      }
    }
  }

  private State state(CounterId counter, Optional<Rollup> rollup, Sum sum) {
    Entry entry = counter.entry();
    Number total =
        rollup.map(Rollup::total).filter(Total::isUsable).map(Total::number).orElse(null);
    // A post whose last like has gone has a roll-up of 0.
    boolean emptied = sum.shards() == 0 && rollup.map(Rollup::isEmptied).orElse(false);
    Number exact = sum.shards() == 0 && !emptied ? null : sum.total().number();
    boolean live = rollup.flatMap(Rollup::liveUntil).isPresent();
    Instant asOf = rollup.map(Rollup::asOf).orElse(Instant.EPOCH);
    boolean right =
        total == null
            ? exact == null
            : exact != null
                && total.doubleValue() == exact.doubleValue()
                && isNumber(entry, rollup, sum);
    boolean held =
        !right && (live || !entry.hasEvents()) && isHeld(counter.timing(), total, exact, asOf);
    return judge(settings.name(counter), total, exact, right, asOf, live, !entry.hasEvents(), held);
  }

  /** Whether a roll-up has the number of people's documents; that of shards is nobody's concern. */
  private static boolean isNumber(Entry entry, Optional<Rollup> rollup, Sum sum) {
    return entry.looksLikeShardedCounter()
        || rollup.filter(shown -> shown.shards() == sum.shards()).isPresent();
  }

  /** Whether a hold lets a total that has changed by so little be shown later. */
  private boolean isHeld(
      Timing timing, @Nullable Number total, @Nullable Number exact, Instant asOf) {
    if (!timing.holds() || total == null || exact == null) {
      return false;
    }
    double shown = total.doubleValue();
    return Math.abs(exact.doubleValue() - shown) < timing.precision() * Math.abs(shown)
        && clock.instant().isBefore(asOf.plus(timing.hold()).plus(SOON));
  }

  /**
   * @param since a time at which the total was still right, if it is not any more
   */
  private State judge(
      String name,
      @Nullable Number total,
      @Nullable Number exact,
      boolean right,
      Instant since,
      boolean live,
      boolean polled,
      boolean held) {
    Instant now = clock.instant();
    Instant before = rightAt.getOrDefault(name, now);
    Instant last = right ? now : since.isAfter(before) ? since : before;
    rightAt.put(name, last);
    Duration behind = Duration.between(last, now);
    Verdict verdict =
        right ? Verdict.YES : behind.compareTo(SOON) > 0 && !held ? Verdict.NO : Verdict.NOT_YET;
    boolean awaited = live || (polled && verdict == Verdict.NOT_YET);
    return new State(name, total, exact, behind.toMillis() / 1e3, awaited, held, verdict);
  }

  private Map<CounterId, Rollup> find() throws ExecutionException, InterruptedException {
    outside = Optional.empty();
    Map<CounterId, Rollup> found = new HashMap<>();
    // A document may be a counter of several entries; each collection is listed once.
    Map<String, ApiFuture<QuerySnapshot>> listed = new LinkedHashMap<>();
    for (Entry entry : settings.entries()) {
      listed.computeIfAbsent(entry.layout().countersCollection(), this::list);
      listed.computeIfAbsent(entry.layout().rollups(), this::list);
    }
    for (Entry entry : settings.entries()) {
      Layout layout = entry.layout();
      for (QueryDocumentSnapshot document : listed(listed, layout.countersCollection())) {
        String path = document.getReference().getPath();
        if (entry.counterOfDocument(path).map(this::known).isEmpty()
            && settings.entries().stream()
                .allMatch(other -> other.counterOfDocument(path).isEmpty())) {
          outside = Optional.of(advice(entry, path));
        }
      }
      for (QueryDocumentSnapshot rollup : listed(listed, layout.rollups())) {
        // A document without its total's mark belongs to somebody else.
        if (rollup.get(RollupFields.COUNTER) instanceof String path) {
          entry
              .counterOfDocument(path)
              .map(this::known)
              .filter(counter -> counter.rollup().equals(rollup.getReference().getPath()))
              .ifPresent(
                  counter ->
                      RollupFields.decode(rollup, counter.mark())
                          .filter(decoded -> !decoded.isForeign())
                          .ifPresent(decoded -> found.put(counter, decoded)));
        }
      }
    }
    return found;
  }

  private ApiFuture<QuerySnapshot> list(String collection) {
    return firestore.collectionGroup(collection).limit(MOST_COUNTERS).get();
  }

  private static List<QueryDocumentSnapshot> listed(
      Map<String, ApiFuture<QuerySnapshot>> listed, String collection)
      throws ExecutionException, InterruptedException {
    return Objects.requireNonNull(listed.get(collection)).get().getDocuments();
  }

  private static String advice(Entry entry, String path) {
    Layout layout = entry.layout();
    String counts =
        "%s does not count: \"%s\" is of %s."
            .formatted(Printable.of(path), entry.name(), layout.of());
    return layout.isBelow()
        ? "%s To count there, too, write \"of\": \"%s\"."
            .formatted(counts, layout.in(ANYWHERE + layout.countersCollection()).of())
        : counts;
  }

  /** The same counter as at an earlier look. */
  private CounterId known(CounterId counter) {
    return counters.computeIfAbsent(settings.name(counter), name -> counter);
  }

  /** Reads documents and shards at one moment, so that a fold changes no sum. */
  private List<State> fields(FoldSettings fold) throws ExecutionException, InterruptedException {
    return firestore
        .runTransaction(
            transaction -> {
              var query = firestore.collectionGroup(fold.layout().shards());
              Map<Field, Rest> waiting = waiting(fold.layout(), transaction.get(query).get());
              var documents =
                  fields.stream()
                      .map(Field::document)
                      .distinct()
                      .map(firestore::document)
                      .toArray(DocumentReference[]::new);
              Map<String, DocumentSnapshot> found = new HashMap<>();
              if (documents.length > 0) {
                for (DocumentSnapshot document : transaction.getAll(documents).get()) {
                  found.put(document.getReference().getPath(), document);
                }
              }
              List<State> states = new ArrayList<>();
              for (Field field : fields) {
                DocumentSnapshot document = Objects.requireNonNull(found.get(field.document()));
                Object value = document.get(field.name().path());
                Rest rest = waiting.getOrDefault(field, Rest.NONE);
                boolean wanted = fold.fields().isEmpty() || fold.fields().contains(field.name());
                states.add(field(field, value, rest, wanted));
              }
              return sorted(states);
            },
            TransactionOptions.createReadOnlyOptionsBuilder().build())
        .get();
  }

  private State field(Field field, @Nullable Object value, Rest rest, boolean wanted) {
    Number total = value instanceof Number number ? number : null;
    if (rest.sum() != 0 && (!wanted || (value != null && total == null))) {
      return new State(field.toString(), total, number(rest.sum()), 0, false, false, Verdict.STAYS);
    }
    boolean right = rest.sum() == 0;
    return judge(
        field.toString(),
        total,
        number((total == null ? 0 : total.doubleValue()) + rest.sum()),
        right,
        rest.since(),
        /* live= */ !right,
        /* polled= */ false,
        /* held= */ false);
  }

  private static Number number(double value) {
    return value == Math.rint(value) ? (Number) (long) value : (Number) value;
  }

  private Map<Field, Rest> waiting(FoldLayout layout, Iterable<QueryDocumentSnapshot> shards)
      throws ExecutionException, InterruptedException {
    Map<Field, Rest> waiting = new HashMap<>();
    Set<String> elsewhere = new TreeSet<>();
    for (QueryDocumentSnapshot shard : shards) {
      String document =
          Optional.ofNullable(shard.getReference().getParent().getParent()).orElseThrow().getPath();
      if (layout.holds(document)) {
        Instant made = Times.instant(shard.getCreateTime());
        for (Leaf leaf : new Shard(shard.getId(), made, shard.getData()).leaves()) {
          leaf.number()
              .map(number -> new Rest(number.doubleValue(), made))
              .ifPresent(rest -> waiting.merge(new Field(document, leaf.path()), rest, Rest::plus));
        }
      } else {
        elsewhere.add(pattern(document));
      }
    }
    fields.addAll(waiting.keySet());
    outside = elsewhere.isEmpty() ? Optional.empty() : Optional.of(advice(layout, elsewhere));
    return waiting;
  }

  /** Proposes the patterns of documents that the data has: of those that are named, and others. */
  private String advice(FoldLayout layout, Set<String> elsewhere)
      throws ExecutionException, InterruptedException {
    String nameable = some(elsewhere.stream().filter(NAMEABLE.asMatchPredicate()));
    String lie =
        "Shards lie below %s, FOLD_DOCUMENTS names %s. "
            .formatted(Printable.of(some(elsewhere.stream())), Served.words(layout.documents()));
    if (nameable.isEmpty()) {
      return lie + "A setting names only collections of letters, digits, _ and -.";
    }
    List<PathPattern> had = new ArrayList<>();
    for (PathPattern pattern : layout.documents()) {
      if (hasDocument(pattern)) {
        had.add(pattern);
      }
    }
    return lie
        + "To fold them%s, start with FOLD_DOCUMENTS='%s'."
            .formatted(
                had.isEmpty() ? "" : ", too",
                had.isEmpty() ? nameable : Served.words(had) + " " + nameable);
  }

  private static String some(Stream<String> patterns) {
    return patterns.limit(MOST_PATTERNS).collect(Collectors.joining(" "));
  }

  /** Whether a document fits that is there, or that has had shards. */
  private boolean hasDocument(PathPattern pattern) throws ExecutionException, InterruptedException {
    List<String> parts = pattern.parts();
    var some =
        firestore
            .collectionGroup(parts.get(parts.size() - 2))
            .select(FieldPath.documentId())
            .limit(MOST_LOOKED_AT);
    return Stream.concat(
            fields.stream().map(Field::document),
            some.get().get().getDocuments().stream()
                .map(document -> document.getReference().getPath()))
        .anyMatch(document -> pattern.fits(List.of(document.split("/", -1))));
  }

  /** A pattern that a document fits: posts/{post} for posts/p1. */
  private static String pattern(String document) {
    String[] parts = document.split("/", -1);
    Set<String> variables = new HashSet<>();
    for (int i = 1; i < parts.length; i += 2) {
      String name = parts[i - 1].replaceAll("[^A-Za-z0-9_]", "_").replaceFirst("s$", "");
      name = name.matches("[A-Za-z_].*") ? name : "id" + name;
      parts[i] = "{" + (variables.add(name) ? name : name + i) + "}";
    }
    return String.join("/", parts);
  }
}
