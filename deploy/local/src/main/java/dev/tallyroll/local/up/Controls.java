package dev.tallyroll.local.up;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.CollectionReference;
import com.google.cloud.firestore.Firestore;
import com.google.common.collect.Maps;
import com.google.common.util.concurrent.ThreadFactoryBuilder;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.PathPattern;
import dev.tallyroll.internal.ShardSums;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.local.DeliveryFaults;
import dev.tallyroll.local.LocalCloud;
import dev.tallyroll.local.Occurrence;
import dev.tallyroll.local.Operations;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import dev.tallyroll.settings.FoldSettings;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Carries out what the page asks for, and says what the page cannot ask Firestore. It acts as an
 * administrator, so security rules do not bind it. Calls return within seconds. A refused call
 * throws an {@code IllegalArgumentException}, whose message the page shows. Thread-safe.
 */
final class Controls implements AutoCloseable {
  /** The uid with which the page writes. */
  private static final String PAGES_USER = "me";

  private static final double MOST_TRAFFIC = 1_000;

  /** Long enough for a person to see that RollUp is down. */
  private static final Duration ROLLUP_DOWN = Duration.ofSeconds(3);

  private static final Duration ANSWER_WITHIN = Duration.ofMinutes(1);
  private static final Duration LATEST_EVENT = Duration.ofSeconds(4);
  private static final double DOUBLED_EVENTS = 0.5;
  private static final double LOST_EVENTS = 0.3;
  private static final long SEED = 1;

  private final LocalCloud cloud;
  private final Served settings;
  private final Traffic traffic;
  private final Rights rights;
  private final Firestore firestore;
  private final Set<EventFault> faults = EnumSet.noneOf(EventFault.class);
  private final ScheduledExecutorService restarts =
      Executors.newSingleThreadScheduledExecutor(
          new ThreadFactoryBuilder().setNameFormat("rollup-restart").setDaemon(true).build());
  private double lastTraffic;
  private volatile String advice = "";

  /** What rules let a signed-in client add to a shard at a time. */
  enum Step {
    /** Any number, or nobody knows. */
    ANY,
    ONE,
    /** One, with a pass in the same commit, which the page does not write. */
    PASS
  }

  /** The rights of clients, in words and as the page needs them. */
  record Rights(String words, Step step) {}

  /** The faults of events between Firestore and the function. */
  enum EventFault {
    LATE,
    DOUBLED,
    LOST
  }

  /**
   * What the page cannot ask Firestore.
   *
   * @param emulator host and port of Firestore
   * @param rules the rights of clients, in words
   * @param step what they let a client add to a shard
   * @param totals where they are, for each entry
   * @param advice that {@link PageTotals#advice} gives
   * @param operations the functions' operations so far
   * @param work the functions' billed work so far
   * @param traffic changes a second
   * @param lastTraffic the same, when there were any last
   * @param played how many totals get them
   * @param faults the faults that are switched on
   * @param complaints the last warnings and errors of the functions
   */
  record State(
      String project,
      String database,
      String emulator,
      String rules,
      Step step,
      List<Names> totals,
      String advice,
      Operations operations,
      Work work,
      double traffic,
      double lastTraffic,
      int played,
      Set<EventFault> faults,
      boolean rollUpRuns,
      List<String> complaints) {}

  /**
   * An entry, and how the page finds its totals. With FOLD, there is one that stands for it.
   *
   * @param name the entry's
   * @param what its totals are of, in words
   * @param of the pattern of the collections that are summed; with FOLD, their name
   * @param document the pattern of the documents that totals are of; empty with FOLD
   * @param into the figures that these documents show, and in which fields
   * @param polls whether no write makes an event, and RollUp sums all of these totals
   * @param fold with FOLD, the patterns of documents; else empty
   * @param foldFields with FOLD, the only fields that are counted; empty for all
   * @param holdSeconds how long a total may be held
   * @param documents whether people's documents are counted
   * @param values the range of their numbers
   */
  record Names(
      String name,
      String what,
      String of,
      String document,
      String rollups,
      String countField,
      Map<Figure, String> into,
      boolean polls,
      List<String> fold,
      List<String> foldFields,
      double holdSeconds,
      boolean documents,
      String values) {
    static List<Names> of(Served settings) {
      return settings
          .fold()
          .map(fold -> List.of(of(fold)))
          .orElseGet(() -> settings.entries().stream().map(entry -> of(settings, entry)).toList());
    }

    private static Names of(FoldSettings fold) {
      return new Names(
          "fold",
          "numbers of " + Served.words(fold.layout().documents()),
          fold.layout().shards(),
          "",
          "",
          "",
          Map.of(),
          /* polls= */ false,
          fold.layout().documents().stream().map(PathPattern::toString).toList(),
          fold.fields().stream().map(FieldName::toString).toList(),
          /* holdSeconds= */ 0,
          /* documents= */ false,
          "");
    }

    private static Names of(Served settings, Entry entry) {
      Layout layout = entry.layout();
      Optional<Served.Documents> documents = settings.documents(entry);
      return new Names(
          entry.name(),
          layout.counted().map(field -> "sum of " + field + " in ").orElse("number of ")
              + layout.of(),
          layout.of(),
          layout.document(),
          layout.rollups(),
          layout.countField(),
          Maps.transformValues(entry.fields(), FieldName::toString),
          !entry.hasEvents(),
          List.of(),
          List.of(),
          entry.timing().hold().toMillis() / 1e3,
          documents.isPresent(),
          documents.map(Served.Documents::range).orElse(""));
    }
  }

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

  Controls(LocalCloud cloud, Served settings, Traffic traffic, Rights rights) {
    this.cloud = cloud;
    this.settings = settings;
    this.traffic = traffic;
    this.lastTraffic = traffic.perSecond();
    this.rights = rights;
    this.firestore = cloud.openFirestore();
  }

  String emulator() {
    return cloud.firestoreHost();
  }

  /** Each open page asks for it about once a second. */
  synchronized State state() {
    return new State(
        cloud.project(),
        cloud.database(),
        emulator(),
        rights.words(),
        rights.step(),
        Names.of(settings),
        advice,
        cloud.operations(),
        Work.of(cloud),
        traffic.perSecond(),
        lastTraffic,
        traffic.size(),
        EnumSet.copyOf(faults),
        cloud.rollUp().isAlive(),
        cloud.complaints());
  }

  /** Has the page show an advice; an empty one takes it back. */
  void advise(String text) {
    advice = text;
  }

  /** Sets the number of changes a second, over all totals; 0 for none. */
  synchronized void setTraffic(double perSecond) {
    if (!(perSecond >= 0 && perSecond <= MOST_TRAFFIC)) {
      throw new IllegalArgumentException(
          "traffic: expected 0 to %.0f changes a second; found %s"
              .formatted(MOST_TRAFFIC, perSecond));
    }
    traffic.turn(perSecond);
    lastTraffic = perSecond > 0 ? perSecond : lastTraffic;
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
  }

  /** Ends RollUp's process, as a crash would. A new one starts some seconds later. */
  synchronized void killRollUp() {
    if (!cloud.rollUp().isAlive()) {
      throw new IllegalArgumentException("RollUp: expected it to run; it is dead already");
    }
    cloud.rollUp().kill();
    var unused =
        restarts.schedule(cloud.rollUp()::restart, ROLLUP_DOWN.toMillis(), TimeUnit.MILLISECONDS);
  }

  /**
   * The documents of people that a total is of.
   *
   * @param sum of their numbers
   * @param number how many there are
   * @param isMine whether the page's user has one in their collection
   */
  record Held(Number sum, long number, boolean isMine) {}

  /**
   * Counts and sums the documents of a total.
   *
   * @param place the entry's name, a slash, and the document that the total is of
   */
  Held documents(String place) {
    int slash = Math.max(0, place.indexOf('/'));
    CounterId counter =
        settings.entries().stream()
            .filter(entry -> entry.name().equals(place.substring(0, slash)))
            .flatMap(
                entry ->
                    entry
                        .counterOfDocument(place.substring(Math.min(place.length(), slash + 1)))
                        .stream())
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "documents: expected an entry and a document of its totals; found "
                            + place));
    CollectionReference all = firestore.collection(counter.shards());
    Sum sum =
        done(
            new ShardSums(SumMode.AGGREGATE, counter.layout().counted())
                .sum(counter.conditions().of(all)));
    return new Held(
        sum.total().number(), sum.shards(), done(all.document(PAGES_USER).get()).exists());
  }

  /** Asks for a sweep, which corrects the totals that lost events have made wrong. */
  void sweep() {
    cloud.sweep();
  }

  /**
   * Creates a counter at zero as a server, because the rules allow this to no client.
   *
   * @param name its document, or its parent and its id
   */
  void createCounter(String name, int shards) {
    var unused = done(counter(name).create(shards));
  }

  private Counter counter(String name) {
    int slash = name.lastIndexOf('/');
    List<Entry> entries = settings.counters();
    if (entries.isEmpty()) {
      throw new IllegalArgumentException(
          "create: expected an entry of shards in the file of totals; found none");
    }
    CounterId found =
        entries.stream()
            .flatMap(entry -> entry.counterOfDocument(name).stream())
            .findFirst()
            .orElseGet(
                () ->
                    entries
                        .get(0)
                        .counter(
                            new CounterPath(
                                slash < 0 ? "" : name.substring(0, slash),
                                name.substring(slash + 1))));
    return DemoCounter.counters(firestore, found.entry()).counter(found.path());
  }

  private static <T> T done(ApiFuture<T> future) {
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
