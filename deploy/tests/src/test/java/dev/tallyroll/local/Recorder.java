package dev.tallyroll.local;

import com.google.protobuf.ByteString;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.tallyroll.Waiting;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * Records the events of {@link StubFunction}s, and makes later events fail on request. Thread-safe.
 */
final class Recorder implements AutoCloseable {
  static final int OK = 200;
  static final int FAIL = 500;

  private final List<Received> received = new CopyOnWriteArrayList<>();
  private final AtomicInteger toFail = new AtomicInteger();
  private volatile CountDownLatch held = new CountDownLatch(0);
  private final HttpServer server = Loopback.serve(this::receive);

  record Received(String function, Event event) {
    boolean isAbout(String document) {
      return event.attribute("document").equals(document);
    }
  }

  String address() {
    return Loopback.uri(server.getAddress().getPort(), "/").toString();
  }

  /** Holds back all later answers until this is closed. */
  void holdAnswers() {
    held = new CountDownLatch(1);
  }

  void failNext(int count) {
    toFail.set(count);
  }

  /** Waits until so many records match; returns them. */
  List<Received> await(int count, Predicate<Received> wanted) throws InterruptedException {
    Waiting.await(count + " events arrived").until(() -> matching(wanted).size() >= count);
    return matching(wanted);
  }

  List<Received> matching(Predicate<Received> wanted) {
    return received.stream().filter(wanted).toList();
  }

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      var headers = new TreeMap<String, String>();
      exchange
          .getRequestHeaders()
          .forEach((name, values) -> headers.put(name.toLowerCase(Locale.ROOT), values.get(0)));
      var body = ByteString.copyFrom(exchange.getRequestBody().readAllBytes());
      received.add(
          new Received(exchange.getRequestURI().getPath().substring(1), new Event(headers, body)));
      awaitRelease();
      boolean fail = toFail.getAndUpdate(left -> Math.max(0, left - 1)) > 0;
      exchange.sendResponseHeaders(fail ? FAIL : OK, -1);
    }
  }

  private void awaitRelease() {
    try {
      held.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    held.countDown();
    server.stop(0);
  }
}
