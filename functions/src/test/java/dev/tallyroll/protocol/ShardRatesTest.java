package dev.tallyroll.protocol;

import static dev.tallyroll.protocol.Examples.LIKES;
import static dev.tallyroll.protocol.Examples.VOTES;
import static dev.tallyroll.protocol.Examples.at;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rates of counters with three shards. */
class ShardRatesTest {
  private static final int HOUR = 3_600;

  private final List<String> log = new ArrayList<>();
  private final ShardRates rates =
      new ShardRates((severity, message, fields) -> log.add(severity + " " + fields));

  /** Notes this many writes, spread over the minute from that second on. */
  private void write(CounterId counter, int writes, int second) {
    for (int i = 0; i < writes; i++) {
      rates.written(counter, at(second + i * 60.0 / writes), 3);
    }
  }

  private void assertTold(int enough) {
    assertThat(log).hasSize(1);
    assertThat(log.get(0))
        .startsWith("WARNING")
        .contains("counter=counters/likes", "shards=3", "would_do=" + enough);
  }

  @Test
  void threeShardsWithOneWriteASecondEach_areEnough() {
    write(LIKES, 180, 0);
    write(LIKES, 180, 60);
    write(LIKES, 1, 120);
    assertThat(log).isEmpty();
  }

  @Test
  void moreWritesThanThat_areToldOnceTheMinuteIsOver() {
    write(LIKES, 181, 0);
    write(VOTES, 100, 0);
    assertThat(log).isEmpty();

    write(LIKES, 1, 60);

    assertTold(4);
  }

  @Test
  void eachCounter_isToldOnceAnHour() {
    for (int minute = 0; minute <= 60; minute++) {
      write(LIKES, 1_200, minute * 60);
    }
    assertTold(20);

    write(LIKES, 1, HOUR + 60);

    assertThat(log).hasSize(2);
  }

  /** A thousand events of one hour come within a minute: no shard was written too often. */
  @Test
  void lateEvents_countInTheMinutesOfTheirWrites() {
    for (int i = 0; i < 1_000; i++) {
      rates.written(LIKES, at(i * 3.6), 3);
      rates.written(LIKES, at(0), 3);
    }
    write(LIKES, 1, HOUR);
    assertThat(log).isEmpty();
  }

  @Test
  void unknownNumberOfShards_isNotJudged() {
    for (int i = 0; i <= 600; i++) {
      rates.written(LIKES, at(i / 10.0), 0);
    }
    assertThat(log).isEmpty();
  }

  /** How many of a thousand looks tell, at so many writes a second for each shard, at random. */
  private int told(int shards, double rate) {
    Random random = new Random(7);
    for (int look = 0; look < 1_000; look++) {
      rates.seen(
          LIKES,
          Stream.generate(() -> -Math.log(1 - random.nextDouble()) / rate)
              .map(seconds -> Duration.ofNanos((long) (seconds * 1e9)))
              .limit(shards)
              .toList());
    }
    return log.size();
  }

  @Test
  void polledShardsWithAWriteASecond_areSeldomMistaken() {
    assertThat(told(1, 1) + told(3, 1) + told(10, 1) + told(100, 1)).isBetween(100, 600);
  }

  @Test
  void polledShardsWithManyWrites_areTold() {
    assertThat(told(10, 3)).isGreaterThan(950);
    assertThat(log.get(0)).contains("shards=10");
  }

  /** One batch has written all of them. */
  @Test
  void shardsThatWereWrittenTogether_areToldToBeTenTimesAsManyAtMost() {
    rates.seen(LIKES, Collections.nCopies(3, Duration.ZERO));
    assertTold(30);
  }

  @Test
  void counterWithoutShards_isNotTold() {
    rates.seen(LIKES, List.of());
    assertThat(log).isEmpty();
  }
}
