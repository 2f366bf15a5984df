package dev.tallyroll.protocol;

import dev.tallyroll.Lease;
import dev.tallyroll.Rollup;
import dev.tallyroll.Sum;
import dev.tallyroll.Total;
import dev.tallyroll.protocol.Change.LeaseChange;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * A hash of 64 bits, of numbers in their order. Among ten million states, two share one with a
 * chance of about one in 400,000.
 */
final class Fingerprint {
  private long value = 0x9E3779B97F4A7C15L;

  /** The finalizer of SplitMix64 (Steele, Lea and Flood, 2014). */
  private static long mixed(long bits) {
    long a = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
    long b = (a ^ (a >>> 27)) * 0x94D049BB133111EBL;
    return b ^ (b >>> 31);
  }

  long value() {
    return value;
  }

  Fingerprint add(long number) {
    value = mixed(value + 0x9E3779B97F4A7C15L + mixed(number + 1));
    return this;
  }

  /** For actors that are alike: which of them is where does not matter. */
  Fingerprint addUnordered(LongStream prints) {
    return add(prints.map(Fingerprint::mixed).sum());
  }

  Fingerprint add(Instant time) {
    return add(time.getEpochSecond());
  }

  Fingerprint add(Optional<Rollup> rollup) {
    add(rollup.isPresent() ? 1 : 0);
    rollup.ifPresent(
        held -> {
          add(held.total()).add(held.shards()).add(held.asOf()).add(held.updateTime());
          addLease(held.lease());
        });
    return this;
  }

  Fingerprint addLease(Optional<Lease> lease) {
    add(lease.isPresent() ? 1 : 0);
    lease.ifPresent(held -> add(held.until()));
    return this;
  }

  private Fingerprint add(Total total) {
    return add(((Total.Whole) total).value());
  }

  Fingerprint add(Sum sum) {
    return add(sum.total()).add(sum.shards()).add(sum.readTime());
  }

  Fingerprint add(Change change) {
    if (change instanceof Change.Create create) {
      return add(1).add(create.sum()).addLease(Optional.of(create.lease()));
    }
    if (change instanceof Change.Update update) {
      add(2).add(update.expected()).add(update.sum().isPresent() ? 1 : 0);
      update.sum().ifPresent(this::add);
      add(update.lease() instanceof LeaseChange.Keep ? 1 : 0);
      return addLease(
          update.lease() instanceof LeaseChange.Set set
              ? Optional.of(set.lease())
              : Optional.empty());
    }
    return change instanceof Change.Leave leave
        ? add(4).add(leave.expected())
        : add(3).add(((Change.Delete) change).expected());
  }
}
