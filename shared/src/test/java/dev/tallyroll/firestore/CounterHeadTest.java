package dev.tallyroll.firestore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.tallyroll.CounterException;
import dev.tallyroll.CounterPath;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CounterHeadTest {
  private static final CounterPath LIKES = CounterPath.of("likes");

  private static CounterHead decode(String configured, Map<String, Object> fields) {
    return CounterHead.decode(LIKES, configured, fields, Instant.ofEpochSecond(1));
  }

  @Test
  void bothSpellings_areRead() {
    assertThat(decode("num_shards", Map.of("numShards", 3L)).shards()).isEqualTo(3);
    assertThat(decode("numShards", Map.of("num_shards", 4L)).shards()).isEqualTo(4);
    assertThat(decode("n", Map.of("num_shards", 5L)).shards()).isEqualTo(5);
  }

  @Test
  void configuredSpelling_goesFirst() {
    Map<String, Object> fields = Map.of("num_shards", 3L, "numShards", 4L);

    assertThat(decode("numShards", fields).shards()).isEqualTo(4);
    assertThat(decode("numShards", fields).fields()).containsExactly("numShards", "num_shards");
  }

  static Stream<Map<String, Object>> damaged() {
    return Stream.of(
        Map.of(),
        Map.of("num_shards", "10"),
        Map.of("num_shards", 10.5),
        Map.of("num_shards", 0L),
        Map.of("num_shards", -1L),
        Map.of("num_shards", 10_001L));
  }

  @ParameterizedTest
  @MethodSource("damaged")
  void numbersThatAreNone_areRefusedWithWhatWasFound(Map<String, Object> fields) {
    CounterHead head = decode("num_shards", fields);

    assertThat(head.isSound()).isFalse();
    assertThatExceptionOfType(CounterException.Damaged.class)
        .isThrownBy(head::shards)
        .withMessage(
            "counter likes: expected a whole number from 1 to 10000 in num_shards; found '"
                + fields.get("num_shards")
                + "'");
  }
}
