package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.Firestore;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterNotFoundException;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.Layout;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.ExtendWith;

/** A counter's life with the real functions, and beside clients that know nothing of this one. */
@ExtendWith(SharedCloud.class)
@TestInstance(Lifecycle.PER_CLASS)
final class CounterIT {
  private final Firestore firestore;
  private final Counters counters;

  CounterIT(LocalCloud cloud) {
    firestore = cloud.openFirestore();
    counters = Counters.of(firestore);
  }

  @AfterAll
  void close() throws Exception {
    firestore.close();
  }

  private Counter fresh() {
    return counters.counter("life-" + UUID.randomUUID());
  }

  private DocumentReference document(Counter counter) {
    return firestore.document("counters/" + counter.path());
  }

  @Test
  void increments_showInTheRollUp() throws Exception {
    Counter counter = fresh();
    get(counter.create(3));

    get(counter.add(4));
    Instant committed = get(counter.add(-1));

    Waits.until("the total is 3", () -> get(counter.total()).filter(this::isThree).isPresent());
    assertThat(get(counter.total()).orElseThrow().asOf()).isAfterOrEqualTo(committed);
    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(3));
  }

  private boolean isThree(RolledUpTotal rolledUp) {
    return rolledUp.total().equals(new Total.Whole(3));
  }

  @Test
  void fractions_makeTheTotalADouble() throws Exception {
    Counter counter = fresh();
    get(counter.create(1));

    get(counter.add(0.5));
    get(counter.addOnce("a", 0.25));

    assertThat(get(counter.sum())).isEqualTo(new Total.Fraction(0.75));
  }

  @Test
  void nestedCounter_isListenedToUntilItIsDeleted() throws Exception {
    Counter counter = counters.counter(new CounterPath("rooms/r1", "life-" + UUID.randomUUID()));
    List<Optional<RolledUpTotal>> heard = new CopyOnWriteArrayList<>();
    var registration = counter.listen(heard::add);
    get(counter.create(2));

    get(counter.add(3));
    Waits.until("3 is heard", () -> last(heard).filter(this::isThree).isPresent());
    Waits.until("it is settled", () -> last(heard).filter(total -> !total.isLive()).isPresent());
    get(counter.delete());
    Waits.until("its end is heard", () -> last(heard).isEmpty());

    registration.remove();
    assertThat(heard.get(0)).isEmpty();
  }

  private static Optional<RolledUpTotal> last(List<Optional<RolledUpTotal>> heard) {
    return heard.isEmpty() ? Optional.empty() : heard.get(heard.size() - 1);
  }

  @Test
  void name_expiresAfterTheTimeThatItIsKept() throws Exception {
    Counter counter = fresh();
    get(counter.create(1));

    get(counter.addOnce("order-1", 1));

    Timestamp expiry =
        (Timestamp)
            document(counter)
                .collection("increments")
                .document("order-1")
                .get()
                .get()
                .get("expire_at");
    Duration kept = Duration.between(Instant.now(), expiry.toDate().toInstant());
    assertThat(kept).isBetween(Duration.ofDays(6), Duration.ofDays(7));
  }

  @Test
  void staleIncrement_neverBringsADeletedCounterBack() throws Exception {
    Counter counter = fresh();
    get(counter.create(2));
    Counter stale = Counters.of(firestore).counter(counter.path());
    get(stale.add(1));

    get(counter.delete());

    assertThatThrownBy(() -> get(stale.add(1))).hasCauseInstanceOf(CounterNotFoundException.class);
    assertThatThrownBy(() -> get(stale.addOnce("a", 1)))
        .hasCauseInstanceOf(CounterNotFoundException.class);
    assertThat(document(counter).listCollections()).isEmpty();
  }

  /** In a collection whose writes are no events: 2,000 of them would hold up other tests. */
  @Test
  void largestCounter_isCreatedAndDeleted() throws Exception {
    Layout unwatched = new Layout("large_counters", "shards", "rollups", "rollup_runs", "count");
    Counter counter =
        Counters.of(firestore, CounterOptions.DEFAULT.withLayout(unwatched))
            .counter("life-" + UUID.randomUUID());

    get(counter.create(Counter.MOST_SHARDS));
    get(counter.add(3));
    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(3));
    get(counter.reset());
    get(counter.resize(1));
    assertThat(get(counter.compact(Duration.ZERO))).isZero();
    get(counter.resize(Counter.MOST_SHARDS));
    get(counter.delete());

    assertThat(firestore.document("large_counters/" + counter.path()).listCollections()).isEmpty();
  }
}
