package dev.tallyroll.fold;

import dev.tallyroll.fold.FoldStore.Outcome;
import dev.tallyroll.internal.Recent;
import dev.tallyroll.protocol.Journal;
import dev.tallyroll.protocol.Journal.Severity;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Moves what a document's shards hold into its fields.
 *
 * <p>A batch is refused if one of its shards has changed since it was read. Then the next one is
 * half as large, down to single shards; so a document whose shards are all written each second is
 * folded, too, in smaller batches. A shard that has changed even when it was alone is passed over.
 */
final class Folder {
  /** What one batch takes. */
  static final int MOST_SHARDS = 200;

  /** So long, what the app's fields hold is taken to be numbers still. */
  private static final Duration BELIEVED = Duration.ofMinutes(1);

  private static final Duration SILENCE = Duration.ofHours(1);
  private static final int CAPACITY = 10_000;

  private final FoldStore store;
  private final Journal journal;
  private final InstantSource clock;
  private final Set<List<String>> fields;
  private final Map<String, Free> free = Recent.entries(CAPACITY);
  private final Map<String, Instant> told = Recent.entries(CAPACITY);

  /** Fields that an increment changes rather than replaces. */
  private record Free(Set<List<String>> fields, Instant until) {}

  private static final Free NOTHING_KNOWN = new Free(Set.of(), Instant.MIN);

  /**
   * What a fold has done.
   *
   * @param found whether there was anything to move
   * @param passedOver whether it left shards that changed each time that they were to be moved
   * @param last the shard that it has come to; empty if to the end
   * @param readTime when its first shards were read: what was written before is among them
   */
  record Result(
      boolean found, boolean passedOver, String last, Instant readTime, int moved, int refused) {
    boolean isComplete() {
      return last.isEmpty() && !passedOver;
    }

    /** Both together, of which the other went on where this one had come to. */
    Result then(Result other) {
      return new Result(
          found || other.found,
          passedOver || other.passedOver,
          other.last,
          readTime,
          moved + other.moved,
          refused + other.refused);
    }
  }

  /**
   * @param fields those that are moved; empty for all
   */
  Folder(FoldStore store, Journal journal, InstantSource clock, Set<List<String>> fields) {
    this.store = store;
    this.journal = journal;
    this.clock = clock;
    this.fields = fields;
  }

  /**
   * Folds a document, from one shard on. Costs one read and one write for each shard, one write of
   * the document for each batch, and once a minute one read of it.
   *
   * @param after the id of the shard to go on behind; empty for the first
   * @param looks how many pages of shards are read at the most, one for each batch
   */
  CompletableFuture<Result> fold(String document, String after, int looks) {
    return new Fold(document, after, looks).next();
  }

  private boolean isWanted(List<String> field) {
    return fields.isEmpty() || fields.contains(field);
  }

  private void tell(String document, String field, String why) {
    Instant now = clock.instant();
    Instant last = told.get(document + "\n" + field);
    if (last == null || !now.isBefore(last.plus(SILENCE))) {
      told.put(document + "\n" + field, now);
      journal.write(
          Severity.WARNING,
          "a value of a shard stays there",
          Map.of("document", document, "field", field, "why", why));
    }
  }

  /** One way through a document's shards, page by page. */
  private final class Fold {
    private final String document;
    private int looks;
    private int size = MOST_SHARDS;
    private String after;
    private Optional<Instant> readTime = Optional.empty();
    private boolean found;
    private boolean passedOver;
    private int moved;
    private int refused;

    Fold(String document, String after, int looks) {
      this.document = document;
      this.after = after;
      this.looks = looks;
    }

    CompletableFuture<Result> next() {
      if (looks-- == 0) {
        passedOver |= after.isEmpty(); // the first shards were refused each time
        return ended(/* atEnd= */ false);
      }
      int asked = size;
      return store
          .read(document, after, asked)
          .thenCompose(
              page -> {
                readTime = readTime.or(() -> Optional.of(page.readTime()));
                return page.shards().isEmpty()
                    ? ended(/* atEnd= */ true)
                    : plan(page.shards())
                        .thenCompose(plan -> move(page.shards(), plan))
                        .thenCompose(
                            done -> {
                              if (!done) {
                                size = Math.max(1, page.shards().size() / 2);
                                return next();
                              }
                              return page.shards().size() < asked
                                  ? ended(/* atEnd= */ true)
                                  : goOnBehind(page.shards());
                            });
              });
    }

    private CompletableFuture<Result> goOnBehind(List<Shard> shards) {
      after = shards.get(shards.size() - 1).id();
      return next();
    }

    private CompletableFuture<Plan> plan(List<Shard> shards) {
      Set<List<String>> wanted = Plan.fields(shards, Folder.this::isWanted);
      return blocked(wanted)
          .thenApply(
              blocked -> {
                Plan plan = Plan.of(shards, Folder.this::isWanted, blocked);
                plan.left().forEach((field, why) -> tell(document, String.join(".", field), why));
                return plan;
              });
    }

    /** Those fields that the document holds something else in. */
    private CompletableFuture<Set<List<String>>> blocked(Set<List<String>> wanted) {
      Free known = free.getOrDefault(document, NOTHING_KNOWN);
      if (clock.instant().isBefore(known.until()) && known.fields().containsAll(wanted)) {
        return CompletableFuture.completedFuture(Set.of());
      }
      return wanted.isEmpty()
          ? CompletableFuture.completedFuture(wanted)
          : store
              .fields(document, wanted)
              .thenApply(
                  there -> {
                    Set<List<String>> blocked = Plan.blocked(there, wanted);
                    Set<List<String>> others = new HashSet<>(wanted);
                    others.removeAll(blocked);
                    others.removeIf(it -> Plan.isInside(it, wanted)); // one of them ends that
                    free.put(document, new Free(others, clock.instant().plus(BELIEVED)));
                    return blocked;
                  });
    }

    /** Gives whether the way goes on behind these shards: else they are read anew, in parts. */
    private CompletableFuture<Boolean> move(List<Shard> shards, Plan plan) {
      return plan.changes().isEmpty()
          ? CompletableFuture.completedFuture(true)
          : store.move(document, plan).thenApply(outcome -> moved(shards, plan, outcome));
    }

    private boolean moved(List<Shard> shards, Plan plan, Outcome outcome) {
      return switch (outcome) {
        case DONE -> {
          found = true;
          moved += plan.changes().size();
          size = Math.min(MOST_SHARDS, 2 * size);
          yield true;
        }
        case REFUSED -> {
          found = true;
          refused++;
          passedOver |= shards.size() == 1;
          yield shards.size() == 1;
        }
        case IMPOSSIBLE -> {
          tell(document, "", "Firestore refuses the write, for any reason but a change of a shard");
          yield true;
        }
      };
    }

    private CompletableFuture<Result> ended(boolean atEnd) {
      return CompletableFuture.completedFuture(
          new Result(
              found, passedOver, atEnd ? "" : after, readTime.orElseThrow(), moved, refused));
    }
  }
}
