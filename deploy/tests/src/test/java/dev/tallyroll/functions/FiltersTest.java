package dev.tallyroll.functions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.CompletableFuture.completedFuture;
import static java.util.concurrent.CompletableFuture.failedFuture;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import com.google.cloud.firestore.Firestore;
import dev.tallyroll.CounterPath;
import dev.tallyroll.LogMetrics;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Mark;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.internal.Rollup.Whose;
import dev.tallyroll.internal.Sum;
import dev.tallyroll.it.TestTotals;
import dev.tallyroll.platform.Instance;
import dev.tallyroll.platform.JsonLog;
import dev.tallyroll.platform.MessageHandling;
import dev.tallyroll.platform.Role;
import dev.tallyroll.platform.ThreadEventLoop;
import dev.tallyroll.platform.Topic;
import dev.tallyroll.protocol.CounterId;
import dev.tallyroll.protocol.CounterPages;
import dev.tallyroll.protocol.CounterPages.CounterPage;
import dev.tallyroll.protocol.CounterPages.Group;
import dev.tallyroll.protocol.CounterStore;
import dev.tallyroll.protocol.RollupStore;
import dev.tallyroll.protocol.RollupStore.Reading;
import dev.tallyroll.protocol.RollupStore.Written;
import dev.tallyroll.protocol.ShardSummer;
import dev.tallyroll.runs.LiveStore;
import dev.tallyroll.runs.LiveStore.Listed;
import dev.tallyroll.runs.LiveStore.LiveList;
import dev.tallyroll.runs.RunStore;
import dev.tallyroll.runs.RunStore.RunState;
import dev.tallyroll.settings.Settings;
import dev.tallyroll.store.FirestoreStore;
import io.cloudevents.core.builder.CloudEventBuilder;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The filters of the log metrics and the lines of the functions. Each filter matches its lines, and
 * no line of a healthy system matches a filter with an alert.
 */
class FiltersTest {
  private static final Map<String, String> SETTINGS =
      Map.of(
          "TOTALS",
          TestTotals.of("counters").with("every", "PT0.1S").text(),
          "LEASE",
          "PT0.3S",
          "SLACK",
          "PT0S",
          "RUN",
          "PT2S");

  private static final Settings READ = Settings.from(SETTINGS::get);
  private static final CounterId LIKES = READ.entries().get(0).counter(CounterPath.of("likes"));

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ThreadEventLoop loop = new ThreadEventLoop("test", InstantSource.system());
  private final RunStore runs = mock(RunStore.class);
  private final LiveStore<CounterId> live = mock();
  private final RollupStore rollups = mock();
  private final ShardSummer sums = mock();
  private final CounterPages pages = mock();
  private final FirestoreStore store =
      new FirestoreStore(new CounterStore(READ.entries(), live, rollups, sums, pages), runs);
  private final Topic topic = mock(Topic.class);
  private final AtomicLong total = new AtomicLong();
  private final MessageHandling rollUp =
      new Wiring(
              READ,
              new Instance(
                  Role.ROLL_UP,
                  log("RollUp"),
                  loop,
                  mock(Firestore.class),
                  Role.ROLL_UP.calls(loop),
                  topic),
              store)
          .messages();

  private JsonLog log(String function) {
    return new JsonLog(new PrintStream(out, true, UTF_8), function);
  }

  /** Sets up a healthy store with one live counter. Each sum finds a change. */
  @BeforeEach
  void answer() {
    live(false, new Listed<>(LIKES, Instant.now()));
    when(live.liveSince(any())).thenAnswer(call -> done(list(false)));
    lease(Instant.now().plusSeconds(1));
    when(sums.sumOrRemains(any()))
        .thenAnswer(call -> done(sum(new Total.Whole(total.incrementAndGet()))));
    when(rollups.write(any(), any()))
        .thenAnswer(call -> done(Optional.of(new Written(Instant.now()))));
    when(pages.page(any(), any(), any(), anyInt())).thenReturn(done(page()));
    when(runs.newHolder()).thenReturn("me");
    when(runs.read(anyString()))
        .thenAnswer(
            call ->
                done(
                    new RunState(
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        false,
                        Instant.now())));
    when(runs.claim(any(), any(), any(), any())).thenReturn(done(Optional.of(Instant.now())));
    when(runs.release(any(), any())).thenReturn(done(true));
    when(topic.wake(anyString())).thenReturn(CompletableFuture.allOf());
  }

  @AfterEach
  void end() {
    loop.close();
  }

  private static <T> CompletableFuture<T> done(T answer) {
    return completedFuture(answer);
  }

  private static <T> CompletableFuture<T> unavailable() {
    return failedFuture(new IllegalStateException("UNAVAILABLE"));
  }

  @SafeVarargs
  @SuppressWarnings("varargs")
  private void live(boolean cut, Listed<CounterId>... entries) {
    when(live.live(any())).thenAnswer(call -> done(list(cut, entries)));
  }

  @SafeVarargs
  @SuppressWarnings("varargs")
  private static LiveList<CounterId> list(boolean cut, Listed<CounterId>... entries) {
    return new LiveList<>(List.of(entries), Instant.now(), cut);
  }

  private void lease(Instant until) {
    when(rollups.read(any(CounterId.class))).thenAnswer(call -> done(reading(Optional.of(until))));
  }

  private static Reading reading(Optional<Instant> lease) {
    Instant then = Instant.now().minusSeconds(100);
    return new Reading(
        Optional.of(new Rollup(new Total.Whole(0), 1, then, lease, then)), Instant.now());
  }

  private static Sum sum(Total total) {
    return new Sum(total, 1, Instant.now());
  }

  private static CounterPage page(CounterId... counters) {
    return new CounterPage(List.of(counters), counters.length, "");
  }

  private void send(String kind) throws Exception {
    String message = "{\"message\":{\"attributes\":{\"kind\":\"" + kind + "\"}}}";
    rollUp.handle(
        CloudEventBuilder.v1()
            .withId("id")
            .withSource(URI.create("//pubsub"))
            .withType("google.cloud.pubsub.topic.v1.messagePublished")
            .withData(message.getBytes(UTF_8))
            .build());
  }

  private void sweep(Sum sum) throws Exception {
    when(rollups.shows(any(), any())).thenReturn(done(true));
    when(pages.page(any(), eq(Group.ROLLUPS), any(), anyInt())).thenReturn(done(page(LIKES)));
    when(rollups.read(any(CounterId.class))).thenAnswer(call -> done(reading(Optional.empty())));
    when(sums.sumOrRemains(any())).thenReturn(done(sum));
    send("sweep");
  }

  @Test
  void healthySystem_tellsNobody() throws Exception {
    send("run");
    live(false);
    send("run");
    sweep(sum(new Total.Whole(0)));

    assertThat(matching())
        .containsExactlyInAnyOrder("lag-p50", "lag-p99", "live", "roll-ups", "runs", "sweeps");
  }

  @Test
  void lease_thatNobodyHasSettledForAMinute() throws Exception {
    lease(Instant.now().minusSeconds(121));
    send("run");

    assertThat(matching()).contains("overdue", "runs").doesNotContain("failures", "cut");
  }

  @Test
  void run_thatFails() throws Exception {
    when(live.live(any())).thenReturn(unavailable());

    send("run");

    assertThat(matching()).containsExactly("failures");
  }

  @Test
  void counter_whoseCallsKeepFailing() throws Exception {
    when(sums.sumOrRemains(any())).thenReturn(unavailable());
    send("run");

    assertThat(matching()).contains("failures");
    assertThat(out.toString(UTF_8)).contains("\"counter\":\"counters/likes\"");
  }

  @Test
  void list_thatIsCut() throws Exception {
    live(true, new Listed<>(LIKES, Instant.now()));
    send("run");

    assertThat(matching()).contains("cut").doesNotContain("failures");
  }

  @Test
  void drift() throws Exception {
    sweep(sum(new Total.Whole(5)));

    assertThat(matching()).containsExactlyInAnyOrder("drift", "sweeps");
  }

  @Test
  void badValue() throws Exception {
    sweep(sum(new Total.Fraction(Double.NaN)));

    assertThat(matching()).containsExactlyInAnyOrder("bad-values", "sweeps");
  }

  /** Their functions have other settings, or somebody else has made the document. */
  @Test
  void rollUps_withAnotherMark() throws Exception {
    when(pages.page(any(), eq(Group.ROLLUPS), any(), anyInt())).thenReturn(done(page(LIKES)));
    Rollup foreign =
        new Rollup(
            new Total.Whole(0), 1, Instant.EPOCH, Optional.empty(), Instant.EPOCH, Whose.FOREIGN);
    Mark mark = new Mark("counters/likes", "number of counters/{1}/shards");
    when(rollups.read(any(CounterId.class)))
        .thenReturn(done(new Reading(Optional.of(foreign), Optional.of(mark), Instant.now())));
    when(sums.sum(any())).thenReturn(done(new Sum(new Total.Whole(3), 1, Instant.now())));
    send("sweep");

    assertThat(matching()).containsExactlyInAnyOrder("other-settings", "sweeps");
    verify(rollups, never()).write(any(), any());
  }

  /** A sweep is behind once a round takes more than a day. */
  @Test
  void sweep_thatFails_isNotBehindYet() throws Exception {
    when(pages.page(any(), eq(Group.COUNTERS), any(), anyInt())).thenReturn(unavailable());
    send("sweep");
    assertThat(out.toString(UTF_8)).contains("\"message\":\"sweep\"", "\"complete\":\"false\"");
    assertThat(matching()).containsExactly("sweeps");

    out.reset();
    when(pages.page(any(), eq(Group.COUNTERS), any(), anyInt())).thenReturn(done(page()));
    when(pages.page(any(), eq(Group.ROLLUPS), any(), anyInt())).thenReturn(done(page(LIKES)));
    when(rollups.read(any(CounterId.class))).thenReturn(unavailable());
    send("sweep");
    assertThat(out.toString(UTF_8)).contains("\"message\":\"sweep\"", "\"failed\":1");
    assertThat(matching()).containsExactly("sweeps");
  }

  /** The metrics whose filters match a line. */
  private Set<String> matching() {
    List<String> lines = out.toString(UTF_8).lines().toList();
    assertThat(lines).isNotEmpty();
    return LogMetrics.counted(lines).keySet();
  }
}
