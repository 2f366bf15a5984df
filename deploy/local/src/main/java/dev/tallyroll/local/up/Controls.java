package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.CounterPath;
import dev.tallyroll.Counters;
import dev.tallyroll.Layout;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.Operations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * What the console's page may see and do besides what any client can: as an administrator, whom no
 * rule binds. It shows the counters at the root of the database, as the rules are for those. Calls
 * return within seconds; what is refused is an {@code IllegalArgumentException} whose message the
 * page shows. Thread-safe.
 */
final class Controls implements AutoCloseable {
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
  private final Traffic traffic;
  private final Firestore firestore;
  private final Counters counters;
  private final Set<EventFault> faults = EnumSet.noneOf(EventFault.class);
  private final ScheduledExecutorService nurse =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setNameFormat("console-restart").setDaemon(true).build());
  private @Nullable State state;
  private long stateNanos;

  /** What can be done to events on their way from Firestore to the function. */
  enum EventFault {
    LATE,
    DOUBLED,
    LOST
  }

  /**
   * Everything at one moment.
   *
   * @param emulator host and port of Firestore, which the page talks to as any client does
   * @param names of collections and fields, for the Web SDK
   * @param counters those that are shown, by id
   * @param moreCounters whether there are others
   * @param highest the highest totals, the highest first
   * @param operations what the functions have done so far
   * @param traffic increments a second
   * @param faults those that happen now
   */
  record State(
      String project,
      String emulator,
      Names names,
      List<Shown> counters,
      boolean moreCounters,
      List<Place> highest,
      Operations operations,
      double traffic,
      Set<EventFault> faults,
      boolean rollerRuns) {}

  /** As the functions' settings have them. */
  record Names(String counters, String shards, String rollups, String count) {}

  /**
   * One counter as its shards have it.
   *
   * @param counts of the shards, null for one that is no number
   * @param exact the sum of those that are
   * @param shards how many of them clients count on: 0 to {@code shards - 1}
   * @param poisoned whether {@link #poisonShard} has been there
   * @param readMillis when Firestore read them, since 1970
   */
  record Shown(
      String id,
      List<@Nullable Long> counts,
      long exact,
      int shards,
      boolean poisoned,
      long readMillis) {}

  /** A total as its roll-up has it. */
  record Place(String id, Number count) {
    static Place of(Map.Entry<String, RolledUpTotal> found) {
      return new Place(found.getKey(), found.getValue().total().number());
    }
  }

  Controls(LocalCloud cloud, Layout layout, Traffic traffic) {
    this.cloud = cloud;
    this.layout = layout;
    this.traffic = traffic;
    this.firestore = cloud.openFirestore();
    this.counters = Counters.of(firestore, CounterOptions.DEFAULT.withLayout(layout));
  }

  String emulator() {
    return cloud.firestoreHost();
  }

  /** It is asked for about once a second by each open page. */
  synchronized State state() {
    long now = System.nanoTime();
    if (state == null || now - stateNanos > STATE_NANOS) {
      state = look();
      stateNanos = now;
    }
    return state;
  }

  private State look() {
    List<String> ids = counterIds();
    Map<String, ApiFuture<QuerySnapshot>> shards = new LinkedHashMap<>();
    ids.stream().limit(MOST_COUNTERS).forEach(id -> shards.put(id, shards(id).get()));
    var highest = counters.top(HIGHEST);
    List<Shown> shown = new ArrayList<>();
    shards.forEach((id, found) -> shown.add(shown(id, done(found))));
    return new State(
        cloud.project(),
        emulator(),
        new Names(
            layout.countersCollection(), layout.shards(), layout.rollups(), layout.countField()),
        shown,
        ids.size() > MOST_COUNTERS,
        done(highest).entrySet().stream().map(Place::of).toList(),
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
    boolean poisoned = false;
    for (DocumentSnapshot shard : sorted(shards)) {
      counts.add(shard.get(layout.countField()) instanceof Long count ? count : null);
      poisoned |= shard.getId().equals(POISON);
    }
    long exact = counts.stream().filter(Objects::nonNull).mapToLong(Long::longValue).sum();
    long read = shards.getReadTime().toSqlTimestamp().getTime();
    return new Shown(id, counts, exact, counts.size() - (poisoned ? 1 : 0), poisoned, read);
  }

  /** By number, with 2 before 10. */
  private static List<QueryDocumentSnapshot> sorted(QuerySnapshot shards) {
    return shards.getDocuments().stream()
        .sorted(
            Comparator.comparingInt((QueryDocumentSnapshot shard) -> shard.getId().length())
                .thenComparing(DocumentSnapshot::getId))
        .toList();
  }

  /** How many increments a second to make, over all counters; 0 for none. */
  void setTraffic(double perSecond) {
    if (!(perSecond >= 0 && perSecond <= MOST_TRAFFIC)) {
      throw new IllegalArgumentException(
          "traffic: expected 0 to %.0f increments a second; found %s"
              .formatted(MOST_TRAFFIC, perSecond));
    }
    traffic.turn(perSecond);
    forget();
  }

  /** Has that happen to some of the events from now on, or to none. */
  synchronized void setFault(EventFault fault, boolean happens) {
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

  /** Ends the roller's process, as a crash would; it is started again some seconds later. */
  synchronized void killRoller() {
    if (!cloud.rollUp().isAlive()) {
      throw new IllegalArgumentException("roller: expected it to run; it is dead already");
    }
    cloud.rollUp().kill();
    var unused =
        nurse.schedule(cloud.rollUp()::restart, ROLLER_DOWN.toMillis(), TimeUnit.MILLISECONDS);
    forget();
  }

  /** Asks for a sweep, which puts right what lost events have left wrong. */
  void sweep() {
    cloud.sweep();
  }

  /**
   * Puts a value that cannot be summed among the counter's shards, or takes it away. No increment
   * is lost by that.
   */
  void poisonShard(String counter, boolean poisoned) {
    DocumentReference poison = shards(counter).document(POISON);
    done(poisoned ? poison.set(Map.of(layout.countField(), Double.NaN)) : poison.delete());
    forget();
  }

  /** Makes a counter at zero, as a server would: the rules let no client do so. */
  void createCounter(String id, int shards) {
    done(counters.counter(id).create(shards));
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
