package dev.tallyroll.firestore;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.api.gax.rpc.StatusCode.Code;
import com.google.cloud.firestore.FieldPath;
import com.google.cloud.firestore.Precondition;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Times;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * All shards of a counter, as they were at one moment, and what rewrites them: a reset, and a
 * compaction. One batch changes what was read, so that it is carried out at most once, and keeps
 * each increment that comes meanwhile. Immutable.
 *
 * @param readTime that moment, in Firestore's time
 */
record ShardList(List<Shard> shards, Instant readTime) {
  static final String RESET_ID = "reset_id";

  /** One batch must write them all, and a request takes 10 MiB. */
  private static final int MOST = Counter.MOST_SHARDS_IN_A_BATCH;

  /** From here on, a double may stand for several integers. */
  private static final double EXACT = 0x1p53;

  private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,8}");

  /**
   * @param count what is in the count field; null if it has none
   * @param version when it was last written
   */
  record Shard(String id, @Nullable Object count, Instant version) {
    Precondition asRead() {
      return Times.version(version);
    }

    /** There is nothing to subtract; a document without the field is no shard. */
    boolean isZero() {
      return count == null || count.equals(0L);
    }
  }

  /**
   * Which retired shards can go, and what they add up to.
   *
   * @param shards to be deleted
   * @param total of their counts
   * @param left how many retired shards stay
   */
  record Compaction(List<Shard> shards, Total total, int left) {}

  /** As {@link CounterHead#attempt}; each attempt also gets all shards, read after the document. */
  private static <T> ApiFuture<T> attempt(
      CounterDocuments documents,
      BiFunction<CounterHead, ShardList, ApiFuture<Optional<T>>> attempt) {
    return CounterHead.attempt(
        documents, head -> Steps.thenCall(read(documents), list -> attempt.apply(head, list)));
  }

  /** A read for each shard. */
  private static ApiFuture<ShardList> read(CounterDocuments documents) {
    return Steps.then(
        documents.shards().select(documents.countField()).limit(MOST + 1).get(),
        answer -> decode(documents.counter(), documents.countField(), answer));
  }

  private static ShardList decode(CounterPath counter, FieldPath field, QuerySnapshot answer) {
    if (answer.size() > MOST) {
      throw new CounterException.Damaged(counter, "at most " + MOST + " shards", "more");
    }
    List<Shard> shards =
        answer.getDocuments().stream().map(document -> shard(document, field)).toList();
    return new ShardList(shards, Times.instant(answer.getReadTime()));
  }

  private static Shard shard(QueryDocumentSnapshot document, FieldPath field) {
    return new Shard(
        document.getId(), document.get(field), Times.instant(document.getUpdateTime()));
  }

  /**
   * Creates the document and shards that are missing.
   *
   * @return how many it has created
   */
  static ApiFuture<Integer> createMissing(CounterDocuments documents, int shards) {
    return Steps.attempt(
        documents.counter(),
        () ->
            Steps.thenCall(
                CounterHead.find(documents),
                head ->
                    Steps.thenCall(
                        read(documents), list -> list.createMissing(documents, head, shards))));
  }

  private ApiFuture<Optional<Integer>> createMissing(
      CounterDocuments documents, Optional<CounterHead> head, int shards) {
    Optional<CounterHead> sound = head.filter(CounterHead::isSound);
    int wanted = sound.map(CounterHead::shards).orElse(shards);
    WriteBatch batch = documents.batch();
    for (int number : missing(wanted)) {
      // Adding nothing does no harm if another client has created it meanwhile.
      documents.incrementOrCreate(batch, documents.shard(number), 0L);
    }
    int missing = batch.getMutationsSize();
    documents.client().known().remember(documents.counter(), wanted);
    if (missing == 0 && sound.isPresent()) {
      return ApiFutures.immediateFuture(Optional.of(0));
    }
    if (head.isEmpty()) {
      documents.createHead(batch, wanted);
    } else if (sound.isPresent()) {
      head.get().keep(batch, documents.document());
    } else {
      head.get().replace(batch, documents.document(), documents.options().shardsField(), wanted);
    }
    int created = missing + (head.isEmpty() ? 1 : 0);
    return Steps.then(
        Steps.on(
            Code.ALREADY_EXISTS,
            Steps.commit(batch),
            () -> ApiFutures.immediateFuture(Optional.empty())),
        written -> written.map(results -> created));
  }

  private int[] missing(int wanted) {
    Set<String> there =
        shards.stream()
            .filter(shard -> shard.count() != null)
            .map(Shard::id)
            .collect(Collectors.toSet());
    return IntStream.range(0, wanted)
        .filter(number -> !there.contains(Integer.toString(number)))
        .toArray();
  }

  /**
   * Subtracts from each shard what was read there.
   *
   * <p>A batch that is carried out twice would subtract twice. So it expects the version that the
   * counter's document had before the shards were read, and changes it: Firestore refuses a batch
   * that is sent again, and a second reset at the same time. The batch also creates a name, as
   * named increments do: if the batch is refused, the name tells whether it was carried out before.
   *
   * @return what was taken off
   */
  static ApiFuture<Total> reset(CounterDocuments documents) {
    AtomicInteger attempts = new AtomicInteger();
    return attempt(
        documents,
        (head, list) ->
            list.subtract(
                documents, head, /* isLast= */ attempts.incrementAndGet() == Steps.MOST_ATTEMPTS));
  }

  private ApiFuture<Optional<Total>> subtract(
      CounterDocuments documents, CounterHead head, boolean isLast) {
    Total total = Total.add(shards.stream().map(Shard::count).toList());
    List<Shard> counted = shards.stream().filter(shard -> !shard.isZero()).toList();
    if (counted.isEmpty()) {
      return ApiFutures.immediateFuture(Optional.of(total));
    }
    String id = "reset-" + documents.newName();
    WriteBatch batch = documents.batch();
    head.change(batch, documents.document(), RESET_ID, id);
    documents.createName(batch, id);
    counted.forEach(shard -> subtract(documents, batch, shard, isLast));
    // A refused batch may have been carried out: its reply was lost, and the client sent it again.
    return Steps.thenCall(
        Steps.commit(batch),
        written ->
            Steps.then(
                written.isPresent() ? ApiFutures.immediateFuture(true) : documents.hasName(id),
                done -> done ? Optional.of(total) : Optional.<Total>empty()));
  }

  private static void subtract(
      CounterDocuments documents, WriteBatch batch, Shard shard, boolean isLast) {
    if (shard.count() instanceof Long whole && whole != Long.MIN_VALUE) {
      documents.increment(batch, documents.shard(shard), -whole);
    } else if (isLast && shard.count() instanceof Double fraction && Double.isFinite(fraction)) {
      // It is written all the time, so it stays a double.
      documents.increment(batch, documents.shard(shard), -fraction);
    } else {
      // Nothing that is subtracted makes it an integer, so it is replaced if its version is still
      // the same.
      batch.update(documents.shard(shard), shard.asRead(), documents.countField(), 0L);
    }
  }

  /**
   * Moves the sum of retired shards into a shard that is in use, and deletes each of them at the
   * version that was read.
   *
   * @param unwritten how long a retired shard must not have been written
   * @return how many retired shards are left
   */
  static ApiFuture<Integer> compact(CounterDocuments documents, Duration unwritten) {
    return attempt(
        documents,
        (head, list) -> carryOut(list.compaction(head.shards(), unwritten), documents, head));
  }

  /**
   * @param inUse the number of shards; those with a number from there on are retired
   */
  Compaction compaction(int inUse, Duration unwritten) {
    List<Shard> retired = shards.stream().filter(shard -> isRetired(shard.id(), inUse)).toList();
    Instant latest = readTime.minus(unwritten);
    List<Shard> quiet =
        retired.stream()
            .filter(shard -> !shard.version().isAfter(latest))
            .filter(shard -> !(shard.count() instanceof Double count && !Double.isFinite(count)))
            .toList();
    Total total = integral(Total.add(quiet.stream().map(Shard::count).toList()));
    return total.isUsable()
        ? new Compaction(quiet, total, retired.size() - quiet.size())
        : new Compaction(List.of(), new Total.Whole(0), retired.size());
  }

  /** An integer where there is one, since a shard that gets a double is one for good. */
  private static Total integral(Total total) {
    double value = total.doubleValue();
    return Math.rint(value) == value && Math.abs(value) <= EXACT
        ? new Total.Whole(total.longValue())
        : total;
  }

  private static boolean isRetired(String id, int inUse) {
    return NUMBER.matcher(id).matches() && Integer.parseInt(id) >= inUse;
  }

  private static ApiFuture<Optional<Integer>> carryOut(
      Compaction due, CounterDocuments documents, CounterHead head) {
    if (due.shards().isEmpty()) {
      return ApiFutures.immediateFuture(Optional.of(due.left()));
    }
    WriteBatch batch = documents.batch();
    // Without this check, a shard that a resize has just put in use again could be deleted.
    head.keep(batch, documents.document());
    for (Shard shard : due.shards()) {
      batch.delete(documents.shard(shard), shard.asRead());
    }
    if (due.total().doubleValue() != 0) {
      documents.incrementOrCreate(
          batch, documents.randomShard(head.shards()), due.total().number());
    }
    return Steps.then(Steps.commit(batch), written -> written.map(results -> due.left()));
  }
}
