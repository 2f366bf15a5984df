package dev.tallyroll.protocol;

import dev.tallyroll.Total;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.FieldPlace;
import dev.tallyroll.internal.Recent;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.internal.Sum.Remains;
import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.StructuredLog;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A writer around the writer of roll-ups: writes the figures that an entry names into fields of the
 * counter's own document as well, in the same commit as its roll-up: so the fields are as exact,
 * and never go back. The document is the app's: this never creates it, and replaces only numbers. A
 * counter without a document has only a roll-up; and a field in whose place the document holds
 * something else, or on the way to it, is left alone, without the others.
 *
 * <p>The commit names the version of the document that this has seen: of its own last commit, or of
 * a read. So whatever the app writes meanwhile makes Firestore refuse the commit, and is looked at.
 * If the document still has that version, Firestore had another reason, such as a lock, and the
 * commit is sent once more.
 *
 * <p>Counters of several entries may have one document. They take turns at it, and each knows its
 * version from the commits of the others, so none is refused for another's sake. What is in the way
 * of a counter's fields is known only while no version is somebody else's: then they are read
 * again.
 *
 * <p>No roll-up is made for a counter without a document: whoever may write its shards could else
 * make as many as he likes. The first write after the document has come makes it, or the sweep.
 *
 * <p>A number that is not the counter's last one may be somebody's: the log keeps it before it is
 * replaced, as a warning if no lease explains it.
 *
 * <p>The fields hold up nothing. After two reads and refusals, or if a call takes two seconds,
 * since a transaction of the app's locks the document, the roll-up is written alone, so that
 * somebody comes back to the fields ({@link Change#retryFieldsLater}). The call that took too long
 * may still be carried out: both name the same version of the roll-up, so only one of them is.
 *
 * <p>Not thread-safe: for the event loop only.
 */
public final class TotalFields implements RollupStore {
  /** How long fields that cannot be written are left alone without another look. */
  private static final Duration BELIEVED = Duration.ofMinutes(1);

  /** What a counter without a roll-up shows. */
  private static final Sum NOTHING = new Sum(new Total.Whole(0), 0, Times.LONG_AGO);

  /**
   * How often the document is read for one commit, at most: another instance may commit to it at
   * the same moment, with the figures of another entry.
   */
  private static final int READS = 2;

  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final int CAPACITY = 10_000;

  private final RollupStore rollups;
  private final DocumentCalls documents;
  private final EventLoop loop;
  private final Reports reports;

  /** What this instance's last commit of both has left. */
  private final Map<CounterId, LastCommit> last = Recent.entries(CAPACITY);

  /** What this instance knows of documents, by their paths. */
  private final Map<String, KnownDocument> known = Recent.entries(CAPACITY);

  /** The last of those that wait for their turn at a document, or have it. */
  private final Map<String, CompletableFuture<?>> turns = new HashMap<>();

  /** When a call for a document last took too long. */
  private final Map<String, Instant> slow = Recent.entries(CAPACITY);

  /** Until when a counter's fields are left alone. */
  private final Map<CounterId, Instant> leftUntil = Recent.entries(CAPACITY);

  /** The calls of Firestore for counters' documents. */
  public interface DocumentCalls {
    /**
     * Writes the roll-up, as {@link RollupStore#write}, and fields, which costs one write more. If
     * the future is cancelled, the call may still take effect.
     *
     * @param place the commit is refused if the document has another version
     * @return empty if the commit was refused; without a version of the document if that has no
     *     room for the fields, and only the roll-up was written
     */
    CompletableFuture<Optional<Versions>> commit(
        CounterId counter, Change change, FreeFields place);

    /** Looks at the fields. Costs one read. */
    CompletableFuture<FieldValues> find(CounterId counter);
  }

  /**
   * The version of a document, and the fields that can be written there.
   *
   * @param free at least one
   */
  public record FreeFields(Instant version, Set<Figure> free) {}

  /**
   * The update times that a commit leaves.
   *
   * @param document empty if only the roll-up was written
   */
  public record Versions(Instant rollup, Optional<Instant> document) {}

  /**
   * A counter after a commit of this instance.
   *
   * @param rollup the roll-up's version
   * @param free the fields that could be written
   * @param read the version of the document that was read then
   */
  private record LastCommit(Instant rollup, Set<Figure> free, Instant read) {}

  /**
   * A document after a read or a commit of this instance.
   *
   * @param read the last version that was read; each one since is of a commit of this instance
   * @param isAlone whether nobody else had written the document since the commit before
   */
  private record KnownDocument(Instant version, Instant read, boolean isAlone) {}

  /**
   * The fields of a document, as they were read.
   *
   * @param version of the document; empty if there is none
   * @param numbers those that are there
   * @param obstacles something else that is there, or on the way; it must stay
   */
  public record FieldValues(
      Optional<Instant> version, Map<Figure, Total> numbers, Map<Figure, String> obstacles) {
    /** There is no document. */
    public static final FieldValues MISSING = new FieldValues(Optional.empty(), Map.of(), Map.of());

    /** The fields of a document that is there. */
    public static FieldValues of(
        Instant version, Map<String, ?> document, Map<Figure, FieldName> names) {
      Map<Figure, Total> numbers = new EnumMap<>(Figure.class);
      Map<Figure, String> obstacles = new EnumMap<>(Figure.class);
      names.forEach(
          (figure, name) -> {
            FieldPlace place = FieldPlace.in(document, name);
            place.number().ifPresent(number -> numbers.put(figure, Total.of(number)));
            place.obstacle().ifPresent(found -> obstacles.put(figure, found));
          });
      return new FieldValues(Optional.of(version), numbers, obstacles);
    }
  }

  /**
   * @param log gets an error, once a minute, for each field that something else is in
   */
  public TotalFields(
      RollupStore rollups, DocumentCalls documents, EventLoop loop, StructuredLog log) {
    this.rollups = rollups;
    this.documents = documents;
    this.loop = loop;
    this.reports = new Reports(log);
  }

  @Override
  public CompletableFuture<Reading> read(CounterId counter) {
    return rollups.read(counter);
  }

  /**
   * Writes a roll-up, and the fields of the counter's document that have a place for it: one write
   * more, if its entry has any. It costs a read, too, if this instance's last commit is not the
   * roll-up's last, and one or two if somebody else writes the document, too. If no field can be
   * written, it costs this once a minute, and else only the roll-up's write.
   *
   * <p>A total of 0 stands for a document that was seen: if it has gone, this is refused. A new
   * roll-up without a document is not made, which costs a read.
   */
  @Override
  public CompletableFuture<Optional<Written>> write(CounterId counter, Change change) {
    boolean makes = change.effect() == Change.Effect.CREATE;
    boolean mustLook = isForDocument(change) || makes;
    boolean concernsDocument =
        makes ? counter.entry().needsDocument() : !counter.entry().fields().isEmpty();
    if (!concernsDocument || change.sum().isEmpty() || (isLeftAlone(counter) && !mustLook)) {
      return rollups.write(counter, change);
    }
    Instant asked = loop.instant();
    return inTurn(
        counter.document(),
        () ->
            slow.getOrDefault(counter.document(), Times.LONG_AGO).isAfter(asked)
                ? unseen(counter, change) // another has waited long enough
                : known(counter, change)
                    .map(place -> commit(counter, change, place, READS))
                    .orElseGet(() -> readAndCommit(counter, change, Optional.empty(), READS)));
  }

  private <T> CompletableFuture<T> inTurn(String document, Supplier<CompletableFuture<T>> work) {
    CompletableFuture<?> before = turns.get(document);
    CompletableFuture<T> mine =
        before == null
            ? work.get()
            : before.handle((done, failure) -> null).thenCompose(none -> work.get());
    if (!mine.isDone()) {
      turns.put(document, mine);
      var unused = mine.whenComplete((done, failure) -> turns.remove(document, mine));
    }
    return mine;
  }

  private static boolean isForDocument(Change change) {
    return change.sum().filter(sum -> sum.remains() == Remains.OWN_DOCUMENT).isPresent();
  }

  private boolean isLeftAlone(CounterId counter) {
    return loop.instant().isBefore(leftUntil.getOrDefault(counter, Times.LONG_AGO));
  }

  /**
   * Whoever has written the roll-up since has written the document, too. If somebody else writes
   * the document all the time, such as the app or another instance, it is read first.
   */
  private Optional<FreeFields> known(CounterId counter, Change change) {
    LastCommit kept = last.get(counter);
    KnownDocument document = known.get(counter.document());
    if (kept == null
        || document == null
        || !document.isAlone()
        || !kept.read().equals(document.read())
        || !change.expected().equals(Optional.of(kept.rollup()))) {
      return Optional.empty();
    }
    return Optional.of(new FreeFields(document.version(), kept.free()));
  }

  /** Notes a version that was read. */
  private void saw(String document, Instant version) {
    KnownDocument before = known.get(document);
    if (before != null && before.version().equals(version)) {
      known.put(document, new KnownDocument(version, before.read(), /* isAlone= */ true));
    } else {
      boolean hasCommitted = before != null && !before.version().equals(before.read());
      boolean wasAlone = before == null || before.isAlone();
      known.put(document, new KnownDocument(version, version, wasAlone && !hasCommitted));
    }
  }

  private CompletableFuture<Optional<Written>> readAndCommit(
      CounterId counter, Change change, Optional<Instant> refused, int left) {
    return inTime(counter, documents.find(counter))
        .thenCompose(
            answer ->
                answer
                    .map(found -> commit(counter, change, found, refused, left - 1))
                    .orElseGet(() -> unseen(counter, change)));
  }

  private CompletableFuture<Optional<Written>> commit(
      CounterId counter, Change change, FieldValues found, Optional<Instant> refused, int left) {
    found.version().ifPresent(version -> saw(counter.document(), version));
    if (found.version().isEmpty() && change.effect() == Change.Effect.CREATE) {
      return CompletableFuture.completedFuture(Optional.of(Written.NOTHING));
    }
    Optional<FreeFields> place = place(counter, found);
    if (found.version().isEmpty() && isForDocument(change)) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    if (place.isEmpty()) {
      return rollups.write(counter, change);
    }
    if (shows(found, place.get().free(), change.sum().orElseThrow())) {
      return writeAlone(counter, change, place.get());
    }
    if (found.version().equals(refused)) {
      return commit(counter, change, place.get(), /* left= */ 0);
    }
    place.get().free().forEach(figure -> tellOfReplaced(counter, change, figure, found));
    return commit(counter, change, place.get(), left);
  }

  private static boolean shows(FieldValues found, Set<Figure> free, Sum sum) {
    return free.stream().allMatch(figure -> figure.of(sum).equals(found.numbers().get(figure)));
  }

  /** The fields are right already: a write less. */
  private CompletableFuture<Optional<Written>> writeAlone(
      CounterId counter, Change change, FreeFields place) {
    return rollups
        .write(counter, change)
        .thenApply(
            done -> {
              done.flatMap(Written::version)
                  .ifPresent(version -> keep(counter, version, place.free()));
              return done;
            });
  }

  /** Where fields can be written, if they can. */
  private Optional<FreeFields> place(CounterId counter, FieldValues found) {
    found
        .obstacles()
        .forEach(
            (figure, what) ->
                reports.obstructed(counter, name(counter, figure), loop.instant(), what));
    Set<Figure> free = new TreeSet<>(counter.entry().fields().keySet());
    free.removeAll(found.obstacles().keySet());
    Optional<FreeFields> place =
        found.version().filter(there -> !free.isEmpty()).map(there -> new FreeFields(there, free));
    if (place.isPresent()) {
      leftUntil.remove(counter);
    } else {
      leave(counter);
    }
    return place;
  }

  private void tellOfReplaced(CounterId counter, Change change, Figure figure, FieldValues found) {
    Total last = figure.of(change.replaced().map(Rollup::sum).orElse(NOTHING));
    Total next = figure.of(change.sum().orElseThrow());
    Optional.ofNullable(found.numbers().get(figure))
        .filter(number -> !isSame(number, last) && !isSame(number, next))
        .ifPresent(
            number ->
                reports.replaced(
                    counter, name(counter, figure), loop.instant(), number, next, mayLag(change)));
  }

  /** Under a lease, a commit may have been refused, and left older figures of ours. */
  private static boolean mayLag(Change change) {
    return change.replaced().flatMap(Rollup::liveUntil).isPresent();
  }

  private static FieldName name(CounterId counter, Figure figure) {
    return Objects.requireNonNull(counter.entry().fields().get(figure));
  }

  private static boolean isSame(Total one, Total other) {
    boolean whole = one instanceof Total.Whole && other instanceof Total.Whole;
    return whole ? one.equals(other) : one.doubleValue() == other.doubleValue();
  }

  private void leave(CounterId counter) {
    leftUntil.put(counter, loop.instant().plus(BELIEVED));
  }

  /**
   * @param left how often the document may still be read
   */
  private CompletableFuture<Optional<Written>> commit(
      CounterId counter, Change change, FreeFields place, int left) {
    return inTime(counter, documents.commit(counter, change, place))
        .thenCompose(
            answer -> {
              if (answer.isEmpty()) {
                return retryFieldsLater(counter, change);
              }
              Optional<Versions> written = answer.get();
              written.ifPresent(versions -> wrote(counter, versions, place));
              if (written.isPresent()) {
                return CompletableFuture.completedFuture(
                    written.map(versions -> new Written(versions.rollup())));
              }
              return left > 0
                  ? readAndCommit(counter, change, Optional.of(place.version()), left)
                  : retryFieldsLater(counter, change);
            });
  }

  private void wrote(CounterId counter, Versions versions, FreeFields place) {
    KnownDocument before = known.get(counter.document());
    if (versions.document().isEmpty()) {
      leave(counter);
    } else if (before != null) {
      known.put(
          counter.document(),
          new KnownDocument(versions.document().get(), before.read(), before.isAlone()));
      keep(counter, versions.rollup(), place.free());
    }
  }

  private void keep(CounterId counter, Instant rollup, Set<Figure> free) {
    Optional.ofNullable(known.get(counter.document()))
        .ifPresent(document -> last.put(counter, new LastCommit(rollup, free, document.read())));
  }

  /**
   * Nobody has said in time whether the document is there. A roll-up is not made without that: the
   * write counts as refused, and is tried again.
   */
  private CompletableFuture<Optional<Written>> unseen(CounterId counter, Change change) {
    return change.effect() == Change.Effect.CREATE
        ? CompletableFuture.completedFuture(Optional.empty())
        : retryFieldsLater(counter, change);
  }

  /** Writes the roll-up alone, so that somebody comes back to the fields. */
  private CompletableFuture<Optional<Written>> retryFieldsLater(CounterId counter, Change change) {
    return change
        .retryFieldsLater()
        .map(
            other ->
                rollups.write(counter, other).thenApply(done -> done.map(it -> it.instead(other))))
        .orElseGet(() -> rollups.write(counter, change));
  }

  /** The answer of a call; empty if it takes too long, and then the call is cancelled. */
  private <T> CompletableFuture<Optional<T>> inTime(CounterId counter, CompletableFuture<T> call) {
    CompletableFuture<Optional<T>> answer = call.thenApply(Optional::of);
    var unused =
        loop.after(PATIENCE)
            .thenRun(
                () -> {
                  if (answer.complete(Optional.empty())) {
                    slow.put(counter.document(), loop.instant());
                    call.cancel(/* mayInterruptIfRunning= */ true);
                  }
                });
    return answer;
  }

  /** One read. Fields that can be written are not left alone any longer. */
  @Override
  public CompletableFuture<Boolean> shows(CounterId counter, Sum sum) {
    return documents
        .find(counter)
        .thenApply(
            found ->
                shows(found, place(counter, found).map(FreeFields::free).orElse(Set.of()), sum));
  }
}
