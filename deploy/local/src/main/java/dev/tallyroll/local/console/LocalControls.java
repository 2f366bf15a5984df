package dev.tallyroll.local.console;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.Query;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.Layout;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.LocalCloud;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The console's hands on a local cloud: an administrator's, whom no rule binds. It shows the
 * counters at the root of the database, as the rules are for those. Thread-safe.
 */
public final class LocalControls implements Controls, AutoCloseable {
  private static final int MOST_COUNTERS = 24;
  private static final int HIGHEST = 10;
  private static final double MOST_TRAFFIC = 1_000;

  /** Long enough to see that it is gone. */
  private static final Duration ROLLER_DOWN = Duration.ofSeconds(3);

  private static final Duration ANSWER_WITHIN = Duration.ofMinutes(1);
  private static final Duration LATEST_EVENT = Duration.ofSeconds(4);
  private static final double DOUBLED_EVENTS = 0.5;
  private static final double LOST_EVENTS = 0.3;
  private static final long SEED = 1;

  /** No client counts on it, so nothing is lost when it goes. */
  private static final String POISON = "poison";

  /** Several pages may be open, and each asks once a second. */
  private static final long STATE_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

  private final LocalCloud cloud;
  private final Layout layout;
  private final Dial traffic;
  private final Firestore firestore;
  private final Set<EventFault> faults = EnumSet.noneOf(EventFault.class);
  private final ScheduledExecutorService nurse =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setNameFormat("console-restart").setDaemon(true).build());
  private @Nullable State state;
  private long stateNanos;

  /** The traffic, which somebody else makes. Thread-safe. */
  public interface Dial {
    /** Increments a second, over all counters. */
    double perSecond();

    /**
     * Makes as many from now on.
     *
     * @param perSecond 0 for none
     */
    void turn(double perSecond);
  }

  public LocalControls(LocalCloud cloud, Layout layout, Dial traffic) {
    this.cloud = cloud;
    this.layout = layout;
    this.traffic = traffic;
    this.firestore = cloud.openFirestore();
  }

  @Override
  public String emulator() {
    return cloud.firestoreHost();
  }

  @Override
  public synchronized State state() {
    long now = System.nanoTime();
    if (state == null || now - stateNanos > STATE_NANOS) {
      state = look();
      stateNanos = now;
    }
    return state;
  }

  private State look() {
    List<String> ids = counterIds();
    List<String> shownIds = ids.subList(0, Math.min(MOST_COUNTERS, ids.size()));
    List<ApiFuture<QuerySnapshot>> shards = shownIds.stream().map(id -> shards(id).get()).toList();
    QuerySnapshot highest =
        done(
            firestore
                .collection(layout.rollups())
                .orderBy("count", Query.Direction.DESCENDING)
                .limit(HIGHEST)
                .get());
    List<Shown> shown = new ArrayList<>();
    for (int i = 0; i < shownIds.size(); i++) {
      shown.add(shown(shownIds.get(i), done(shards.get(i))));
    }
    return new State(
        cloud.project(),
        emulator(),
        new Names(
            layout.countersCollection(), layout.shards(), layout.rollups(), layout.countField()),
        shown,
        ids.size() > MOST_COUNTERS,
        highest.getDocuments().stream().flatMap(LocalControls::place).toList(),
        cloud.operations(),
        traffic.perSecond(),
        EnumSet.copyOf(faults),
        cloud.rollUp().isAlive());
  }

  /** Those without a document of their own too; one more than are shown, if there are so many. */
  private List<String> counterIds() {
    return StreamSupport.stream(
            firestore.collection(layout.countersCollection()).listDocuments().spliterator(), false)
        .limit(MOST_COUNTERS + 1L)
        .map(DocumentReference::getId)
        .toList();
  }

  private CollectionReference shards(String counter) {
    return firestore.collection(layout.shardsCollection(CounterPath.of(counter)));
  }

  private Shown shown(String id, QuerySnapshot shards) {
    List<@Nullable Long> counts = new ArrayList<>();
    int onCounted = 0;
    boolean poisoned = false;
    for (DocumentSnapshot shard : sorted(shards)) {
      counts.add(shard.get(layout.countField()) instanceof Long count ? count : null);
      poisoned |= shard.getId().equals(POISON);
      onCounted += shard.getId().equals(POISON) ? 0 : 1;
    }
    long exact = counts.stream().filter(Objects::nonNull).mapToLong(Long::longValue).sum();
    long read = shards.getReadTime().toSqlTimestamp().getTime();
    return new Shown(id, counts, exact, onCounted, poisoned, read);
  }

  /** By number, with 2 before 10. */
  private static List<QueryDocumentSnapshot> sorted(QuerySnapshot shards) {
    return shards.getDocuments().stream()
        .sorted(
            Comparator.comparingInt((QueryDocumentSnapshot shard) -> shard.getId().length())
                .thenComparing(DocumentSnapshot::getId))
        .toList();
  }

  private static Stream<Place> place(DocumentSnapshot rollup) {
    return rollup.get("count") instanceof Number count
        ? Stream.of(new Place(rollup.getId(), count))
        : Stream.empty();
  }

  @Override
  public void setTraffic(double perSecond) {
    if (!(perSecond >= 0 && perSecond <= MOST_TRAFFIC)) {
      throw new IllegalArgumentException(
          "traffic: expected 0 to %.0f increments a second; found %s"
              .formatted(MOST_TRAFFIC, perSecond));
    }
    traffic.turn(perSecond);
    forget();
  }

  @Override
  public synchronized void setFault(EventFault fault, boolean happens) {
    if (happens) {
      faults.add(fault);
    } else {
      faults.remove(fault);
    }
    cloud
        .deliveries()
        .inject(
            new DeliveryFaults(
                faults.contains(EventFault.DOUBLED) ? DOUBLED_EVENTS : 0,
                faults.contains(EventFault.LATE) ? LATEST_EVENT : Duration.ZERO,
                0,
                faults.contains(EventFault.LOST) ? LOST_EVENTS : 0,
                SEED));
    forget();
  }

  @Override
  public synchronized void killRoller() {
    if (!cloud.rollUp().isAlive()) {
      throw new IllegalArgumentException("roller: expected it to run; it is dead already");
    }
    cloud.rollUp().kill();
    var unused =
        nurse.schedule(cloud.rollUp()::restart, ROLLER_DOWN.toMillis(), TimeUnit.MILLISECONDS);
    forget();
  }

  @Override
  public void sweep() {
    cloud.sweep();
  }

  @Override
  public void poisonShard(String counter, boolean poisoned) {
    DocumentReference poison = shards(counter).document(POISON);
    done(poisoned ? poison.set(Map.of(layout.countField(), Double.NaN)) : poison.delete());
    forget();
  }

  @Override
  public void createCounter(String id, int shards) {
    done(
        Counters.of(firestore, CounterOptions.DEFAULT.withLayout(layout))
            .counter(id)
            .create(shards));
    forget();
  }

  /** So that a page sees what it has just done. */
  private synchronized void forget() {
    state = null;
  }

  private static <T extends @Nullable Object> T done(ApiFuture<T> future) {
    try {
      return future.get(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof CounterException refused) {
        throw new IllegalArgumentException(refused.getMessage(), refused);
      }
      throw new IllegalStateException(e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("Firestore has not answered within " + ANSWER_WITHIN, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Takes away what it has put in the way; the roller, if dead, stays so. */
  @Override
  public void close() {
    nurse.shutdownNow();
    cloud.deliveries().inject(DeliveryFaults.NONE);
    firestore.shutdown();
  }
}
