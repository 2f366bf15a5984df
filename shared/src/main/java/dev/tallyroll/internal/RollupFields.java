package dev.tallyroll.internal;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.DocumentSnapshot;
import com.google.common.base.Ascii;
import com.google.common.collect.ImmutableSet;
import dev.tallyroll.Total;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a roll-up document.
 *
 * <p>If a field has the wrong type, somebody else has written it. It decodes to a value that no sum
 * can equal, so that the next sum replaces it.
 */
public final class RollupFields {
  /** One half of the mark: the path of the counter, from the root of the database. */
  public static final String COUNTER = "counter";

  /** The other half: what is summed. */
  public static final String TOTAL_OF = "total_of";

  public static final String COUNT = "count";
  public static final String SHARDS = "shards";
  public static final String AS_OF = "as_of";
  public static final String LIVE_UNTIL = "live_until";

  /** All fields that the functions write, in the order in which the security rules name them. */
  public static final Set<String> OURS =
      ImmutableSet.of(COUNTER, TOTAL_OF, COUNT, SHARDS, AS_OF, LIVE_UNTIL);

  private static final Total NO_TOTAL = new Total.Fraction(Double.NaN);
  private static final long NO_SHARDS = -1;

  /** How many characters are shown of the mark of somebody else's document. */
  private static final int LONGEST_TEXT = 1_000;

  private RollupFields() {}

  /**
   * Decodes the document in the place of a counter's roll-up; empty if there is none.
   *
   * @param mark which a roll-up carries
   */
  public static Optional<Rollup> decode(DocumentSnapshot document, Mark mark) {
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
      Map<String, Object> fields, Mark mark, Instant updateTime, Instant readTime) {
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

  /** The mark of a document, or what is there in the place of one. */
  public static Mark markOf(DocumentSnapshot document) {
    return new Mark(text(document.get(COUNTER)), text(document.get(TOTAL_OF)));
  }

  private static String text(@Nullable Object value) {
    return value instanceof String text
        ? Ascii.truncate(text, LONGEST_TEXT, "...")
        : value == null ? "nothing" : "no text";
  }

  private static Rollup.Whose whose(Map<String, Object> fields, Mark mark) {
    if (!carries(fields, mark)) {
      return Rollup.Whose.FOREIGN;
    }
    return OURS.containsAll(fields.keySet()) ? Rollup.Whose.OURS : Rollup.Whose.SHARED;
  }

  /** Whether a document with these fields carries a mark. */
  public static boolean carries(Map<String, Object> fields, Mark mark) {
    return mark.counter().equals(fields.get(COUNTER))
        && mark.totalOf().equals(fields.get(TOTAL_OF));
  }

  private static Optional<Instant> instant(Map<String, Object> fields, String name) {
    return fields.get(name) instanceof Timestamp time
        ? Optional.of(Times.instant(time))
        : Optional.empty();
  }

  /** The fields that are written once, with the document. */
  public static Map<String, Object> encode(Mark mark) {
    return Map.of(COUNTER, mark.counter(), TOTAL_OF, mark.totalOf());
  }

  public static Map<String, Object> encode(Sum sum) {
    Map<String, Object> fields = new HashMap<>();
    fields.put(COUNT, sum.total().number());
    fields.put(SHARDS, sum.shards());
    fields.put(AS_OF, Times.timestamp(sum.readTime()));
    return fields;
  }
}
