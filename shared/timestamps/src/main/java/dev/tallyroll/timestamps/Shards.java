package dev.tallyroll.timestamps;

import com.google.cloud.Timestamp;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The fields of a sharded timestamp, and the values of the shard field. Immutable.
 *
 * @param values distinct strings or whole numbers, these as {@code Long}, as Firestore has them
 */
record Shards(Fields fields, List<Object> values) {
  /** Source: Firestore's page on best practices, sequential values of an indexed field. */
  static final int WRITES_PER_VALUE = 500;

  /**
   * The two fields; dots in their names lead into maps.
   *
   * @param shard the field with a random shard value
   * @param timestamp the field that rises
   * @param numbers whether that holds numbers, integers and doubles in one order; else timestamps
   */
  record Fields(String shard, String timestamp, boolean numbers) {
    /** Names that Firestore writes without quotes, so that they are compared as they stand. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z_]\\w*(\\.[A-Za-z_]\\w*)*");

    static final Fields DEFAULT = new Fields("shard", "timestamp", false);

    Fields {
      check("shard field", shard);
      check("timestamp field", timestamp);
      if (shard.equals(timestamp)) {
        throw new IllegalArgumentException("fields: expected two; found '" + shard + "' twice");
      }
    }

    private static void check(String what, String name) {
      if (!NAME.matcher(Objects.requireNonNull(name, what)).matches()) {
        throw new IllegalArgumentException(
            what + ": expected letters, digits, '_' and dots; found '" + name + "'");
      }
    }

    /**
     * Whatever is at least this is of the right kind. A query leaves the others out, a NaN among
     * them, so that one bad document cannot break everybody's pages.
     */
    Object least() {
      return numbers ? (Object) Double.NEGATIVE_INFINITY : Timestamp.MIN_VALUE;
    }
  }

  Shards {
    values = values.stream().map(Shards::stored).toList();
    check(!values.isEmpty(), "at least one", "none");
    check(
        values.size() <= ShardedTimestamp.MAX_VALUES,
        "at most " + ShardedTimestamp.MAX_VALUES,
        values.size());
    check(values.stream().distinct().count() == values.size(), "distinct values", values);
  }

  /** The values with the default fields. */
  static Shards of(List<?> values) {
    return new Shards(Fields.DEFAULT, List.copyOf(Objects.requireNonNull(values, "values")));
  }

  /** The values that a sustained rate of writes needs: 0, 1, 2 and so on. */
  static Shards forRate(long writesPerSecond) {
    if (writesPerSecond < 1 || writesPerSecond > ShardedTimestamp.MAX_RATE) {
      throw new IllegalArgumentException(
          "rate: expected 1 to "
              + ShardedTimestamp.MAX_RATE
              + " writes a second; found "
              + writesPerSecond);
    }
    return of(LongStream.rangeClosed(0, (writesPerSecond - 1) / WRITES_PER_VALUE).boxed().toList());
  }

  Shards with(Fields others) {
    return new Shards(others, values);
  }

  /** All values of both, these first. */
  Shards union(Shards others) {
    if (!fields.equals(others.fields)) {
      throw new IllegalArgumentException(
          "transition: expected the same fields; found " + fields + " and " + others.fields);
    }
    return new Shards(
        fields, Stream.concat(values.stream(), others.values.stream()).distinct().toList());
  }

  /** The values that the others lack. */
  List<Object> minus(Shards others) {
    return values.stream().filter(value -> !others.values.contains(value)).toList();
  }

  /** Splits the values into the fewest chunks of at most {@code most}, as even as they can be. */
  List<List<Object>> chunks(int most) {
    int size = values.size();
    int count = (size + most - 1) / most;
    return IntStream.range(0, count)
        .mapToObj(chunk -> values.subList(chunk * size / count, (chunk + 1) * size / count))
        .toList();
  }

  private static Object stored(Object value) {
    check(
        value instanceof String || value instanceof Long || value instanceof Integer,
        "strings, ints or longs",
        value);
    return value instanceof Integer number ? (Object) number.longValue() : value;
  }

  private static void check(boolean valid, String expected, Object found) {
    if (!valid) {
      throw new IllegalArgumentException("shard values: expected " + expected + "; found " + found);
    }
  }
}
