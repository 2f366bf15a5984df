package dev.tallyroll.library;

import static dev.tallyroll.local.Answers.get;
import static org.mockito.Mockito.mock;

import com.google.api.core.ApiFuture;
import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.ListenerRegistration;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.BufferOptions;
import dev.tallyroll.Counter;
import dev.tallyroll.CounterException;
import dev.tallyroll.CounterTotal;
import dev.tallyroll.Counters;
import dev.tallyroll.Increment;
import dev.tallyroll.RolledUpTotal;
import dev.tallyroll.Total;
import dev.tallyroll.fake.FakeCounters;
import dev.tallyroll.firestore.FirestoreCounters;
import dev.tallyroll.local.LocalCloud;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The Java library in this JVM, on Firestore or in memory. Thread-safe, but for what is awaited.
 */
final class JavaSide implements Side {
  private static final Instant NEVER = Instant.parse("2999-01-01T00:00:00Z");

  private final Optional<LocalCloud> cloud;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private ObservedCalls calls = new ObservedCalls();
  private @Nullable Firestore firestore;
  private Counters root = new FakeCounters();
  private Counters unwatched = root;
  private volatile @Nullable Increment prepared;
  private volatile Instant committed = Instant.EPOCH;

  private JavaSide(Optional<LocalCloud> cloud) {
    this.cloud = cloud;
    connect();
  }

  static JavaSide on(LocalCloud cloud) {
    return new JavaSide(Optional.of(cloud));
  }

  static JavaSide inMemory() {
    return new JavaSide(Optional.empty());
  }

  private void connect() {
    cloud.ifPresent(
        local -> {
          calls = new ObservedCalls();
          firestore = calls.connect(local);
          root = FirestoreCounters.of(firestore);
          unwatched = FirestoreCounters.of(firestore, TestClient.UNWATCHED);
        });
  }

  @Override
  public void restart() {
    close(firestore);
    connect();
  }

  @Override
  public boolean isHolding() {
    return calls.isHolding();
  }

  @Override
  public void goOn() {
    calls.goOn();
  }

  private static void close(@Nullable Firestore client) {
    if (client != null) {
      client.shutdown();
    }
  }

  @Override
  public CompletableFuture<Answer> call(Ask ask) {
    calls.send(ask.sent(), ask.isHeld());
    return CompletableFuture.supplyAsync(() -> answer(ask), threads);
  }

  private Answer answer(Ask ask) {
    try {
      return new Answer(result(ask), Optional.empty(), "");
    } catch (IllegalArgumentException bad) {
      return new Answer("", Optional.of("bad"), "" + bad.getMessage());
    } catch (ExecutionException failed) {
      return new Answer("", Optional.of(kind(failed.getCause())), "" + failed.getMessage());
    } catch (Exception failed) {
      return new Answer("", Optional.of("other"), "" + failed);
    }
  }

  private static String kind(@Nullable Throwable cause) {
    if (cause instanceof CounterException) {
      String name = cause.getClass().getSimpleName();
      return Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }
    return cause != null && ("" + cause.getMessage()).contains("NOT_FOUND") ? "notFound" : "other";
  }

  private String result(Ask ask) throws Exception {
    Counters some = (ask.place().hasTotal() ? root : unwatched).below(ask.place().below());
    Counter counter = some.counter(ask.place().id());
    List<String> args = ask.args();
    return switch (ask.call()) {
      case "create" -> none(counter.create(number(args.get(0))));
      case "createMissing" -> "" + get(counter.createMissing(number(args.get(0))));
      case "add" -> {
        committed =
            get(
                isWhole(args.get(0))
                    ? counter.add(whole(args.get(0)))
                    : counter.addFraction(fraction(args.get(0))));
        yield "";
      }
      case "addOnce" ->
          ""
              + get(
                  isWhole(args.get(1))
                      ? counter.addOnce(args.get(0), whole(args.get(1)))
                      : counter.addFractionOnce(args.get(0), fraction(args.get(1))));
      case "prepare" -> {
        prepared = get(counter.prepare(whole(args.get(0))));
        yield "";
      }
      case "again" -> {
        prepared = get(prepared().again());
        yield "";
      }
      case "addTo" -> {
        addTo(args.get(0));
        yield "";
      }
      case "exactTotal" -> text(get(counter.exactTotal()));
      case "awaitTotal" -> text(get(counter.awaitTotal(committed, Duration.ofMinutes(1))).total());
      case "awaitTotalInVain" -> text(get(counter.awaitTotal(NEVER, Duration.ofMillis(1))).total());
      case "total" -> text(get(counter.total()).total());
      case "listen" -> text(listen(counter).total());
      case "reader" -> {
        RolledUpTotal total = get(some.reader(ask.place().id()).total());
        yield text(total.total())
            + " "
            + total.number()
            + " "
            + text(new Total.Fraction(total.average()));
      }
      case "reset" -> text(get(counter.reset()));
      case "resize" -> none(counter.resize(number(args.get(0))));
      case "compact" -> "" + get(counter.compact(Duration.ofMillis(whole(args.get(0)))));
      case "delete" -> none(counter.delete());
      case "top" -> text(some.top(number(args.get(0))));
      case "list" -> text(some.list(own(args.get(0)), own(args.get(1)), number(args.get(2))));
      case "totals" -> text(some.totals(args));
      case "buffered" -> {
        try (var buffered = some.buffered(BufferOptions.DEFAULT)) {
          var one = buffered.counter(ask.place().id());
          var first = one.add(whole(args.get(0)));
          var second = one.add(whole(args.get(1)));
          get(buffered.flush());
          committed = get(first);
          yield "" + get(first).equals(get(second));
        }
      }
      default -> throw new IllegalStateException("expected a call; found " + ask.call());
    };
  }

  private Increment prepared() {
    return Optional.ofNullable(prepared).orElseThrow();
  }

  private void addTo(String like) throws Exception {
    if (firestore == null) {
      prepared().addTo(mock(WriteBatch.class));
      return;
    }
    var batch =
        firestore
            .batch()
            .create(firestore.document("likes-of-parity/" + UUID.randomUUID() + like), Map.of());
    prepared().addTo(batch);
    get(batch.commit());
  }

  private static RolledUpTotal listen(Counter counter) throws Exception {
    var first = new CompletableFuture<RolledUpTotal>();
    ListenerRegistration listening = counter.listen(first::complete, first::completeExceptionally);
    try {
      return first.get();
    } finally {
      listening.remove();
    }
  }

  private static String none(ApiFuture<?> call) throws Exception {
    get(call);
    return "";
  }

  private static String text(ApiFuture<List<CounterTotal>> totals) throws Exception {
    return get(totals).stream()
        .map(one -> one.id() + " " + text(one.total().total()))
        .collect(Collectors.joining(" "));
  }

  /** The number, as JavaScript prints it. */
  private static String text(Total total) {
    double value = total.doubleValue();
    return Math.rint(value) == value && Math.abs(value) < 1e15 ? "" + (long) value : "" + value;
  }

  private static boolean isWhole(String word) {
    return !word.contains(".");
  }

  private static long whole(String word) {
    return Long.parseLong(word);
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private static double fraction(String word) {
    return Double.parseDouble(word);
  }

  private static String own(String word) {
    return word.equals("-") ? "" : word;
  }

  @Override
  public void close() {
    close(firestore);
    threads.shutdown();
  }

  @Override
  public String toString() {
    return "java";
  }
}
