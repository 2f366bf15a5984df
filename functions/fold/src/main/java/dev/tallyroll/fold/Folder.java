package dev.tallyroll.fold;

import dev.tallyroll.fold.FoldStore.Outcome;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.FieldPlace;
import dev.tallyroll.internal.Recent;
import dev.tallyroll.internal.Times;
import dev.tallyroll.runs.StructuredLog;
import dev.tallyroll.runs.StructuredLog.Severity;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Moves what a document's shards hold into its fields.
 *
 * <p>Firestore refuses a batch if one of its shards has changed since it was read, or if the
 * document has no room for a sum. Then the next batch is half as large, down to single shards. So a
 * document whose shards are all written each second is folded, too, in smaller batches, and one
 * shard that cannot be moved keeps no other.
 */
final class Folder {
  /** What one batch takes. */
  static final int MOST_SHARDS = 200;

  /** How long the fold believes what it has read of the app's fields. */
  private static final Duration BELIEVED = Duration.ofMinutes(1);

  /** How long the fold leaves a shard that Firestore has refused alone. */
  private static final Duration STUCK = Duration.ofHours(1);

  private static final Duration SILENCE = Duration.ofHours(1);
  private static final int CAPACITY = 10_000;

  /** How many fields of a document are remembered. */
  private static final int MOST_FIELDS = 400;

  /** The fields of the document of a sharded counter. */
  private static final Set<FieldName> COUNTER =
      Set.of(FieldName.of("num_shards"), FieldName.of("numShards"));

  private static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

  private final FoldStore store;
  private final StructuredLog log;
  private final InstantSource clock;
  private final Set<FieldName> fields;
  private final Map<String, Fields> known = Recent.entries(CAPACITY);
  private final Map<String, Stuck> stuck = Recent.entries(CAPACITY);

  /** By document, how many shards came at once when they were read last. */
  private final Map<String, Integer> pages = Recent.entries(CAPACITY);

  private final Map<String, Instant> warnedAt = Recent.entries(CAPACITY);

  /**
   * What a document holds.
   *
   * @param free fields that an increment changes rather than replaces, with their numbers
   * @param blocked fields that it would replace
   * @param isCounter whether it is the document of a sharded counter
   * @param version the document's; empty if it is not there
   */
  private record Fields(
      Map<FieldName, Number> free,
      Set<FieldName> blocked,
      boolean isCounter,
      Optional<Instant> version,
      Instant until) {
    static final Fields NONE =
        new Fields(Map.of(), Set.of(), false, Optional.empty(), Times.LONG_AGO);

    Set<FieldName> all() {
      Set<FieldName> all = new HashSet<>(free.keySet());
      all.addAll(blocked);
      return all;
    }

    boolean tellsOf(Set<FieldName> wanted) {
      return wanted.stream().allMatch(field -> free.containsKey(field) || blocked.contains(field));
    }
  }

  /** A version of a shard that Firestore has refused to move. */
  private record Stuck(Instant version, Instant until) {}

  /**
   * What a fold has done.
   *
   * @param found whether there was anything to move
   * @param passedOver whether it left shards that changed each time that they were to be moved
   * @param last the shard that it has come to; empty if to the end
   * @param readTime when its first shards were read: what was written before is among them; empty
   *     if it was told which shards to move
   * @param stuck how many shards stay, since they cannot be moved
   */
  record Result(
      boolean found,
      boolean passedOver,
      String last,
      Optional<Instant> readTime,
      int moved,
      int refused,
      int stuck) {
    boolean isComplete() {
      return last.isEmpty() && !passedOver;
    }

    /** This result, continued by that of the next shards. */
    Result then(Result next) {
      return new Result(
          found || next.found,
          passedOver || next.passedOver,
          next.last,
          readTime,
          moved + next.moved,
          refused + next.refused,
          stuck + next.stuck);
    }
  }

  /**
   * @param fields those that are moved; empty for all
   */
  Folder(FoldStore store, StructuredLog log, InstantSource clock, Set<FieldName> fields) {
    this.store = store;
    this.log = log;
    this.clock = clock;
    this.fields = fields;
  }

  /**
   * Folds a document's shards, from one on. Costs one read and one write for each shard that is
   * moved, one read for each other, one write of the document for each batch, and once a minute one
   * read of it.
   *
   * @param after the id of the shard to continue after; empty for the first
   * @param batches how many are made at the most
   */
  CompletableFuture<Result> fold(String document, String after, int batches) {
    FoldPass fold = new FoldPass(document, batches);
    fold.begin = after;
    fold.after = after;
    fold.isListing = true;
    return fold.next();
  }

  /** Folds some shards by their ids. Costs as above. */
  CompletableFuture<Result> fold(String document, Collection<String> ids, int batches) {
    FoldPass fold = new FoldPass(document, batches);
    fold.unread.addAll(ids);
    return fold.next();
  }

  /** Folds shards that were just read. Costs as above, without their reads. */
  CompletableFuture<Result> foldRead(String document, List<Shard> shards, int batches) {
    FoldPass fold = new FoldPass(document, batches);
    fold.read.addAll(shards);
    return fold.next();
  }

  private boolean isWanted(FieldName field) {
    return fields.isEmpty() || fields.contains(field);
  }

  private void warn(String document, String kind, String which, String why) {
    Instant now = clock.instant();
    String key = document + "\n" + kind + "\n" + which;
    Instant last = warnedAt.get(key);
    if (last == null || !now.isBefore(last.plus(SILENCE))) {
      warnedAt.put(key, now);
      log.write(
          Severity.WARNING,
          "a value of a shard stays there",
          Map.of("document", document, kind, which, "why", why));
    }
  }

  /** One way through shards of a document. */
  private final class FoldPass {
    private final String document;

    /** The ids of shards to be read, for the first time or again. */
    private final Deque<String> unread = new ArrayDeque<>();

    private final Deque<Shard> read = new ArrayDeque<>();

    /** How many shards the next batch takes. */
    private int size = MOST_SHARDS;

    private int batches;

    /** Whether shards are listed that come after one. */
    private boolean isListing;

    private String begin = "";
    private String after = "";

    /** The ids of all that were listed. */
    private final List<String> listed = new ArrayList<>();

    /** How many are read at once: few at first, and more as long as these are small. */
    private int page;

    /** Whether what was read fills the memory. */
    private boolean isFull;

    private Optional<Instant> readTime = Optional.empty();
    private boolean found;
    private boolean passedOver;
    private int moved;
    private int refused;
    private int staying;

    FoldPass(String document, int batches) {
      this.document = document;
      this.batches = batches;
      this.page = Math.max(FoldStore.FEW_SHARDS, pages.getOrDefault(document, 0));
    }

    CompletableFuture<Result> next() {
      boolean more = read.size() < size && !isFull;
      if (more && !unread.isEmpty()) {
        return readNamed().thenCompose(none -> next());
      }
      if (more && isListing) {
        return list().thenCompose(none -> next());
      }
      isFull = false;
      List<Shard> taken = take();
      if (taken.isEmpty() && !isListing && unread.isEmpty()) {
        return CompletableFuture.completedFuture(result());
      }
      if (batches-- == 0) {
        putRestBack(taken);
        return CompletableFuture.completedFuture(result());
      }
      return batch(taken).thenCompose(none -> next());
    }

    /** Leaves the rest: listed shards to the next fold, which begins with the first of these. */
    private void putRestBack(List<Shard> taken) {
      passedOver |= !unread.isEmpty() || !taken.isEmpty();
      Set<String> rest = new HashSet<>();
      taken.forEach(shard -> rest.add(shard.id()));
      read.forEach(shard -> rest.add(shard.id()));
      int first = 0;
      while (first < listed.size() && !rest.contains(listed.get(first))) {
        first++;
      }
      if (first < listed.size()) {
        isListing = true;
        after = first == 0 ? begin : listed.get(first - 1);
      }
    }

    private Result result() {
      return new Result(
          found, passedOver, isListing ? after : "", readTime, moved, refused, staying);
    }

    private CompletableFuture<Void> readNamed() {
      List<String> ids = new ArrayList<>();
      while (ids.size() < Math.min(page, size - read.size()) && !unread.isEmpty()) {
        ids.add(unread.remove());
      }
      return store
          .read(document, ids)
          .thenAccept(
              named -> {
                read.addAll(named.shards());
                named.rest().forEach(unread::addFirst);
                isFull = !named.rest().isEmpty();
                adaptPageSize(named.shards().size(), isFull);
              });
    }

    private void adaptPageSize(int taken, boolean isCut) {
      if (isCut) {
        page = Math.max(1, taken);
        pages.put(document, page);
      } else if (taken >= page) {
        pages.put(document, page);
        page = Math.min(MOST_SHARDS, 2 * page);
      }
    }

    private CompletableFuture<Void> list() {
      int most = readTime.isPresent() ? page : FoldStore.FEW_SHARDS; // few tell their time
      return store
          .read(document, after, Math.min(most, size - read.size()))
          .thenAccept(
              some -> {
                readTime = readTime.or(some::readTime);
                read.addAll(some.shards());
                isListing = !some.isLast();
                isFull = some.isCut();
                adaptPageSize(some.shards().size(), isFull);
                some.shards().forEach(shard -> listed.add(shard.id()));
                after = listed.isEmpty() ? begin : listed.get(listed.size() - 1);
              });
    }

    /** Takes the shards of the next batch, without those that Firestore has refused before. */
    private List<Shard> take() {
      List<Shard> taken = new ArrayList<>();
      while (taken.size() < size && !read.isEmpty()) {
        Shard shard = read.remove();
        if (isStuck(shard)) {
          staying++;
        } else {
          taken.add(shard);
        }
      }
      return taken;
    }

    private boolean isStuck(Shard shard) {
      Stuck before = stuck.get(key(shard));
      return before != null
          && before.version().equals(shard.version())
          && clock.instant().isBefore(before.until());
    }

    private String key(Shard shard) {
      return document + "/" + shard.id();
    }

    private CompletableFuture<Void> batch(List<Shard> shards) {
      return plan(shards)
          .thenCompose(
              plan -> {
                if (plan.isCut() && shards.size() > 1) {
                  putBack(shards);
                  return DONE;
                }
                staying += plan.stays();
                return plan.changes().isEmpty()
                    ? DONE
                    : store
                        .move(document, plan)
                        .thenAccept(outcome -> ended(shards, plan, outcome));
              });
    }

    private CompletableFuture<Plan> plan(List<Shard> shards) {
      Set<FieldName> wanted = Plan.fields(shards, Folder.this::isWanted);
      boolean numbered = shards.stream().anyMatch(Shard::isNumbered);
      return readFields(wanted, numbered)
          .thenApply(
              there -> {
                Plan plan = plan(shards, there);
                plan.reasons()
                    .forEach((field, why) -> warn(document, "field", field.toString(), why));
                return plan;
              });
    }

    private Plan plan(List<Shard> shards, Fields there) {
      Plan plan =
          Plan.of(shards, Folder.this::isWanted, there.free(), there.blocked(), there.isCounter());
      if (plan.isLarge()) {
        known.remove(document); // the next batch must see what this one has left
        return plan.at(there.version());
      }
      return plan;
    }

    /**
     * What the document holds in these fields. A sharded counter may be created at any time, so
     * before its shards are moved, the document is read.
     */
    private CompletableFuture<Fields> readFields(Set<FieldName> wanted, boolean numbered) {
      Fields before = known.getOrDefault(document, Fields.NONE);
      if (wanted.isEmpty() && !numbered) {
        return CompletableFuture.completedFuture(Fields.NONE);
      }
      if (!numbered && clock.instant().isBefore(before.until()) && before.tellsOf(wanted)) {
        return CompletableFuture.completedFuture(before);
      }
      Set<FieldName> asked = before.all();
      asked.addAll(wanted);
      if (asked.size() > MOST_FIELDS) {
        asked = new HashSet<>(wanted);
      }
      Set<FieldName> all = Set.copyOf(asked);
      asked.addAll(COUNTER);
      return store.fields(document, asked).thenApply(there -> remember(all, there));
    }

    private Fields remember(Set<FieldName> asked, FoldStore.Owner there) {
      Map<FieldName, Number> free = new HashMap<>();
      Set<FieldName> blocked = new HashSet<>();
      for (FieldName field : asked) {
        FieldPlace place = FieldPlace.in(there.fields(), field);
        if (!Plan.isFree(place)) {
          blocked.add(field);
        } else if (!field.isInside(asked)) { // once one of them is moved, the other is not
          free.put(field, place.number().orElse(0L));
        }
      }
      boolean isCounter =
          COUNTER.stream().anyMatch(field -> there.fields().containsKey(field.first()));
      Instant until = clock.instant().plus(BELIEVED);
      Fields fields = new Fields(free, blocked, isCounter, there.version(), until);
      known.put(document, fields);
      return fields;
    }

    private void ended(List<Shard> shards, Plan plan, Outcome outcome) {
      switch (outcome) {
        case DONE -> {
          found = true;
          moved += plan.changes().size();
          size = Math.min(MOST_SHARDS, 2 * size);
          if (plan.isCut()) {
            shards.forEach(shard -> unread.add(shard.id()));
          }
        }
        case REFUSED -> {
          found = true;
          refused++;
          staying -= plan.stays();
          if (shards.size() == 1) {
            passedOver = true;
          } else {
            size = Math.max(1, shards.size() / 2);
            shards.forEach(shard -> unread.add(shard.id()));
          }
        }
        case IMPOSSIBLE -> {
          staying -= plan.stays();
          if (shards.size() == 1) {
            Shard shard = shards.get(0);
            staying++;
            stuck.put(key(shard), new Stuck(shard.version(), clock.instant().plus(STUCK)));
            warn(
                document,
                "shard",
                shard.id(),
                "Firestore refuses the write: is the document full?");
          } else {
            putBack(shards);
          }
        }
      }
    }

    /** To be taken again, in smaller batches. */
    private void putBack(List<Shard> shards) {
      size = Math.max(1, shards.size() / 2);
      for (int i = shards.size() - 1; i >= 0; i--) {
        read.addFirst(shards.get(i));
      }
    }
  }
}
