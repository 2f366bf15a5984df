package dev.tallyroll.internal;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentSnapshot;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The fields of a roll-up document.
 *
 * <p>If a field has the wrong type, somebody else has written it. It decodes to a value that no sum
 * can equal, so that the next sum replaces it.
 */
public final class RollupFields {
  /** The mark: the path of the counter, from the root of the database. */
  public static final String COUNTER = "counter";

  public static final String COUNT = "count";
  public static final String SHARDS = "shards";
  public static final String AS_OF = "as_of";
  public static final String LIVE_UNTIL = "live_until";

  /** All fields that the functions write. */
  public static final Set<String> OURS = Set.of(COUNTER, COUNT, SHARDS, AS_OF, LIVE_UNTIL);

  private static final Total NO_TOTAL = new Total.Fraction(Double.NaN);
  private static final long NO_SHARDS = -1;

  private RollupFields() {}

  /**
   * Decodes the document in the place of a counter's roll-up; empty if there is none.
   *
   * @param mark path of the counter's document, which a roll-up carries
   */
  public static Optional<Rollup> decode(DocumentSnapshot document, String mark) {
    return Optional.ofNullable(document.getData())
        .map(
            fields ->
                decode(
                    fields,
                    mark,
                    Times.instant(document.getUpdateTime()),
                    Times.instant(document.getReadTime())));
  }

  /**
   * Decodes the fields of a document that is there.
   *
   * @param readTime of the document. A total's {@code as_of} cannot be later, and a lease cannot
   *     end much later: such a lease is damaged and ignored, since its end would keep events from
   *     being handled
   */
  static Rollup decode(
      Map<String, Object> fields, String mark, Instant updateTime, Instant readTime) {
    Instant asOf = instant(fields, AS_OF).orElse(Instant.EPOCH);
    return new Rollup(
        fields.get(COUNT) instanceof Number count ? Total.of(count) : NO_TOTAL,
        fields.get(SHARDS) instanceof Long shards ? shards : NO_SHARDS,
        asOf.isAfter(readTime) ? Instant.EPOCH : asOf,
        instant(fields, LIVE_UNTIL)
            .filter(until -> !until.isAfter(readTime.plus(Times.LONGEST_LEASE))),
        updateTime,
        whose(fields, mark));
  }

  private static Rollup.Whose whose(Map<String, Object> fields, String mark) {
    if (!mark.equals(fields.get(COUNTER))) {
      return Rollup.Whose.FOREIGN;
    }
    return OURS.containsAll(fields.keySet()) ? Rollup.Whose.OURS : Rollup.Whose.SHARED;
  }

  private static Optional<Instant> instant(Map<String, Object> fields, String name) {
    return fields.get(name) instanceof Timestamp time
        ? Optional.of(Times.instant(time))
        : Optional.empty();
  }

  public static Map<String, Object> encode(Sum sum) {
    Map<String, Object> fields = new HashMap<>();
    fields.put(COUNT, sum.total().number());
    fields.put(SHARDS, sum.shards());
    fields.put(AS_OF, Times.timestamp(sum.readTime()));
    return fields;
  }
}
