package dev.tallyroll.internal;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.Timestamp;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RollupFieldsTest {
  private static final Instant T = Instant.parse("2026-05-01T12:00:00.123456Z");
  private static final Mark MARK =
      new Mark("counters/likes", "sum of count in counters/{1}/shards");

  /** The mark, and other fields. */
  private static Map<String, Object> marked(Map<String, ?> others) {
    Map<String, Object> fields = new HashMap<>(RollupFields.encode(MARK));
    fields.putAll(others);
    return fields;
  }

  private static Rollup decode(Map<String, Object> fields) {
    return RollupFields.decode(fields, MARK, T, T);
  }

  @Test
  void whatIsEncoded_isDecoded() {
    Sum sum = new Sum(new Total.Whole(4), 3, T);
    Instant lease = T.plusSeconds(5);
    Map<String, Object> fields = marked(RollupFields.encode(sum));
    fields.put("live_until", Times.timestamp(lease));

    assertThat(RollupFields.decode(fields, MARK, T.plusSeconds(1), T.plusSeconds(2)))
        .isEqualTo(new Rollup(sum.total(), 3, T, Optional.of(lease), T.plusSeconds(1)));
  }

  @Test
  void mark_saysWhoseItIs() {
    assertThat(whose(marked(Map.of("count", 4L)))).isEqualTo(Rollup.Whose.OURS);
    assertThat(whose(marked(Map.of("note", "of others")))).isEqualTo(Rollup.Whose.SHARED);
    assertThat(whose(Map.of("count", 4L, "shards", 3L))).isEqualTo(Rollup.Whose.FOREIGN);
    for (String half : List.of("counter", "total_of")) {
      assertThat(whose(marked(Map.of(half, "polls/likes")))).isEqualTo(Rollup.Whose.FOREIGN);
      assertThat(whose(marked(Map.of(half, 7L)))).isEqualTo(Rollup.Whose.FOREIGN);
      Map<String, Object> lacking = marked(Map.of());
      lacking.remove(half);
      assertThat(whose(lacking)).isEqualTo(Rollup.Whose.FOREIGN);
    }
  }

  private static Rollup.Whose whose(Map<String, Object> fields) {
    return decode(fields).whose();
  }

  @Test
  void damagedFields_readAsWrong() {
    Rollup damaged = decode(Map.of("count", "4", "shards", 1.5, "as_of", "now", "live_until", 7L));

    assertThat(damaged.total().isUsable()).isFalse();
    assertThat(damaged.shards()).isNegative();
    assertThat(damaged.asOf()).isEqualTo(Instant.EPOCH);
    assertThat(damaged.liveUntil()).isEmpty();
  }

  @Test
  void timeInTheFuture_isNoTime() {
    Timestamp future = Timestamp.parseTimestamp("9999-01-01T00:00:00Z");

    assertThat(decode(Map.of("count", 4L, "as_of", future)).asOf()).isEqualTo(Instant.EPOCH);
  }

  @Test
  void leaseLongerThanAny_isNone() {
    Instant longest = T.plus(Times.LONGEST_LEASE);

    assertThat(liveUntil(longest)).contains(longest);
    assertThat(liveUntil(longest.plusNanos(1_000))).isEmpty();
  }

  private static Optional<Instant> liveUntil(Instant until) {
    return decode(Map.of("live_until", Times.timestamp(until))).liveUntil();
  }

  @Test
  void documentWithoutATime_wasNeverWritten() {
    assertThat(decode(marked(Map.of())).wasWritten()).isFalse();
    assertThat(decode(Map.of("as_of", Times.timestamp(T))).wasWritten()).isTrue();
  }
}
