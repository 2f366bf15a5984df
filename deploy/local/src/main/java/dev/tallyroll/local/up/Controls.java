package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.Counters;
import dev.tallyroll.functions.Settings;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.Occurrence;
import dev.tallyroll.local.Operations;
import dev.tallyroll.local.up.Totals.State;
import dev.tallyroll.local.up.Totals.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Carries out what the page asks for, and makes the state that the page shows: all counters of
 * {@link Totals}, {@value #MOST_COUNTERS} at a time. It acts as an administrator, so security rules
 * do not bind it. Calls return within seconds. A refused call throws an {@code
 * IllegalArgumentException}, whose message the page shows. Thread-safe.
 */
final class Controls implements AutoCloseable {
  private static final int MOST_COUNTERS = 24;
  private static final int HIGHEST = 10;
  private static final double MOST_TRAFFIC = 1_000;

  /** Long enough for a person to see that RollUp is down. */
  private static final Duration ROLLUP_DOWN = Duration.ofSeconds(3);

  private static final Duration ANSWER_WITHIN = Duration.ofMinutes(1);
  private static final Duration LATEST_EVENT = Duration.ofSeconds(4);
  private static final double DOUBLED_EVENTS = 0.5;
  private static final double LOST_EVENTS = 0.3;
  private static final long SEED = 1;

  /** The id of a shard that no client increments, so that its removal loses nothing. */
  private static final String POISON = "poison";

  private final LocalCloud cloud;
  private final Settings settings;
  private final Traffic traffic;
  private final Firestore firestore;
  private final Counters counters;
  private final Set<EventFault> faults = EnumSet.noneOf(EventFault.class);
  private final ScheduledExecutorService restarts =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setNameFormat("rollup-restart").setDaemon(true).build());
  private final Totals all;
  private final String rules;
  private final String nothingFound;

  /** The faults of events between Firestore and the function. */
  enum EventFault {
    LATE,
    DOUBLED,
    LOST
  }

  /** The order of the counters on a page. */
  enum Order {
    BUSIEST,
    NAME
  }

  /**
   * The counters that a page shows.
   *
   * @param search text that their paths contain
   * @param page the number of the page, from 0
   */
  record View(String search, Order order, int page) {
    static final View FIRST = new View("", Order.BUSIEST, 0);

    List<State> matching(List<State> all) {
      var byName = Comparator.comparing(State::counter);
      var order =
          this.order == Order.NAME
              ? byName
              : Comparator.comparingDouble(State::pace).reversed().thenComparing(byName);
      String part = search.toLowerCase(Locale.ROOT);
      return all.stream()
          .filter(each -> each.counter().toLowerCase(Locale.ROOT).contains(part))
          .sorted(order)
          .toList();
    }
  }

  /**
   * The state of the page at one moment.
   *
   * @param emulator host and port of Firestore, which the page uses as any client does
   * @param rules the rights of clients, in words
   * @param advice that {@link Totals#advice} gives
   * @param folds whether the counters are fields, with FOLD
   * @param countField the field of the shards
   * @param polled the collection of the polled counters; empty for none
   * @param counters those of the page
   * @param found how many counters match the search
   * @param pageSize how many counters a page shows
   * @param highest the highest totals, the highest first
   * @param operations the functions' operations so far
   * @param work the functions' billed work so far
   * @param traffic increments a second
   * @param trafficCounters how many counters get them
   * @param faults the faults that are switched on
   * @param complaints the last warnings and errors of the functions
   */
  record PageState(
      String project,
      String emulator,
      String rules,
      String advice,
      boolean folds,
      String countField,
      String polled,
      List<Shown> counters,
      int found,
      int pageSize,
      List<Place> highest,
      Operations operations,
      Work work,
      double traffic,
      int trafficCounters,
      Set<EventFault> faults,
      boolean rollUpRuns,
      List<String> complaints) {}

  /**
   * The work so far that Cloud Run and Pub/Sub would bill.
   *
   * @param events delivered to OnShardWritten
   * @param messages delivered to RollUp
   * @param handlerSeconds billed seconds of OnShardWritten's instances
   * @param rollUpSeconds billed seconds of RollUp's instances
   */
  record Work(long events, long messages, double handlerSeconds, double rollUpSeconds) {
    static Work of(LocalCloud cloud) {
      return new Work(
          cloud.deliveries().count(Occurrence.DELIVERED),
          cloud.messages().count(Occurrence.DELIVERED),
          cloud.deliveries().billedSeconds(),
          cloud.messages().billedSeconds());
    }
  }

  /**
   * One counter.
   *
   * @param id its name, by {@link Named}
   * @param shardsPath the collection of its shards
   * @param rollupPath the document of its total
   * @param polled whether it is a polled counter, which makes no events
   * @param held whether its total is held
   * @param counts the counts of its shards, null for a count that is no number
   * @param total its total in words, at the time of the sum
   * @param exact the sum of its shards, in words
   * @param right whether total and sum are the same
   * @param lag seconds since they were last the same
   * @param why the reason for a total that stands still, else what the counter needs; empty for
   *     neither
   * @param shards how many shards clients use: 0 to {@code shards - 1}
   * @param poisoned whether it has the shard of {@link #poisonShard}
   */
  record Shown(
      String id,
      String shardsPath,
      String rollupPath,
      boolean polled,
      boolean held,
      List<@Nullable Double> counts,
      String total,
      String exact,
      Verdict right,
      double lag,
      double rate,
      String why,
      int shards,
      boolean poisoned) {
    /** A field, with FOLD: {@code exact} is what it holds and what shards still hold of it. */
    static Shown field(State field) {
      return new Shown(
          field.counter(),
          /* shardsPath= */ "",
          /* rollupPath= */ "",
          /* polled= */ false,
          /* held= */ false,
          List.of(),
          words(field.total()),
          words(field.exact()),
          field.right(),
          field.lag(),
          field.rate(),
          /* why= */ "",
          /* shards= */ 0,
          /* poisoned= */ false);
    }
  }

  /** A counter and the total in its roll-up. */
  record Place(String id, Number count) {}

  /**
   * @param rules the rights of clients, in words
   * @param nothingFound the advice where there is no counter at all
   * @param all the counters that the pages show
   */
  Controls(
      LocalCloud cloud,
      Settings settings,
      Traffic traffic,
      String rules,
      String nothingFound,
      Totals all) {
    this.cloud = cloud;
    this.rules = rules;
    this.nothingFound = nothingFound;
    this.settings = settings;
    this.traffic = traffic;
    this.firestore = cloud.openFirestore();
    this.all = all;
    this.counters = DemoCounter.counters(firestore, settings);
  }

  String emulator() {
    return cloud.firestoreHost();
  }

  /** The state for a page. Each open page asks for it about once a second. */
  synchronized PageState state(View view) {
    List<State> looked = look();
    List<State> found = view.matching(looked);
    List<State> some =
        found.stream().skip((long) view.page * MOST_COUNTERS).limit(MOST_COUNTERS).toList();
    boolean folds = settings.fold().isPresent();
    return new PageState(
        cloud.project(),
        emulator(),
        rules,
        all.advice(nothingFound),
        folds,
        settings.layout().countField(),
        settings.polled().map(Layout::counters).orElse(""),
        folds ? some.stream().map(Shown::field).toList() : shown(some),
        found.size(),
        MOST_COUNTERS,
        highest(looked),
        cloud.operations(),
        Work.of(cloud),
        traffic.perSecond(),
        traffic.size(),
        EnumSet.copyOf(faults),
        cloud.rollUp().isAlive(),
        cloud.complaints());
  }

  private List<State> look() {
    try {
      return all.look();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private List<Shown> shown(List<State> some) {
    Map<State, ApiFuture<QuerySnapshot>> shards = new LinkedHashMap<>();
    some.forEach(each -> shards.put(each, shards(each.counter()).get()));
    List<Shown> shown = new ArrayList<>();
    shards.forEach((each, documents) -> shown.add(shown(each, done(documents))));
    return shown;
  }

  private static List<Place> highest(List<State> looked) {
    return looked.stream()
        .filter(each -> each.total() != null && Double.isFinite(each.total().doubleValue()))
        .map(each -> new Place(each.counter(), each.total()))
        .sorted(Comparator.comparingDouble((Place place) -> place.count().doubleValue()).reversed())
        .limit(HIGHEST)
        .toList();
  }

  private Counter counter(String name) {
    return Named.of(settings, name).in(counters);
  }

  private CollectionReference shards(String counter) {
    Named name = Named.of(settings, counter);
    return firestore.collection(name.layout().shardsCollection(name.path()));
  }

  private Shown shown(State counter, QuerySnapshot shards) {
    Named name = Named.of(settings, counter.counter());
    String rollup = name.layout().rollupDocument(name.path());
    List<@Nullable Double> counts = new ArrayList<>();
    List<String> bad = new ArrayList<>();
    boolean poisoned = false;
    for (DocumentSnapshot shard : sorted(shards)) {
      double count =
          shard.get(name.layout().countField()) instanceof Number number
              ? number.doubleValue()
              : Double.NaN;
      counts.add(Double.isFinite(count) ? count : null);
      if (!Double.isFinite(count)) {
        bad.add(shard.getId());
      }
      poisoned |= shard.getId().equals(POISON);
    }
    String why = why(counter, rollup, bad);
    return new Shown(
        counter.counter(),
        name.layout().shardsCollection(name.path()),
        rollup,
        counter.polled(),
        counter.held(),
        counts,
        words(counter.total()),
        words(counter.exact()),
        counter.right(),
        counter.lag(),
        counter.rate(),
        why.isEmpty() ? needs(name, counts.size()) : why,
        counts.size() - (poisoned ? 1 : 0),
        poisoned);
  }

  private static String words(@Nullable Number number) {
    return number == null ? "none" : number.toString();
  }

  /** The first reason for a wrong total; empty if there is none. */
  private String why(State counter, String rollup, List<String> bad) {
    if (counter.right() == Verdict.YES) {
      return "";
    }
    if (!bad.isEmpty()) {
      return "shard " + bad.get(0) + " holds no number that can be summed";
    }
    if (counter.total() == null && done(firestore.document(rollup).get()).exists()) {
      return rollup + " is somebody else's: it lacks the mark";
    }
    if (!cloud.rollUp().isAlive() && (counter.live() || counter.polled())) {
      return "RollUp is down";
    }
    return counter.live() && !counter.held() && cloud.runsUnderway() == 0
        ? "no run is at work: the schedule starts one within a minute"
        : "";
  }

  /** Says how many shards it needs, if the functions have logged that these are too few. */
  private String needs(Named name, int shards) {
    String document = name.layout().counterDocument(name.path());
    int needed =
        Math.max(
            cloud.onShardWritten().shardsNeeded(document), cloud.rollUp().shardsNeeded(document));
    return needed > shards ? "needs " + needed + " shards" : "";
  }

  /** Sorts shards by their numbers, with 2 before 10. */
  private static List<QueryDocumentSnapshot> sorted(QuerySnapshot shards) {
    return shards.getDocuments().stream()
        .sorted(
            Comparator.comparingInt((QueryDocumentSnapshot shard) -> shard.getId().length())
                .thenComparing(DocumentSnapshot::getId))
        .toList();
  }

  /** Sets the number of increments a second, over all counters; 0 for none. */
  void setTraffic(double perSecond) {
    if (!(perSecond >= 0 && perSecond <= MOST_TRAFFIC)) {
      throw new IllegalArgumentException(
          "traffic: expected 0 to %.0f increments a second; found %s"
              .formatted(MOST_TRAFFIC, perSecond));
    }
    traffic.turn(perSecond);
    all.changed();
  }

  /** Switches a fault of later events on or off. */
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
    all.changed();
  }

  /** Ends RollUp's process, as a crash would. A new one starts some seconds later. */
  synchronized void killRollUp() {
    if (!cloud.rollUp().isAlive()) {
      throw new IllegalArgumentException("RollUp: expected it to run; it is dead already");
    }
    cloud.rollUp().kill();
    var unused =
        restarts.schedule(cloud.rollUp()::restart, ROLLUP_DOWN.toMillis(), TimeUnit.MILLISECONDS);
    all.changed();
  }

  /** Asks for a sweep, which corrects the totals that lost events have made wrong. */
  void sweep() {
    cloud.sweep();
  }

  /** Adds a shard whose value cannot be summed, or removes this shard. No increment is lost. */
  void poisonShard(String counter, boolean poisoned) {
    DocumentReference poison = shards(counter).document(POISON);
    String field = settings.layout().countField();
    done(poisoned ? poison.set(Map.of(field, Double.NaN)) : poison.delete());
    all.changed();
  }

  /** Creates a counter at zero as a server, because the rules allow this to no client. */
  void createCounter(String name, int shards) {
    done(counter(name).create(shards));
    all.changed();
  }

  /** Adds a whole number, which may be negative, to a random shard, as a server would. */
  void add(String counter, long n) {
    done(counter(counter).add(n));
    all.changed();
  }

  /** Changes the number of a counter's shards. The total stays. */
  void resize(String counter, int shards) {
    done(counter(counter).resize(shards));
    all.changed();
  }

  /** Deletes a counter with its shards; the functions then remove its roll-up. */
  void delete(String counter) {
    done(counter(counter).delete());
    all.changed();
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

  /** Removes the faults of events. RollUp, if it was killed, stays dead. */
  @Override
  public void close() {
    restarts.shutdownNow();
    cloud.deliveries().inject(DeliveryFaults.NONE);
    firestore.shutdown();
  }
}
