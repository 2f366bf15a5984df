package dev.tallyroll.platform;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ThreadEventLoopTest {
  private static final Instant NOON = Instant.parse("2026-05-01T12:00:00Z");

  @Test
  void steps_runOnOneNamedDaemon() throws Exception {
    try (ThreadEventLoop loop = new ThreadEventLoop("protocol", () -> NOON)) {
      CompletableFuture<Thread> one = CompletableFuture.supplyAsync(Thread::currentThread, loop);
      CompletableFuture<Thread> later =
          loop.after(Duration.ofMillis(20)).thenApply(none -> Thread.currentThread());

      Thread thread = one.get(10, TimeUnit.SECONDS);
      assertThat(later.get(10, TimeUnit.SECONDS)).isSameAs(thread);
      assertThat(thread.getName()).isEqualTo("protocol");
      assertThat(thread.isDaemon()).isTrue();
    }
  }

  @Test
  void time_isTheClocks() throws Exception {
    try (ThreadEventLoop loop = new ThreadEventLoop("protocol", () -> NOON)) {
      assertThat(loop.instant()).isEqualTo(NOON);
      assertThat(loop.after(Duration.ofSeconds(-1)).get(10, TimeUnit.SECONDS)).isNull();
      assertThat(loop.after(Duration.ofSeconds(60))).isNotDone();
    }
  }
}
