package dev.tallyroll.firestore;

import dev.tallyroll.Counters;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.Arguments;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.internal.ids.Names;
import java.time.Duration;
import java.util.List;

/**
 * How a {@link Counters} finds its counters. Immutable.
 *
 * @param layout the collections and the count field; the same as the functions' settings
 * @param shardsField the field of the counter's document that holds the number of shards; {@code
 *     num_shards} and {@code numShards} are read whatever this is
 * @param increments collection of the named increments, below each counter
 * @param namesKept how long the name of an increment is remembered, and so exact: at least as long
 *     as a caller may try again. Firestore removes names later by a TTL policy on {@code expire_at}
 * @param sum how shards are summed; {@link SumMode#DOCUMENTS} if the count field is not indexed
 */
public record CounterOptions(
    Layout layout, String shardsField, String increments, Duration namesKept, SumMode sum) {
  private static final Duration SHORTEST = Duration.ofMinutes(1);
  private static final Duration LONGEST = Duration.ofDays(3650);

  /** The names that Google's page on distributed counters uses; increments' names for 7 days. */
  public static final CounterOptions DEFAULT =
      new CounterOptions(
          Layout.DEFAULT, "num_shards", "increment_names", Duration.ofDays(7), SumMode.AGGREGATE);

  /**
   * @throws IllegalArgumentException if Firestore would refuse a name, if the increments share a
   *     collection's name with other documents, or if names are kept for less than a minute or more
   *     than ten years
   */
  public CounterOptions {
    Arguments.present("layout", layout);
    Arguments.present("names kept", namesKept);
    Arguments.present("sum", sum);
    Names.requireId("shards field", shardsField);
    Names.requireId("increments collection", increments);
    List<String> taken =
        List.of(layout.countersCollection(), layout.shards(), layout.rollups(), layout.runs());
    if (taken.contains(increments)) {
      throw new IllegalArgumentException(
          "increments collection: expected a name other than " + taken + "; found " + increments);
    }
    if (namesKept.compareTo(SHORTEST) < 0 || namesKept.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "names kept: expected " + SHORTEST + " to " + LONGEST + "; found " + namesKept);
    }
  }

  /** These options with another layout. */
  public CounterOptions withLayout(Layout other) {
    return new CounterOptions(other, shardsField, increments, namesKept, sum);
  }

  /** These options with another spelling of the field for the number of shards. */
  public CounterOptions withShardsField(String other) {
    return new CounterOptions(layout, other, increments, namesKept, sum);
  }

  /** These options with another collection for the named increments. */
  public CounterOptions withIncrements(String other) {
    return new CounterOptions(layout, shardsField, other, namesKept, sum);
  }

  /** These options with names kept for another time. */
  public CounterOptions withNamesKept(Duration other) {
    return new CounterOptions(layout, shardsField, increments, other, sum);
  }

  /** These options with another way to sum. */
  public CounterOptions withSum(SumMode other) {
    return new CounterOptions(layout, shardsField, increments, namesKept, other);
  }
}
