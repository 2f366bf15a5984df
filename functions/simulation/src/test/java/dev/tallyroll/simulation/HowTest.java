package dev.tallyroll.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.CounterPath;
import dev.tallyroll.Total;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.Rollup;
import dev.tallyroll.protocol.ShardWrites;
import dev.tallyroll.runs.Timing;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The timeline of one counter in the README beside the code of the functions. */
class HowTest {
  private static final CounterPath LIKES = CounterPath.of("likes");
  private static final Timing TIMING =
      new Timing(Duration.ofSeconds(1), Duration.ofSeconds(5), Duration.ofSeconds(1), 15);
  private static final Duration EVENT = Duration.ofMillis(50);
  private static final Duration MESSAGE = Duration.ofMillis(100);

  private final World world = World.scripted(TIMING);
  private final Instant began = world.time.now();
  private final Rollers rollers = new Rollers(world, Layout.DEFAULT);
  private final World.Instance instance = world.instance();
  private final ShardWrites handler = world.handler(instance, Layout.DEFAULT, this::wake);
  private final List<Row> rows = new ArrayList<>();
  private Optional<Rollup> before = Optional.empty();
  private Rollers.RollUpInstance woken = rollers.new RollUpInstance();
  private long count;

  /** A row of the timeline. Consecutive rows of one kind become one, with the last one's fields. */
  private record Row(Instant time, String what, int times, String fields) {}

  private CompletableFuture<Void> wake(String liveId) {
    woken = rollers.new RollUpInstance();
    world.time.after(MESSAGE, () -> woken.take(/* wakeUp= */ true, 0));
    return CompletableFuture.completedFuture(null);
  }

  private void happens(double second, String what, Runnable action) {
    world.time.after(
        Duration.ofMillis((long) (second * 1_000)),
        () -> {
          row(what, " | | |");
          action.run();
        });
  }

  private void increments(double from, double to, double pause) {
    for (double at = from; at < to - 1e-9; at += pause) {
      world.time.after(Duration.ofMillis(Math.round(at * 1_000)), this::increment);
    }
  }

  private void increment() {
    Instant committed = world.put(LIKES, new Total.Whole(++count));
    world.time.after(
        EVENT,
        () -> {
          var unused = handler.written(world.event(LIKES, committed));
        });
  }

  private void rollupChanged(CounterPath counter, Optional<Rollup> found) {
    world.history.rollupChanged(counter, found);
    Rollup now = found.orElseThrow();
    boolean wasLive = before.map(this::isLive).orElse(false);
    String lease = now.liveUntil().map(this::second).orElse("");
    row(
        what(now, wasLive),
        " %s | %s | %s |"
            .formatted(now.total().number(), second(now.asOf()), lease.isEmpty() ? "none" : lease));
    before = found;
  }

  private String what(Rollup now, boolean wasLive) {
    if (before.isEmpty()) {
      return "OnShardWritten creates the roll-up, with a lease that has ended";
    }
    if (now.liveUntil().isEmpty()) {
      return before.get().liveUntil().isPresent()
          ? "RollUp settles the total and removes the lease"
          : "OnShardWritten sums and writes";
    }
    if (!wasLive && isLive(now)) {
      return "OnShardWritten makes the counter live and wakes RollUp";
    }
    if (now.liveUntil().equals(before.get().liveUntil())) {
      return wasLive ? "RollUp sums and writes" : "OnShardWritten sums and writes";
    }
    return "RollUp sums, writes and renews the lease";
  }

  private boolean isLive(Rollup rollup) {
    return rollup.liveUntil().filter(until -> until.isAfter(rollup.asOf())).isPresent();
  }

  private void row(String what, String fields) {
    Row last = rows.isEmpty() ? new Row(began, "", 0, "") : rows.get(rows.size() - 1);
    boolean again = last.what.equals(what);
    if (again) {
      rows.remove(rows.size() - 1);
    }
    rows.add(new Row(world.time.now(), what, again ? last.times + 1 : 1, fields));
  }

  private String second(Instant time) {
    return String.format(Locale.ROOT, "%.2f", Duration.between(began, time).toMillis() / 1e3);
  }

  private String shown(Row row) {
    String times = row.times > 1 ? " (" + row.times + " times so far)" : "";
    return "| %s | %s%s |%s".formatted(second(row.time), row.what, times, row.fields);
  }

  @Test
  void timeline_isTheDocuments() throws Exception {
    world.totals.onRollup(this::rollupChanged);
    happens(0, "**Quiet.** A server creates the counter with a shard", () -> {});
    world.time.after(
        Duration.ZERO,
        () -> {
          count = -1;
          increment();
        });
    happens(2, "A client adds 1, and the event arrives 0.05 s later", this::increment);
    happens(
        5, "The schedule starts a run, which finds the new roll-up", () -> rollers.start(false, 0));
    happens(10, "**Burst.** Clients add 1 each tenth of a second, for 4 s", () -> {});
    increments(10, 14, 0.1);
    happens(14, "Nobody adds any more", () -> {});
    happens(60, "**Crash.** Clients add 1 each tenth of a second, for 3 s", () -> {});
    increments(60, 63, 0.1);
    happens(
        62.5, "RollUp's instance crashes; the lease and the live list stay", () -> woken.crash());
    happens(
        70, "The schedule starts a run, which finds the live list", () -> rollers.start(false, 0));

    world.time.pass(Duration.ofSeconds(90));

    world.checkExact();
    String table = rows.stream().map(this::shown).collect(Collectors.joining("\n", "", "\n"));
    Files.writeString(Path.of("target", "how.md"), table);
    assertThat(Files.readString(Path.of("../src/main/java/dev/tallyroll/README.md")))
        .contains(table);
  }
}
