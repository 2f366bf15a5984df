package dev.tallyroll.client;

import static dev.tallyroll.client.Waits.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentReference;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterNotFoundException;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.Layout;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.SharedCloud;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
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
  private final FreshCounters counters;

  CounterIT(LocalCloud cloud) {
    counters = new FreshCounters(cloud);
  }

  @AfterAll
  void close() throws Exception {
    counters.close();
  }

  @Test
  void increments_showInTheRollUp() throws Exception {
    Counter counter = counters.next();
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
    Counter counter = counters.next();
    get(counter.create(1));

    get(counter.add(0.5));
    get(counter.addOnce("a", 0.25));

    assertThat(get(counter.sum())).isEqualTo(new Total.Fraction(0.75));
  }

  @Test
  void nestedCounter_isListenedToUntilItIsDeleted() throws Exception {
    Counter counter = counters.nextBelow("rooms/r1");
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
    Counter counter = counters.next();
    get(counter.create(1));

    get(counter.addOnce("order-1", 1));

    Timestamp expiry =
        (Timestamp)
            counters
                .document(counter)
                .collection("increment_names")
                .document("order-1")
                .get()
                .get()
                .get("expire_at");
    Duration kept = Duration.between(Instant.now(), expiry.toDate().toInstant());
    assertThat(kept).isBetween(Duration.ofDays(6), Duration.ofDays(7));
  }

  /** The TTL policy deletes the name's document; what it guarded is then forgotten. */
  @Test
  void name_countsAgainOnceItHasExpiredAndGone() throws Exception {
    Counter counter = counters.next();
    get(counter.create(1));
    assertThat(get(counter.addOnce("order-1", 1))).isTrue();
    DocumentReference name =
        counters.document(counter).collection("increment_names").document("order-1");
    get(name.update("expire_at", Timestamp.ofTimeSecondsAndNanos(0, 0)));
    assertThat(get(counter.addOnce("order-1", 1))).as("expired, but still there").isFalse();

    get(name.delete());

    assertThat(get(counter.addOnce("order-1", 1))).isTrue();
    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(2));
    assertThat(get(name.get()).getTimestamp("expire_at")).isGreaterThan(Timestamp.now());
  }

  @Test
  void staleIncrement_neverBringsADeletedCounterBack() throws Exception {
    Counter counter = counters.next();
    get(counter.create(2));
    Counter stale = counters.again(counter);
    get(stale.add(1));

    get(counter.delete());

    assertThatThrownBy(() -> get(stale.add(1))).hasCauseInstanceOf(CounterNotFoundException.class);
    assertThatThrownBy(() -> get(stale.addOnce("a", 1)))
        .hasCauseInstanceOf(CounterNotFoundException.class);
    assertThat(counters.document(counter).listCollections()).isEmpty();
  }

  /** In a collection whose writes are no events: 2,000 of them would hold up other tests. */
  @Test
  void largestCounter_isCreatedAndDeleted() throws Exception {
    Layout unwatched = new Layout("large_counters", "shards", "rollups", "rollup_runs", "count");
    Counter counter = counters.next(CounterOptions.DEFAULT.withLayout(unwatched));

    get(counter.create(Counter.MOST_SHARDS));
    get(counter.add(3));
    assertThat(get(counter.sum())).isEqualTo(new Total.Whole(3));
    get(counter.reset());
    get(counter.resize(1));
    assertThat(get(counter.compact(Duration.ZERO))).isZero();
    get(counter.resize(Counter.MOST_SHARDS));
    get(counter.delete());

    assertThat(counters.firestore().document("large_counters/" + counter.path()).listCollections())
        .isEmpty();
  }
}
