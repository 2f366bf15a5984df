package dev.tallyroll.it;

import static dev.tallyroll.Waiting.await;
import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Named.named;

import com.google.cloud.Timestamp;
import com.google.cloud.firestore.FieldValue;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Roll-ups with wrong content by somebody else: the next increment corrects them. */
@On(Site.SHARED)
final class BadRollupsIT {
  private static final Timestamp END_OF_TIME = Timestamp.parseTimestamp("9999-12-31T23:59:59Z");

  private static List<Named<Map<String, Object>>> damages() {
    var inAYear = Timestamp.ofTimeSecondsAndNanos(Timestamp.now().getSeconds() + 31_536_000, 0);
    var past = Timestamp.ofTimeSecondsAndNanos(1, 0);
    return List.of(
        named("count is text", Map.of("count", "5")),
        named("count is a NaN", Map.of("count", Double.NaN)),
        named("no count", Map.of("count", FieldValue.delete())),
        named("shards is text", Map.of("shards", "1")),
        named("as_of is text", Map.of("as_of", "now")),
        named("no as_of", Map.of("as_of", FieldValue.delete())),
        named("as_of in the year 9999", Map.of("as_of", END_OF_TIME)),
        named("a lease of text", Map.of("live_until", "soon")),
        named("a lease of a year", Map.of("live_until", inAYear)),
        named("a field of an older version", Map.of("live_lane", 3)),
        named("a lease that ended long ago", Map.of("live_until", past)));
  }

  @ParameterizedTest
  @MethodSource("damages")
  void damagedRollup_isPutRightAndUnknownFieldsAreLeftAlone(
      Map<String, Object> damage, TestCloud cloud) throws Exception {
    var counter = cloud.counter();
    counter.increment(0, 5);
    counter.awaitSettled(5L);
    get(counter.rollup().update(damage));
    get(counter.rollup().update("note", "of a later version"));

    counter.increment(0, 1);

    var right =
        await("a total of 6 as of now")
            .until(
                counter::fields,
                fields ->
                    Long.valueOf(6).equals(fields.get("count"))
                        && Long.valueOf(1).equals(fields.get("shards"))
                        && fields.get("as_of") instanceof Timestamp asOf
                        && asOf.compareTo(END_OF_TIME) < 0);
    assertThat(right).containsEntry("note", "of a later version");
  }
}
