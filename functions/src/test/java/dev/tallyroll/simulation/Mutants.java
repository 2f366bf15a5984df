package dev.tallyroll.simulation;

import java.util.List;

/** Breakages that look harmless in review. */
final class Mutants {
  private static final String NOTHING = "return CompletableFuture.completedFuture(null);";

  private Mutants() {}

  static final List<Mutant> ALL =
      List.of(
          new Mutant(
              "settle early",
              "Leases.java",
              "readTime.isAfter(lease.until().plus(timing.slack()))",
              "true"),
          new Mutant(
              "settle without slack",
              "Leases.java",
              "lease.until().plus(timing.slack())",
              "lease.until()"),
          new Mutant(
              "shorten a lease",
              "Leases.java",
              "lease.until().isAfter(until) ? lease.until() : until",
              "until.minusSeconds(4)"),
          new Mutant(
              "covered by a total without slack",
              "Coverage.java",
              "committed.plus(slack)",
              "committed"),
          new Mutant(
              "any lease covers", "Coverage.java", "!leaseUntil.isBefore(committed)", "true"),
          new Mutant(
              "a remembered lease covers anything",
              "KnownLeases.java",
              "Coverage.byLease(end, committed.get())",
              "true"),
          new Mutant(
              "a remembered lease is longer than the stored one",
              "KnownLeases.java",
              "seen.until(), (a, b)",
              "seen.until().plusSeconds(5), (a, b)"),
          new Mutant(
              "a failed compare-and-set is taken as done",
              "ShardWrites.java",
              "return read(flight, attempt + 1);\n              }",
              NOTHING + "\n              }"),
          new Mutant(
              "a failed write is taken as done",
              "ShardWrites.java",
              ".write(flight.counter, write.change())",
              ".write(flight.counter, write.change()).exceptionally(failure -> Optional.of(Instant.EPOCH))"),
          new Mutant(
              "an event is acknowledged before its work",
              "ShardWrites.java",
              "start(flight);\n    }\n    return flight.landed;",
              "start(flight);\n    }\n    " + NOTHING),
          new Mutant(
              "an event joins work that has begun",
              "ShardWrites.java",
              "Flight joined = waiting.get(counter);",
              "Flight joined = flying.get(counter);"),
          new Mutant(
              "joined work is judged by its first event",
              "Flight.java",
              "other.isAfter(held) ? other : held",
              "held"),
          new Mutant(
              "a delete is always covered",
              "Flight.java",
              "latest.orElse(reading.readTime())",
              "latest.orElse(Instant.EPOCH)"),
          new Mutant(
              "the total is the same, so write nothing",
              "HandlerDecision.java",
              "Optional<Lease> lease = stored.lease();",
              "Optional<Lease> lease = stored.lease();\n    if (!sum.differsFrom(stored)) {\n      return new Done();\n    }"),
          new Mutant(
              "the handler deletes a roll-up under a lease",
              "HandlerDecision.java",
              "sum.shards() == 0 && Leases.hasRunOut(lease, sum.readTime(), timing)",
              "sum.shards() == 0"),
          new Mutant(
              "the roller deletes a roll-up under a lease",
              "RollerDecision.java",
              "if (Leases.hasRunOut(lease, sum.readTime(), timing)) {",
              "if (sum.shards() == 0 || Leases.hasRunOut(lease, sum.readTime(), timing)) {"),
          new Mutant(
              "the roller drops the lease with any write",
              "RollerDecision.java",
              "new LeaseChange.Set(next) : new LeaseChange.Keep()",
              "new LeaseChange.Set(next) : new LeaseChange.Remove()"),
          new Mutant(
              "the roller settles without the lease",
              "RollerDecision.java",
              "new LeaseChange.Remove()",
              "new LeaseChange.Keep()"),
          new Mutant(
              "the roller settles without the total",
              "RollerDecision.java",
              "usable ? Optional.of(sum) : Optional.empty()",
              "Optional.empty()"),
          new Mutant(
              "the number of shards is not compared",
              "Sum.java",
              " || shards != rollup.shards()",
              ""),
          new Mutant(
              "a refused roller does not read again",
              "Roller.java",
              "report.refused++;",
              "report.refused++;\n    if (report.refused > 0) {\n      " + NOTHING + "\n    }"),
          new Mutant(
              "the handler writes under a lease, and the roller does not notice",
              "Flight.java",
              "latest.orElse(reading.readTime())",
              "latest.orElse(Instant.MAX.minusSeconds(600))"),
          new Mutant(
              "an ending run does not look once more",
              "Run.java",
              "idle ? end(reason) : goOn(reason)",
              "end(reason)"),
          new Mutant(
              "a wake-up that finds a run does not tell it",
              "Runs.java",
              "state.isAlive() ? poke(worker) : start(worker)",
              "state.isAlive() ? CompletableFuture.completedFuture(Ending.ALREADY_ALIVE) : start(worker)"),
          new Mutant(
              "the sweep finds everything right",
              "SweepDecision.java",
              "if (!Leases.hasRunOut(stored.lease(), sum.readTime(), timing) || (settled && !drift)) {",
              "if (!(stored.shards() == Long.MIN_VALUE)) {"),
          new Mutant(
              "the sweep does not look for counters without a roll-up",
              "Sweep.java",
              "at.group() == Group.ROLLUPS",
              "at.group() == null"),
          new Mutant(
              "a named increment leaves no name",
              "shared/Increments.java",
              "batch -> names.create(batch, name)",
              "batch -> {}"),
          new Mutant(
              "a name that is there is taken for a fault",
              "shared/Increments.java",
              "ApiFutures.immediateFuture(false)",
              "ApiFutures.immediateFailedFuture(failure)"),
          new Mutant(
              "a reset takes off what it read, whatever came between",
              "shared/Reset.java",
              "head.change(batch, documents.document(), RESET_ID, id);",
              ""),
          new Mutant(
              "a refused reset does not look whether it was carried out",
              "shared/Reset.java",
              "written.isPresent() ? ApiFutures.immediateFuture(true) : names.exists(id)",
              "ApiFutures.immediateFuture(written.isPresent())"),
          new Mutant(
              "compaction deletes shards without a precondition",
              "shared/Compaction.java",
              "batch.delete(documents.shard(shard), shard.asRead());",
              "batch.delete(documents.shard(shard));"),
          new Mutant(
              "compaction does not look at the number of shards again",
              "shared/Compaction.java",
              "head.keep(batch, documents.document());",
              ""),
          new Mutant(
              "growing sets shards to 0",
              "shared/Resize.java",
              "documents.incrementOrCreate(batch, documents.shard(number), 0L);",
              "batch.set(documents.shard(number), java.util.Map.of(\"count\", 0L));"),
          new Mutant(
              "an increment creates a shard whether its counter is there or not",
              "shared/Increments.java",
              "documents.increment(batch, shardOf.apply(shards), delta);",
              "documents.incrementOrCreate(batch, shardOf.apply(shards), delta);"));
}
