package dev.tallyroll.protocol;

import dev.tallyroll.Total;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.FieldPlace;
import dev.tallyroll.internal.Located;
import dev.tallyroll.internal.Recent;
import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.EventLoop;
import dev.tallyroll.runs.Journal;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A writer around the writer of roll-ups: writes each total into a field of the counter's own
 * document as well, in the same commit as its roll-up: so the field is as exact, and never goes
 * back. The document is the app's: this never creates it, and replaces only a number. A counter
 * without a document has only a roll-up, and so has one whose document holds something else in the
 * field's place, or on the way to it.
 *
 * <p>The commit names the version of the document that this has seen: of its own last commit, or of
 * a read. So whatever the app writes meanwhile makes Firestore refuse the commit, and is looked at.
 *
 * <p>A number that is not the counter's last total may be somebody's: the log keeps it before it is
 * replaced.
 *
 * <p>The field holds up nothing. After a read and a refusal, or if a call takes two seconds, since
 * a transaction of the app's locks the document, the roll-up is written alone; the field follows at
 * the counter's next write, or the sweep. The call that took too long may still be carried out:
 * both name the same version of the roll-up, so only one of them is.
 *
 * <p>Not thread-safe: for the event loop only.
 */
public final class TotalField implements RollupWriter {
  /** How long a field that cannot be written is left alone without another look. */
  private static final Duration BELIEVED = Duration.ofMinutes(1);

  /** The total of a counter without a roll-up. */
  private static final Total NOTHING = new Total.Whole(0);

  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final int CAPACITY = 10_000;

  private final RollupWriter rollups;
  private final Documents documents;
  private final FieldName name;
  private final EventLoop loop;
  private final Reports reports;

  /** The versions after this instance's last commit of both. */
  private final Map<Located, Versions> last = Recent.entries(CAPACITY);

  /** Until when a counter's field is left alone. */
  private final Map<Located, Instant> leftUntil = Recent.entries(CAPACITY);

  /** The calls of Firestore for counters' documents. */
  public interface Documents {
    /**
     * Writes the roll-up, as {@link RollupWriter#write}, and the field, which costs one write more.
     * If the future is cancelled, the call may still take effect.
     *
     * @param document the version of the counter's document; the commit is refused if it has
     *     another
     * @return empty if the commit was refused; without a version of the document if that has no
     *     room for the field, and only the roll-up was written
     */
    CompletableFuture<Optional<Versions>> commit(Located counter, Change change, Instant document);

    /** Looks at the field. Costs one read. */
    CompletableFuture<Field> field(Located counter);
  }

  /**
   * The update times that a commit leaves.
   *
   * @param document empty if only the roll-up was written
   */
  public record Versions(Instant rollup, Optional<Instant> document) {}

  /**
   * The field of a document, as it was read.
   *
   * @param version of the document; empty if there is none
   * @param total the number there
   * @param obstacle something else that is there, or on the way; it must stay
   */
  public record Field(Optional<Instant> version, Optional<Total> total, Optional<String> obstacle) {
    public static final Field MISSING =
        new Field(Optional.empty(), Optional.empty(), Optional.empty());

    /** The field of a document that is there. */
    public static Field of(Instant version, Map<String, ?> fields, FieldName name) {
      FieldPlace place = FieldPlace.in(fields, name);
      return new Field(Optional.of(version), place.number().map(Total::of), place.obstacle());
    }

    /** Whether a total can be written there. */
    boolean isFree() {
      return version.isPresent() && obstacle.isEmpty();
    }
  }

  /**
   * @param journal gets an error, once a minute, for each document that holds something else
   */
  public TotalField(
      RollupWriter rollups, Documents documents, FieldName name, EventLoop loop, Journal journal) {
    this.rollups = rollups;
    this.documents = documents;
    this.name = name;
    this.loop = loop;
    this.reports = new Reports(journal);
  }

  /**
   * Writes a roll-up, and the total into the counter's document if that has a place for it: one
   * write more. It costs a read, too, if this instance's last commit is not the roll-up's last, or
   * was refused. If the field cannot be written, it costs this once a minute, and else only the
   * roll-up's write.
   */
  @Override
  public CompletableFuture<Optional<Instant>> write(Located counter, Change change) {
    if (change.sum().isEmpty() || isLeftAlone(counter)) {
      return rollups.write(counter, change);
    }
    Optional<Instant> known = known(counter, change);
    return known.isEmpty()
        ? readAndCommit(counter, change, known)
        : commit(counter, change, known.get(), () -> readAndCommit(counter, change, known));
  }

  private boolean isLeftAlone(Located counter) {
    return loop.instant().isBefore(leftUntil.getOrDefault(counter, Times.LONG_AGO));
  }

  /** Whoever has written the roll-up since has written the document, too. */
  private Optional<Instant> known(Located counter, Change change) {
    return Optional.ofNullable(last.get(counter))
        .filter(versions -> change.expected().equals(Optional.of(versions.rollup())))
        .flatMap(Versions::document);
  }

  /** If the document has the refused version, the commit was not refused for the field. */
  private CompletableFuture<Optional<Instant>> readAndCommit(
      Located counter, Change change, Optional<Instant> refused) {
    return inTime(documents.field(counter))
        .thenCompose(
            found ->
                found.isPresent()
                        && isFree(counter, found.get())
                        && !found.get().version().equals(refused)
                    ? replace(counter, change, found.get())
                    : rollups.write(counter, change));
  }

  private CompletableFuture<Optional<Instant>> replace(
      Located counter, Change change, Field found) {
    Total total = change.sum().orElseThrow().total();
    Total last = change.shown().orElse(NOTHING);
    found
        .total()
        .filter(number -> !isSame(number, last) && !isSame(number, total))
        .ifPresent(number -> reports.replaced(counter, name, loop.instant(), number, total));
    return commit(
        counter, change, found.version().orElseThrow(), () -> rollups.write(counter, change));
  }

  private static boolean isSame(Total one, Total other) {
    boolean whole = one instanceof Total.Whole && other instanceof Total.Whole;
    return whole ? one.equals(other) : one.doubleValue() == other.doubleValue();
  }

  private boolean isFree(Located counter, Field field) {
    field.obstacle().ifPresent(found -> reports.obstructed(counter, name, loop.instant(), found));
    if (field.isFree()) {
      leftUntil.remove(counter);
    } else {
      leave(counter);
    }
    return field.isFree();
  }

  private void leave(Located counter) {
    leftUntil.put(counter, loop.instant().plus(BELIEVED));
  }

  private CompletableFuture<Optional<Instant>> commit(
      Located counter,
      Change change,
      Instant document,
      Supplier<CompletableFuture<Optional<Instant>>> ifRefused) {
    return inTime(documents.commit(counter, change, document))
        .thenCompose(
            answer -> {
              if (answer.isEmpty()) {
                return rollups.write(counter, change);
              }
              Optional<Versions> written = answer.get();
              written.ifPresent(versions -> wrote(counter, versions));
              return written.isPresent()
                  ? CompletableFuture.completedFuture(written.map(Versions::rollup))
                  : ifRefused.get();
            });
  }

  private void wrote(Located counter, Versions versions) {
    last.put(counter, versions);
    if (versions.document().isEmpty()) {
      leave(counter);
    }
  }

  /** The answer of a call; empty if it takes too long, and then the call is cancelled. */
  private <T> CompletableFuture<Optional<T>> inTime(CompletableFuture<T> call) {
    CompletableFuture<Optional<T>> answer = call.thenApply(Optional::of);
    var unused =
        loop.after(PATIENCE)
            .thenRun(
                () -> {
                  if (answer.complete(Optional.empty())) {
                    call.cancel(/* mayInterruptIfRunning= */ true);
                  }
                });
    return answer;
  }

  /** One read. A field that can be written is not left alone any longer. */
  @Override
  public CompletableFuture<Boolean> shows(Located counter, Total total) {
    return documents
        .field(counter)
        .thenApply(field -> !isFree(counter, field) || field.total().equals(Optional.of(total)));
  }
}
