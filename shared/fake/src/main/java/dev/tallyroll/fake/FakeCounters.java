package dev.tallyroll.fake;

import com.google.api.core.ApiFuture;
import com.google.api.core.ApiFutures;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.UpdateBuilder;
import dev.tallyroll.BufferOptions;
import dev.tallyroll.BufferedCounters;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import dev.tallyroll.CounterReader;
import dev.tallyroll.CounterTotal;
import dev.tallyroll.Counters;
import dev.tallyroll.Increment;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Arguments;
import dev.tallyroll.internal.AwaitedTotal;
import dev.tallyroll.internal.Buffer;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.ids.Names;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Counters in memory, for tests of code that counts: no Firestore, no functions, no waiting. Calls
 * have the same outcomes and failures as on Firestore, and their futures are complete at once. Safe
 * for use by many threads.
 *
 * <p>Each write is in its total at once. On Firestore this takes a moment, which a test can imitate
 * by {@link #hold}. No counter is ever live, names do not expire, no listening ends by itself, and
 * {@link Counter#compact} finds no retired shards.
 *
 * <p>An {@link Increment} counts when it is first added to a batch or a transaction, since it
 * cannot see whether the commit fails. It counts only once, also if a transaction is tried again.
 *
 * <p>{@linkplain #buffered Buffered} counters wait as on Firestore; with a clock of the test's own,
 * they wait until {@link #commitDue}.
 */
public final class FakeCounters implements Counters {
  private static final Comparator<FakeCounter> BY_ID =
      Comparator.comparing(counter -> counter.path.id());
  private static final Comparator<FakeCounter> BY_TOTAL =
      Comparator.<FakeCounter>comparingDouble(counter -> counter.shown.doubleValue())
          .thenComparing(BY_ID);

  private final Database database;
  private final String parent;

  /** Holds no counters yet, and takes the system's clock. */
  public FakeCounters() {
    this(new Database(InstantSource.system(), Buffer.Timer::daemon), "");
  }

  /**
   * Commits at this clock's times; each is later than the one before, even while it stands.
   * Buffered adds wait for {@link #commitDue}.
   */
  public FakeCounters(InstantSource clock) {
    this(new Database(Arguments.present("clock", clock)), "");
  }

  private FakeCounters(Database database, String parent) {
    this.database = database;
    this.parent = Names.requireParent(parent);
  }

  /** Stops rolling up. */
  public void hold() {
    database.held = true;
  }

  /** Rolls up what was held, and then each write at once again. */
  public void release() {
    database.held = false;
    database.all().forEach(FakeCounter::rollUp);
  }

  /**
   * Sets what a {@link #reader} of an app's own documents reads, as the functions do after a write
   * of these.
   *
   * @param number how many documents there are, 0 or more
   */
  public void setTotal(CounterPath path, Total total, long number) {
    Arguments.between("number", 0L, Long.MAX_VALUE, number);
    Arguments.present("total", total);
    database.counter(summed(Arguments.present("path", path))).set(total, number);
  }

  /** Commits the buffered adds whose delay has passed by the test's clock. */
  public void commitDue() {
    database.due().forEach(Runnable::run);
  }

  @Override
  public Counters below(String path) {
    return new FakeCounters(database, path);
  }

  @Override
  public Counter counter(String id) {
    return counter(new CounterPath(parent, id));
  }

  @Override
  public Counter counter(CounterPath path) {
    return database.counter(summed(Arguments.present("path", path)));
  }

  @Override
  public CounterReader reader(String id) {
    return counter(id);
  }

  @Override
  public CounterReader reader(CounterPath path) {
    return counter(path);
  }

  /** Refuses what no function would sum, with the names of the default options. */
  private static CounterPath summed(CounterPath path) {
    Layout.DEFAULT.counterDocument(path);
    return path;
  }

  @Override
  public BufferedCounters buffered(BufferOptions options) {
    return new Buffer(
        options,
        Layout.DEFAULT,
        parent,
        (path, sum) -> database.counter(path).increment(sum),
        database.timer.get());
  }

  @Override
  public ApiFuture<List<CounterTotal>> totals(Collection<String> ids) {
    return show(
        Arguments.ids(ids).stream()
            .map(id -> database.counter(summed(new CounterPath(parent, id)))));
  }

  @Override
  public ApiFuture<List<CounterTotal>> list(String prefix, String after, int most) {
    Arguments.start("prefix", prefix);
    Arguments.start("after", after);
    return show(
        rolledUp()
            .filter(counter -> counter.path.id().startsWith(prefix))
            .filter(counter -> counter.path.id().compareTo(after) > 0)
            .sorted(BY_ID)
            .limit(Arguments.most(most)));
  }

  @Override
  public ApiFuture<List<CounterTotal>> top(int most) {
    return show(rolledUp().sorted(BY_TOTAL.reversed()).limit(Arguments.most(most)));
  }

  private Stream<FakeCounter> rolledUp() {
    return database.all().stream()
        .filter(counter -> counter.path.parent().equals(parent))
        .filter(counter -> counter.shown.exists());
  }

  private static ApiFuture<List<CounterTotal>> show(Stream<FakeCounter> counters) {
    return ApiFutures.immediateFuture(
        counters.map(counter -> CounterTotal.of(counter.path, counter.shown)).toList());
  }

  @Override
  public String toString() {
    return "counters in memory below '" + parent + "'";
  }

  /** The state that the counters share, and the lock of all that they hold. */
  private static final class Database {
    private final Map<CounterPath, FakeCounter> counters = new HashMap<>();
    private final InstantSource clock;
    private final Supplier<Buffer.Timer> timer;
    private final Set<Task> tasks = new LinkedHashSet<>();
    private Instant latest = Instant.EPOCH;
    private volatile boolean held;

    Database(InstantSource clock, Supplier<Buffer.Timer> timer) {
      this.clock = clock;
      this.timer = timer;
    }

    /** With timers that run when the test says so. */
    Database(InstantSource clock) {
      this.clock = clock;
      this.timer = () -> this::schedule;
    }

    private record Task(Instant at, Runnable work) {}

    private synchronized Runnable schedule(Duration delay, Runnable work) {
      Task task = new Task(clock.instant().plus(delay), work);
      tasks.add(task);
      return () -> takeBack(task);
    }

    private synchronized void takeBack(Task task) {
      tasks.remove(task);
    }

    synchronized List<Runnable> due() {
      Instant now = clock.instant();
      return tasks.stream().filter(task -> !task.at.isAfter(now)).map(Task::work).toList();
    }

    synchronized FakeCounter counter(CounterPath path) {
      return counters.computeIfAbsent(path, absent -> new FakeCounter(this, path));
    }

    synchronized List<FakeCounter> all() {
      return List.copyOf(counters.values());
    }

    /** In microseconds, as Firestore's times are. */
    synchronized Instant commit() {
      Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
      latest = now.isAfter(latest) ? now : latest.plus(1, ChronoUnit.MICROS);
      return latest;
    }
  }

  /** One counter; all handles of it are this. */
  private static final class FakeCounter implements Counter {
    private final Database database;
    private final CounterPath path;
    private final Set<String> names = new HashSet<>();
    private final List<Consumer<RolledUpTotal>> listeners = new CopyOnWriteArrayList<>();
    private boolean exists;
    private long number;
    private Total exact = new Total.Whole(0);
    private volatile RolledUpTotal shown = RolledUpTotal.NONE;

    private FakeCounter(Database database, CounterPath path) {
      this.database = database;
      this.path = path;
    }

    @Override
    public CounterPath path() {
      return path;
    }

    @Override
    public ApiFuture<Void> create(int shards) {
      return isCreated(Arguments.shards(shards))
          ? ApiFutures.immediateFuture(null)
          : ApiFutures.immediateFailedFuture(new CounterException.Exists(path()));
    }

    /** Here it is there, or it is not: no test deletes a part of it. */
    @Override
    public ApiFuture<Integer> createMissing(int shards) {
      return ApiFutures.immediateFuture(isCreated(Arguments.shards(shards)) ? shards + 1 : 0);
    }

    private boolean isCreated(int shards) {
      synchronized (database) {
        if (exists) {
          return false;
        }
        exists = true;
        number = shards;
      }
      follow();
      return true;
    }

    void set(Total total, long ofShards) {
      synchronized (database) {
        exists = true;
        exact = total;
        number = ofShards;
      }
      follow();
    }

    @Override
    public ApiFuture<Instant> add(long delta) {
      return increment(Arguments.delta(delta));
    }

    @Override
    public ApiFuture<Instant> addFraction(double delta) {
      return increment(Arguments.delta(delta));
    }

    private ApiFuture<Instant> increment(Number delta) {
      return write(() -> count(delta));
    }

    private Instant count(Number delta) {
      exact = Total.add(List.of(exact.number(), delta));
      return database.commit();
    }

    @Override
    public ApiFuture<Increment> prepare(long delta) {
      return prepared(Arguments.delta(delta));
    }

    @Override
    public ApiFuture<Increment> prepareFraction(double delta) {
      return prepared(Arguments.delta(delta));
    }

    private ApiFuture<Increment> prepared(Number delta) {
      return write(() -> new FakeIncrement(delta));
    }

    /** Counts when it is first added, since it cannot see the commit. */
    private final class FakeIncrement implements Increment {
      private final Number delta;
      private boolean added;

      FakeIncrement(Number delta) {
        this.delta = delta;
      }

      @Override
      public void addTo(UpdateBuilder<?> writes) {
        synchronized (database) {
          if (exists && !added) {
            added = true;
            count(delta);
          }
        }
        follow();
      }

      @Override
      public ApiFuture<Increment> again() {
        return write(() -> this);
      }
    }

    @Override
    public ApiFuture<Instant> addOnce(long delta) {
      return add(delta);
    }

    @Override
    public ApiFuture<Boolean> addOnce(String name, long delta) {
      return increment(counted(name), Arguments.delta(delta));
    }

    @Override
    public ApiFuture<Boolean> addFractionOnce(String name, double delta) {
      return increment(counted(name), Arguments.delta(delta));
    }

    private String counted(String name) {
      Names.requireDocumentId("increment name", name);
      String names = Layout.DEFAULT.counterDocument(path) + "/" + Layout.INCREMENT_NAMES;
      Names.requirePath("increment name", names + "/" + name);
      return name;
    }

    private ApiFuture<Boolean> increment(String name, Number delta) {
      return write(
          () -> {
            boolean isNew = names.add(name);
            if (isNew) {
              count(delta);
            }
            return isNew;
          });
    }

    @Override
    public ApiFuture<RolledUpTotal> total() {
      return ApiFutures.immediateFuture(shown);
    }

    @Override
    public ApiFuture<RolledUpTotal> awaitTotal(Instant committed, Duration atMost) {
      AwaitedTotal awaited = new AwaitedTotal(path, committed, atMost);
      ListenerRegistration listening = listen(awaited::see, never -> {});
      awaited.addListener(listening::remove, Runnable::run);
      return awaited;
    }

    @Override
    public ApiFuture<Total> exactTotal() {
      synchronized (database) {
        return ApiFutures.immediateFuture(exact);
      }
    }

    @Override
    public ListenerRegistration listen(
        Consumer<RolledUpTotal> changed, Consumer<RuntimeException> ended) {
      return listen(Runnable::run, changed, ended);
    }

    @Override
    public ListenerRegistration listen(
        Executor executor, Consumer<RolledUpTotal> changed, Consumer<RuntimeException> ended) {
      Arguments.present("changed", changed);
      Arguments.present("ended", ended);
      Executor ordered = Arguments.inOrder(executor);
      Consumer<RolledUpTotal> listener = total -> ordered.execute(() -> changed.accept(total));
      listeners.add(listener);
      listener.accept(shown);
      return () -> listeners.remove(listener);
    }

    @Override
    public ApiFuture<Total> reset() {
      return write(
          () -> {
            Total taken = exact;
            exact = new Total.Whole(0);
            return taken;
          });
    }

    @Override
    public ApiFuture<Void> resize(int shards) {
      Arguments.shards(shards);
      return ApiFutures.transform(write(() -> number = shards), same -> null, Runnable::run);
    }

    @Override
    public ApiFuture<Integer> compact(Duration unwritten) {
      Arguments.unwritten(unwritten);
      return write(() -> 0);
    }

    @Override
    public ApiFuture<Void> delete() {
      synchronized (database) {
        exists = false;
        exact = new Total.Whole(0);
        names.clear();
      }
      follow();
      return ApiFutures.immediateFuture(null);
    }

    /** Does work that needs the counter to exist. */
    private <T> ApiFuture<T> write(Supplier<T> work) {
      T done;
      synchronized (database) {
        if (!exists) {
          return ApiFutures.immediateFailedFuture(new CounterException.NotFound(path()));
        }
        done = work.get();
      }
      follow();
      return ApiFutures.immediateFuture(done);
    }

    private void follow() {
      if (!database.held) {
        rollUp();
      }
    }

    /** Tells the listeners outside the lock, since they may do anything. */
    private void rollUp() {
      synchronized (database) {
        shown =
            exists ? RolledUpTotal.of(exact, number, database.commit(), false) : RolledUpTotal.NONE;
      }
      listeners.forEach(listener -> listener.accept(shown));
    }

    @Override
    public String toString() {
      return "counter " + path;
    }
  }
}
