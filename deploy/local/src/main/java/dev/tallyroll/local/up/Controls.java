package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.DocumentReference;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.QueryDocumentSnapshot;
import com.google.cloud.firestore.QuerySnapshot;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import com.google.gson.JsonObject;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterOptions;
import dev.tallyroll.Counters;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.Occurrence;
import dev.tallyroll.local.Operations;
import dev.tallyroll.stored.CounterPath;
import dev.tallyroll.stored.Layout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
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
 * The rights of the console's page beyond those of a client: it acts as an administrator, whom no
 * rule binds. It shows every counter that {@link AllCounters} finds, a page at a time. Calls return
 * within seconds; what is refused is an {@code IllegalArgumentException} whose message the page
 * shows. Thread-safe.
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

  private final LocalCloud cloud;
  private final Layout layout;
  private final Traffic traffic;
  private final Firestore firestore;
  private final Counters counters;
  private final Set<EventFault> faults = EnumSet.noneOf(EventFault.class);
  private final ScheduledExecutorService nurse =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setNameFormat("console-restart").setDaemon(true).build());
  private final AllCounters all;
  private final String rules;
  private final Map<View, State> states = new HashMap<>();
  private List<AllCounters.State> looked = List.of();

  /** The faults of events on their way from Firestore to the function. */
  enum EventFault {
    LATE,
    DOUBLED,
    LOST
  }

  /** In what order counters are shown. */
  enum Order {
    BUSIEST,
    NAME
  }

  /**
   * Which counters a page shows.
   *
   * @param search a part of their paths
   * @param page from 0
   */
  record View(String search, Order order, int page) {
    static final View FIRST = new View("", Order.BUSIEST, 0);

    List<AllCounters.State> matching(List<AllCounters.State> all) {
      var byName = Comparator.comparing(AllCounters.State::counter);
      var order =
          this.order == Order.NAME
              ? byName
              : Comparator.comparingDouble(AllCounters.State::rate)
                  .reversed()
                  .thenComparing(byName);
      String part = search.toLowerCase(Locale.ROOT);
      return all.stream()
          .filter(each -> each.counter().toLowerCase(Locale.ROOT).contains(part))
          .sorted(order)
          .toList();
    }
  }

  /**
   * Everything at one moment.
   *
   * @param emulator host and port of Firestore, which the page talks to as any client does
   * @param rules who may count
   * @param countField of the shards
   * @param counters those of the page
   * @param found how many match the search
   * @param pageSize how many a page shows
   * @param highest the highest totals, the highest first
   * @param operations what the functions have done so far
   * @param work for how long, and for how many requests
   * @param traffic increments a second
   * @param trafficCounters on how many counters
   * @param faults those that happen now
   * @param complaints the last warnings and errors of the functions
   * @param drawn RollUp's log lines that a dashboard draws, each with its time as {@code at}
   */
  record State(
      String project,
      String emulator,
      String rules,
      String countField,
      List<Shown> counters,
      int found,
      int pageSize,
      List<Place> highest,
      Operations operations,
      Work work,
      double traffic,
      int trafficCounters,
      Set<EventFault> faults,
      boolean rollerRuns,
      List<String> complaints,
      List<JsonObject> drawn) {}

  /**
   * The work that Cloud Run and Pub/Sub would bill until now.
   *
   * @param events that OnShardWritten has had
   * @param messages that RollUp has had
   * @param handlerSeconds of instances of OnShardWritten
   * @param rollerSeconds of instances of RollUp
   */
  record Work(long events, long messages, double handlerSeconds, double rollerSeconds) {
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
   * @param id the path of its parent, and its own id
   * @param shardsPath collection of its shards
   * @param rollupPath document of its total
   * @param counts of the shards, null for one that is no number
   * @param total in words, as it was when the shards were summed
   * @param exact their sum, in words
   * @param right whether these are the same
   * @param lag seconds since they last were
   * @param why there is a total that stands still; empty if it does not
   * @param shards how many of them clients count on: 0 to {@code shards - 1}
   * @param poisoned whether {@link #poisonShard} has been there
   */
  record Shown(
      String id,
      String shardsPath,
      String rollupPath,
      List<@Nullable Double> counts,
      String total,
      String exact,
      AllCounters.Verdict right,
      double lag,
      double rate,
      String why,
      int shards,
      boolean poisoned) {}

  /** A total as its roll-up has it. */
  record Place(String id, Number count) {
    static Place of(Map.Entry<String, RolledUpTotal> found) {
      return new Place(found.getKey(), found.getValue().total().number());
    }
  }

  /**
   * @param rules who may count, in words
   * @param all which the pages show
   */
  Controls(LocalCloud cloud, Layout layout, Traffic traffic, String rules, AllCounters all) {
    this.cloud = cloud;
    this.rules = rules;
    this.layout = layout;
    this.traffic = traffic;
    this.firestore = cloud.openFirestore();
    this.all = all;
    this.counters = Counters.of(firestore, CounterOptions.DEFAULT.withLayout(layout));
  }

  String emulator() {
    return cloud.firestoreHost();
  }

  /** It is asked for about once a second by each open page. */
  synchronized State state(View view) {
    List<AllCounters.State> now = look();
    if (now != looked) {
      looked = now;
      states.clear();
    }
    return states.computeIfAbsent(view, this::stateOf);
  }

  private List<AllCounters.State> look() {
    try {
      return all.look();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private State stateOf(View view) {
    List<AllCounters.State> found = view.matching(looked);
    Map<AllCounters.State, ApiFuture<QuerySnapshot>> shards = new LinkedHashMap<>();
    found.stream()
        .skip((long) view.page * MOST_COUNTERS)
        .limit(MOST_COUNTERS)
        .forEach(each -> shards.put(each, shards(path(each.counter())).get()));
    var highest = counters.top(HIGHEST);
    List<Shown> shown = new ArrayList<>();
    shards.forEach((each, documents) -> shown.add(shown(each, done(documents))));
    return new State(
        cloud.project(),
        emulator(),
        rules,
        layout.countField(),
        shown,
        found.size(),
        MOST_COUNTERS,
        done(highest).entrySet().stream().map(Place::of).toList(),
        cloud.operations(),
        Work.of(cloud),
        traffic.perSecond(),
        traffic.size(),
        EnumSet.copyOf(faults),
        cloud.rollUp().isAlive(),
        cloud.complaints(),
        cloud.rollUp().drawn());
  }

  /** Reads the text that {@link CounterPath#toString} has made. */
  private static CounterPath path(String counter) {
    int slash = counter.lastIndexOf('/');
    return new CounterPath(
        slash < 0 ? "" : counter.substring(0, slash), counter.substring(slash + 1));
  }

  private CollectionReference shards(CounterPath counter) {
    return firestore.collection(layout.shardsCollection(counter));
  }

  private Shown shown(AllCounters.State counter, QuerySnapshot shards) {
    CounterPath path = path(counter.counter());
    List<@Nullable Double> counts = new ArrayList<>();
    List<String> bad = new ArrayList<>();
    boolean poisoned = false;
    for (DocumentSnapshot shard : sorted(shards)) {
      double count =
          shard.get(layout.countField()) instanceof Number number
              ? number.doubleValue()
              : Double.NaN;
      counts.add(Double.isFinite(count) ? count : null);
      if (!Double.isFinite(count)) {
        bad.add(shard.getId());
      }
      poisoned |= shard.getId().equals(POISON);
    }
    return new Shown(
        counter.counter(),
        layout.shardsCollection(path),
        layout.rollupDocument(path),
        counts,
        words(counter.total()),
        words(counter.exact()),
        counter.right(),
        counter.lag(),
        counter.rate(),
        why(counter, path, bad),
        counts.size() - (poisoned ? 1 : 0),
        poisoned);
  }

  private static String words(@Nullable Number number) {
    return number == null ? "none" : number.toString();
  }

  /** The first reason that explains it. */
  private String why(AllCounters.State counter, CounterPath path, List<String> bad) {
    if (counter.right() == AllCounters.Verdict.YES) {
      return "";
    }
    if (!bad.isEmpty()) {
      return "shard " + bad.get(0) + " holds no number that can be summed";
    }
    if (counter.total() == null && done(rollup(path).get()).exists()) {
      return layout.rollupDocument(path) + " is somebody else's: it lacks the mark";
    }
    return counter.live() && !cloud.rollUp().isAlive() ? "the roller is down" : "";
  }

  private DocumentReference rollup(CounterPath counter) {
    return firestore.document(layout.rollupDocument(counter));
  }

  /** Sorts shards by their numbers, with 2 before 10. */
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
    all.changed();
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
    all.changed();
  }

  /** Ends the roller's process, as a crash would; it is started again some seconds later. */
  synchronized void killRoller() {
    if (!cloud.rollUp().isAlive()) {
      throw new IllegalArgumentException("roller: expected it to run; it is dead already");
    }
    cloud.rollUp().kill();
    var unused =
        nurse.schedule(cloud.rollUp()::restart, ROLLER_DOWN.toMillis(), TimeUnit.MILLISECONDS);
    all.changed();
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
    DocumentReference poison = shards(path(counter)).document(POISON);
    done(poisoned ? poison.set(Map.of(layout.countField(), Double.NaN)) : poison.delete());
    all.changed();
  }

  /** Makes a counter at zero, as a server would: the rules let no client do so. */
  void createCounter(String id, int shards) {
    done(counters.counter(id).create(shards));
    all.changed();
  }

  /** Adds a whole number, below zero too, to a random shard, as a server would. */
  void add(String counter, long n) {
    done(counters.counter(path(counter)).add(n));
    all.changed();
  }

  /** Gives a counter more shards or fewer; none of its count is lost. */
  void resize(String counter, int shards) {
    done(counters.counter(path(counter)).resize(shards));
    all.changed();
  }

  /** Deletes a counter with its shards; the functions then remove its roll-up. */
  void delete(String counter) {
    done(counters.counter(path(counter)).delete());
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

  /** Takes away what it has put in the way; the roller, if dead, stays so. */
  @Override
  public void close() {
    nurse.shutdownNow();
    cloud.deliveries().inject(DeliveryFaults.NONE);
    firestore.shutdown();
  }
}
