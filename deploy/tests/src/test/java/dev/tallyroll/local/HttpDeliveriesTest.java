package dev.tallyroll.local;

import static dev.tallyroll.Waiting.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tallyroll.local.HttpDeliveries.Backoff;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HttpDeliveriesTest {
  private static final Backoff QUICK =
      new Backoff(Duration.ofMillis(1), Duration.ofMillis(5), Duration.ofHours(1));

  private final Recorder function = new Recorder();
  private final List<String> logged = new CopyOnWriteArrayList<>();
  private HttpDeliveries deliveries =
      deliveries(HttpDeliveries.CONCURRENCY, QUICK, function.address());

  @AfterEach
  void close() {
    deliveries.close();
    function.close();
  }

  @Test
  void manyEvents_areEachDeliveredOnce() throws Exception {
    submit(500);
    awaitQuiet();

    assertThat(receivedIds()).hasSize(500).doesNotHaveDuplicates();
    assertCounts(Map.of(Occurrence.EVENT, 500L, Occurrence.DELIVERED, 500L));
  }

  @Test
  void failures_areRepeatedUntilDelivered() throws Exception {
    function.failNext(30);

    submit(10);
    awaitQuiet();

    assertThat(receivedIds()).hasSize(40);
    assertThat(receivedIds().stream().distinct()).hasSize(10);
    assertCounts(Map.of(Occurrence.EVENT, 10L, Occurrence.RETRIED, 30L, Occurrence.DELIVERED, 10L));
  }

  @Test
  void eventThatIsTooOld_isGivenUp() throws Exception {
    deliverTo(
        new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), Duration.ZERO), function.address());
    function.failNext(1);

    submit(1);
    awaitQuiet();

    assertThat(deliveries.count(Occurrence.GIVEN_UP)).isEqualTo(1);
    assertThat(logged).singleElement().asString().contains("gave up event 0", "status 500");
  }

  @Test
  void deliveryToNobody_isToldInWords() throws Exception {
    function.close();
    deliverTo(
        new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), Duration.ZERO), function.address());

    submit(1);
    awaitQuiet();

    assertThat(logged)
        .containsExactly("gave up event 0 after 0 s: nothing listens at " + function.address());
  }

  @Test
  void duplicates_areCounted() throws Exception {
    deliveries.inject(DeliveryFaults.duplicating(0.5, 1));

    submit(200);
    awaitQuiet();

    long duplicated = deliveries.count(Occurrence.EVENT_DOUBLED);
    assertThat(duplicated).isBetween(50L, 150L);
    assertThat(receivedIds()).hasSize((int) (200 + duplicated));
  }

  @Test
  void delays_reorder() throws Exception {
    deliveries.inject(DeliveryFaults.reordering(Duration.ofMillis(200), 1));

    submit(50);
    awaitQuiet();

    assertThat(receivedIds())
        .isNotEqualTo(ids(50).toList())
        .containsExactlyInAnyOrderElementsOf(ids(50).toList());
    assertThat(deliveries.count(Occurrence.EVENT_LATE)).isEqualTo(50);
  }

  @Test
  void lostAnswers_repeatTheDelivery() throws Exception {
    deliveries.inject(DeliveryFaults.losingAnswers(0.5, 1));

    submit(50);
    awaitQuiet();

    long lost = deliveries.count(Occurrence.ANSWER_LOST);
    assertThat(lost).isBetween(20L, 100L).isEqualTo(deliveries.count(Occurrence.RETRIED));
    assertThat(receivedIds()).hasSize((int) (50 + lost));
    assertThat(deliveries.count(Occurrence.DELIVERED)).isEqualTo(50);
  }

  @Test
  void sameSeed_drawsTheSameFaults() {
    var faults =
        DeliveryFaults.duplicating(0.3, 9).and(DeliveryFaults.reordering(Duration.ofSeconds(1), 9));
    var first = new DeliveryFaults.Draw(faults);
    var second = new DeliveryFaults.Draw(faults);

    assertThat(Stream.generate(first::next).limit(100).toList())
        .isEqualTo(Stream.generate(second::next).limit(100).toList());
  }

  @Test
  void delayedEvents_areDeliveredLaterAndPendingUntilThen() throws Exception {
    deliveries.delay(Duration.ofMinutes(10));
    submit(3);
    deliveries.delay(Duration.ofMillis(1));

    deliveries.submit(event("soon"));

    await("the last one came").until(() -> !receivedIds().isEmpty());
    assertThat(receivedIds()).containsExactly("soon");
    await("it is counted").until(() -> deliveries.pending() == 3);
  }

  @Test
  void severalInstances_shareTheEvents() throws Exception {
    try (var second = new Recorder()) {
      deliverTo(QUICK, function.address(), second.address());

      for (int event = 0; event < 50; event++) {
        submit(1);
        awaitQuiet();
      }

      assertThat(receivedIds()).hasSizeBetween(10, 40);
      assertThat(second.ids).hasSize(50 - receivedIds().size());
    }
  }

  @Test
  void instanceThatIsGone_leavesItsEventsToTheOthers() throws Exception {
    var gone = new Recorder();
    deliverTo(QUICK, gone.address(), function.address());
    gone.close();

    submit(50);
    awaitQuiet();

    assertThat(receivedIds()).containsExactlyInAnyOrderElementsOf(ids(50).toList());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, HttpDeliveries.CONCURRENCY})
  void fullInstance_keepsFurtherEventsWaiting(int concurrency) throws Exception {
    var arrived = new AtomicInteger();
    var held = new ConcurrentLinkedQueue<HttpExchange>();
    var instance =
        Loopback.serve(
            exchange -> {
              arrived.incrementAndGet();
              held.add(exchange);
            });
    deliverTo(concurrency, QUICK, Loopback.uri(instance.getAddress().getPort(), "/").toString());

    int all = concurrency + 20;
    submit(all);

    await("it is full").until(() -> held.size() == concurrency);
    assertThat(deliveries.pending()).isEqualTo(all);
    for (int answered = 0; answered < all; answered++) {
      await("one more is there").until(() -> !held.isEmpty());
      assertThat(held).hasSizeLessThanOrEqualTo(concurrency);
      var exchange = Objects.requireNonNull(held.poll());
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
    }
    awaitQuiet();
    assertThat(arrived).hasValue(all);
    instance.stop(0);
  }

  @Test
  void backoff_doublesUpToItsLongest() {
    assertThat(
            IntStream.of(1, 2, 3, 7, 8, Integer.MAX_VALUE)
                .mapToObj(Backoff.LOCAL::after)
                .map(Duration::toMillis))
        .containsExactly(100L, 200L, 400L, 6_400L, 10_000L, 10_000L);
  }

  private void deliverTo(Backoff backoff, String... instances) {
    deliverTo(HttpDeliveries.CONCURRENCY, backoff, instances);
  }

  private void deliverTo(int concurrency, Backoff backoff, String... instances) {
    deliveries.close();
    deliveries = deliveries(concurrency, backoff, instances);
  }

  private HttpDeliveries deliveries(int concurrency, Backoff backoff, String... instances) {
    var addresses = Stream.of(instances).map(URI::create).toList();
    return new HttpDeliveries(addresses, concurrency, Loopback.client(), backoff, logged::add);
  }

  private void assertCounts(Map<Occurrence, Long> expected) {
    for (var what : Occurrence.values()) {
      assertThat(deliveries.count(what)).as(what.name()).isEqualTo(expected.getOrDefault(what, 0L));
    }
  }

  private void submit(int count) {
    ids(count).forEach(id -> deliveries.submit(event(id)));
  }

  private static Event event(String id) {
    return new Event(Map.of("ce-id", id), ByteString.copyFromUtf8("data"));
  }

  private static Stream<String> ids(int count) {
    return IntStream.range(0, count).mapToObj(String::valueOf);
  }

  private void awaitQuiet() throws InterruptedException {
    await("nothing is pending").until(() -> deliveries.pending() == 0);
  }

  private List<String> receivedIds() {
    return List.copyOf(function.ids);
  }

  /** Keeps the ids of the events that it gets, and fails on some if it is asked to. */
  private static final class Recorder implements AutoCloseable {
    final List<String> ids = new CopyOnWriteArrayList<>();
    private final AtomicInteger toFail = new AtomicInteger();
    private final HttpServer server =
        Loopback.serve(
            exchange -> {
              ids.add(exchange.getRequestHeaders().getFirst("ce-id"));
              boolean fails = toFail.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
              exchange.sendResponseHeaders(fails ? 500 : 200, -1);
              exchange.close();
            });

    String address() {
      return Loopback.uri(server.getAddress().getPort(), "/").toString();
    }

    void failNext(int count) {
      toFail.set(count);
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }
}
