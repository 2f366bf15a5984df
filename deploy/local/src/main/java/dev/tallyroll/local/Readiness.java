package dev.tallyroll.local;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;

/**
 * Waits until a child answers HTTP requests, or fails as soon as it is known that it never will.
 * Thread-safe.
 */
final class Readiness {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration POLL_EVERY = Duration.ofMillis(50);
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(2);
  private static final String PORT_TAKEN = "Address already in use";

  private final HttpClient http;

  Readiness(HttpClient http) {
    this.http = http;
  }

  /** Any answer counts: the servers differ in what they say to a stranger. */
  void await(ChildProcess child, String name, URI address) {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!answers(address)) {
      requireAlive(child, name, address);
      if (System.nanoTime() - deadline > 0) {
        throw new LocalCloudException(
            "expected %s to answer at %s within %s, found no answer:%n%s"
                .formatted(name, address, LIMIT, child.lastLines().shown()));
      }
      pause();
    }
    requireAlive(child, name, address);
  }

  private static void requireAlive(ChildProcess child, String name, URI address) {
    // Its end is put together first: that waits for the rest of its output.
    var death = child.isAlive() ? Optional.<LocalCloudException>empty() : Optional.of(child.died());
    // The Pub/Sub emulator lives on without its port, and another program answers in its place.
    if (child.lastLines().contain(PORT_TAKEN)) {
      throw new PortTakenException("another program took the port of " + name + " at " + address);
    }
    if (death.isPresent()) {
      throw death.get();
    }
  }

  private boolean answers(URI address) {
    var request = HttpRequest.newBuilder(address).timeout(ANSWER_WITHIN).build();
    try {
      http.send(request, BodyHandlers.discarding());
      return true;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static void pause() {
    try {
      Thread.sleep(POLL_EVERY.toMillis());
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private static LocalCloudException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new LocalCloudException("interrupted while waiting for a child to start", e);
  }
}
