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
              "rollup.asOf().minus(slack).minusNanos(1)",
              "rollup.asOf()"),
          new Mutant(
              "any lease covers",
              "Coverage.java",
              "rollup.lease().map(Lease::until).orElse(Instant.MIN);",
              "rollup.lease().isPresent() ? Instant.MAX : Instant.MIN;"),
          new Mutant(
              "what is remembered covers anything",
              "KnownCounters.java",
              "!covered.isBefore(time) &&",
              "!covered.equals(Instant.MIN) &&"),
          new Mutant(
              "a remembered lease is longer than the stored one",
              "KnownCounters.java",
              "later(covered, until)",
              "later(covered, until.equals(Instant.MIN) ? until : until.plusSeconds(5))"),
          new Mutant(
              "a failed compare-and-set is taken as done",
              "ShardWrites.java",
              "known.refused(work.counter); return read(work, attempt + 1);",
              NOTHING),
          new Mutant(
              "a failed write is taken as done",
              "ShardWrites.java",
              ".write(work.counter, write.change())",
              ".write(work.counter, write.change()).exceptionally(failure -> Optional.of(Instant.EPOCH))"),
          new Mutant(
              "an event is acknowledged before its work",
              "ShardWrites.java",
              "start(work); } return work.done;",
              "start(work); } " + NOTHING),
          new Mutant(
              "an event joins work that has begun",
              "ShardWrites.java",
              "Work joined = waiting.get(counter);",
              "Work joined = underWay.get(counter);"),
          new Mutant(
              "joined work is judged by its first event",
              "Commits.java",
              "it.isAfter(held) ? it : held",
              "held"),
          new Mutant(
              "a delete is always covered",
              "Commits.java",
              "latest.orElse(reading.readTime())",
              "latest.orElse(Instant.EPOCH)"),
          new Mutant(
              "the total is the same, so write nothing",
              "HandlerDecision.java",
              "Optional<Lease> lease = stored.lease();",
              "Optional<Lease> lease = stored.lease(); if (!sum.differsFrom(stored)) { return new Done(); }"),
          new Mutant(
              "the handler deletes a roll-up under a lease",
              "HandlerDecision.java",
              "sum.shards() == 0 && Leases.hasRunOut(lease, sum.readTime(), timing)",
              "sum.shards() == 0"),
          new Mutant(
              "the roller deletes a roll-up under a lease",
              "RollerDecision.java",
              "if (Leases.hasRunOut(lease, sum.readTime(), timing) && !busy && (quiet || !usable)) {",
              "if (sum.shards() == 0 || (Leases.hasRunOut(lease, sum.readTime(), timing) && !busy && (quiet || !usable))) {"),
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
              "shared/Sum.java",
              " || shards != rollup.shards()",
              ""),
          new Mutant(
              "a refused roller does not read again",
              "Roller.java",
              "return lookAgain(counter, attempts); } report.writes++;",
              "return DONE; } report.writes++;"),
          new Mutant(
              "the handler writes under a lease, and the roller does not notice",
              "Commits.java",
              "latest.orElse(reading.readTime())",
              "latest.orElse(Instant.MAX.minusSeconds(600))"),
          new Mutant(
              "a burst is told by when it is handled",
              "Commits.java",
              "latest.orElse(readTime)",
              "readTime"),
          new Mutant(
              "a burst is told by the roll-up only",
              "KnownCounters.java",
              "committed.map(time -> known.isBurst(time, tick)).orElse(false)",
              "false"),
          new Mutant(
              "a busy counter whose lease has run out is settled",
              "RollerDecision.java",
              "timing) && !busy &&",
              "timing) &&"),
          new Mutant(
              "a handler remembers leases only",
              "KnownCounters.java",
              "rollup.map(it -> Coverage.until(it, slack)).orElse(Instant.MIN)",
              "rollup.flatMap(Rollup::lease).map(it -> it.until()).orElse(Instant.MIN)"),
          new Mutant(
              "a known version is expected for ever",
              "ShardWrites.java",
              "known.refused(work.counter); return read(work, attempt + 1);",
              "return attempt > MAX_ATTEMPTS ? read(work, attempt) : known.of(work.counter).probable().isPresent() ? sum(work, known.of(work.counter).probable(), attempt + 1) : read(work, attempt + 1);"),
          new Mutant(
              "the handler does not look at the mark",
              "ShardWrites.java",
              "stored.filter(Rollup::isForeign).isPresent()",
              "false"),
          new Mutant(
              "the live list does not look at the mark",
              "LiveSearch.java",
              "!counter.rollup().isForeign()",
              "true"),
          new Mutant(
              "the sweep does not look at the mark",
              "Sweep.java",
              "isForeign(found.rollup()) ? DONE :",
              ""),
          new Mutant(
              "fields of others are deleted with ours",
              "Change.java",
              "rollup.whose() == Rollup.Whose.OURS",
              "!rollup.isForeign()"),
          new Mutant(
              "any document is taken for a run's",
              "Ownership.java",
              "if (state.isForeign()) {",
              "if (state.isForeign() && state.updateTime().isEmpty() && lost) {"),
          new Mutant(
              "an ending run does not look once more",
              "Run.java",
              "idle ? end(reason) : goOn(reason)",
              "end(reason)"),
          new Mutant(
              "a wake-up that finds a run does not tell it",
              "Runs.java",
              "state.isAlive() ? poke(worker, state, attempts) : start(worker)",
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
              "batch -> documents.createName(batch, name)",
              "batch -> {}"),
          new Mutant(
              "a name that is there is taken for a fault",
              "shared/Increments.java",
              "ApiFutures.immediateFuture(false)",
              "ApiFutures.immediateFailedFuture(new CounterException.NotFound(documents.counter()))"),
          new Mutant(
              "a reset takes off what it read, whatever came between",
              "shared/Reset.java",
              "head.change(batch, documents.document(), RESET_ID, id);",
              ""),
          new Mutant(
              "a refused reset does not look whether it was carried out",
              "shared/Reset.java",
              "written.isPresent() ? ApiFutures.immediateFuture(true) : documents.hasName(id)",
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
              "shared/FirestoreCounter.java",
              "documents.incrementOrCreate(batch, documents.shard(number), 0L);",
              "batch.set(documents.shard(number), java.util.Map.of(\"count\", 0L));"),
          new Mutant(
              "an increment creates a shard whether its counter is there or not",
              "shared/Increments.java",
              "documents.increment(batch, shardOf.apply(shards), delta);",
              "documents.incrementOrCreate(batch, shardOf.apply(shards), delta);"));
}
