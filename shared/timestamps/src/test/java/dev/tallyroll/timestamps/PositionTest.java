package dev.tallyroll.timestamps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.cloud.Timestamp;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class PositionTest {
  private static final long EXACT = 1L << 53;

  private static <T> void assertRising(Comparator<? super T> order, List<T> values) {
    for (int one = 0; one < values.size(); one++) {
      for (int other = 0; other < values.size(); other++) {
        assertThat(Integer.signum(order.compare(values.get(one), values.get(other))))
            .as("%s and %s", values.get(one), values.get(other))
            .isEqualTo(Integer.compare(one, other));
      }
    }
  }

  @Test
  void numbers_areOrderedByWhatTheyStandFor() {
    List<Object> below = List.of(Double.NEGATIVE_INFINITY, -Double.MAX_VALUE, Long.MIN_VALUE, -1.5);
    List<Object> exact = List.of(0L, Double.MIN_VALUE, 1L, 1.5, EXACT, EXACT + 1, EXACT + 2.0);
    List<Object> above = List.of(EXACT + 3, Long.MAX_VALUE, 0x1p63, Double.POSITIVE_INFINITY);

    assertRising(
        Position::compareValues,
        List.of(below, exact, above).stream().flatMap(List::stream).toList());
    assertThat(Position.compareValues(2L, 2.0)).isZero();
    assertThat(Position.compareValues(0.0, -0.0)).isZero();
  }

  @Test
  void timestamps_areOrderedByTime() {
    assertRising(
        Position::compareValues,
        List.of(
            Timestamp.MIN_VALUE,
            Timestamp.ofTimeSecondsAndNanos(-1, 999_999_000),
            Timestamp.ofTimeSecondsAndNanos(0, 0),
            Timestamp.MAX_VALUE));
  }

  @Test
  void otherValues_areRefused() {
    for (Object value : List.of(Double.NaN, "7")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Position(value, "a/b"))
          .withMessageContaining("found " + value);
    }
  }

  @Test
  void paths_areOrderedBySegments() {
    assertRising(Position::comparePaths, List.of("a/b", "a/b/c/d", "a/b!/c/d", "a/ba"));
  }

  @Test
  void segments_areOrderedByTheirUtf8() {
    assertRising(
        Position::comparePaths,
        List.of("c/A", "c/a", "c/aa", "c/\u00e4", "c/\uffee", "c/\ud83d\ude00"));
  }

  @Test
  void numericIds_comeFirstByTheirNumber() {
    assertRising(
        Position::comparePaths,
        List.of("c/__id-5__", "c/__id7__", "c/__id10__", "c/!", "c/__idx__"));
  }
}
