package dev.tallyroll.timestamps;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.stream.LongStream;

/**
 * The values of a shard field, and how queries take them. Immutable.
 *
 * @param values distinct strings or whole numbers, these as {@code Long}, as Firestore has them
 */
record ShardValues(List<Object> values) {
  /** Source: Firestore's page on best practices, sequential values of an indexed field. */
  static final int WRITES_PER_VALUE = 500;

  /** Half a million writes a second; a page then takes 34 queries. */
  static final int MAX_VALUES = 1_000;

  ShardValues {
    values = values.stream().map(ShardValues::stored).toList();
    check(!values.isEmpty(), "at least one", "none");
    check(values.size() <= MAX_VALUES, "at most " + MAX_VALUES, values.size());
    check(new HashSet<>(values).size() == values.size(), "distinct values", values);
  }

  /** As many values as a sustained rate of writes needs: 0, 1, 2 and so on. */
  static ShardValues forRate(long writesPerSecond) {
    long most = (long) MAX_VALUES * WRITES_PER_VALUE;
    if (writesPerSecond < 1 || writesPerSecond > most) {
      throw new IllegalArgumentException(
          "rate: expected 1 to " + most + " writes a second; found " + writesPerSecond);
    }
    long count = (writesPerSecond + WRITES_PER_VALUE - 1) / WRITES_PER_VALUE;
    return new ShardValues(LongStream.range(0, count).<Object>mapToObj(Long::valueOf).toList());
  }

  /** All values of both, these first. */
  ShardValues union(ShardValues others) {
    List<Object> all = new ArrayList<>(values);
    all.addAll(others.minus(this));
    return new ShardValues(all);
  }

  /** The values that the others lack. */
  List<Object> minus(ShardValues others) {
    return values.stream().filter(value -> !others.values.contains(value)).toList();
  }

  /** Splits the values into the fewest chunks of at most {@code most}, as even as they can be. */
  List<List<Object>> chunks(int most) {
    int count = (values.size() + most - 1) / most;
    List<List<Object>> chunks = new ArrayList<>();
    for (int chunk = 0; chunk < count; chunk++) {
      chunks.add(values.subList(start(chunk, count), start(chunk + 1, count)));
    }
    return Collections.unmodifiableList(chunks);
  }

  private int start(int chunk, int count) {
    return (int) ((long) chunk * values.size() / count);
  }

  /** The same for the same values in any order. */
  String version() {
    List<String> sorted = values.stream().map(ShardValues::typed).sorted().toList();
    return Fingerprint.of(String.join("\n", sorted).getBytes(UTF_8));
  }

  private static String typed(Object value) {
    return value.getClass().getSimpleName() + value.toString().length() + ":" + value;
  }

  private static Object stored(Object value) {
    if (value instanceof String || value instanceof Long) {
      return value;
    }
    check(value instanceof Integer, "strings, ints or longs", value);
    return ((Integer) value).longValue();
  }

  private static void check(boolean valid, String expected, Object found) {
    if (!valid) {
      throw new IllegalArgumentException("shard values: expected " + expected + "; found " + found);
    }
  }
}
