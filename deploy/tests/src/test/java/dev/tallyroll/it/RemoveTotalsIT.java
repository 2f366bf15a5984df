package dev.tallyroll.it;

import static dev.tallyroll.local.Answers.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.WriteBatch;
import dev.tallyroll.operator.RemoveTotals;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The program that removes totals which no function keeps any more. */
@On(Site.SHARED)
final class RemoveTotalsIT {
  private static final String LIKES = "number of posts/{1}/likes";
  private static final String STARS = "sum of stars in posts/{1}/ratings";

  private final String rollups = "totals-" + UUID.randomUUID();
  private final TestCloud cloud;
  private final Firestore firestore;
  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  RemoveTotalsIT(TestCloud cloud) {
    this.cloud = cloud;
    this.firestore = cloud.firestore();
  }

  private Map<String, Object> put(String path, String counter, String totalOf) throws Exception {
    Map<String, Object> fields =
        new LinkedHashMap<>(
            Map.of("counter", counter, "total_of", totalOf, "count", 5L, "shards", 5L));
    get(firestore.document(path).set(fields));
    return fields;
  }

  private Map<String, Object> data(String path) throws Exception {
    return get(firestore.document(path).get()).getData();
  }

  /** A function with an entry of these keys, as gcloud has it. */
  private String function(String label, String keys) {
    String totals = "{'likes': {%s, 'rollups': '%s'}}".formatted(keys, rollups);
    return """
        {"name": "projects/p/locations/l/functions/likes-roll-up", "labels": {"%s": "likes"},
         "serviceConfig": {"environmentVariables": {"TOTALS": "%s"}}}\
        """
        .formatted(label, totals.replace("'", "\\\""));
  }

  private int remove(String totalOf, String... functions) throws Exception {
    try (PrintStream print = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      Map<String, String> environment =
          Map.of("FIRESTORE_EMULATOR_HOST", cloud.local().firestoreHost());
      String[] arguments = {cloud.local().project(), "(default)", rollups, totalOf};
      return new RemoveTotals(environment::get, print, print)
          .run(arguments, new StringReader("[" + String.join(",", functions) + "]"));
    }
  }

  private String printed() {
    return printed.toString(StandardCharsets.UTF_8);
  }

  @Test
  void totalsOfThatText_areRemoved_andNothingElse() throws Exception {
    put(rollups + "/p1", "posts/p1", LIKES);
    put("rooms/r/" + rollups + "/p1", "rooms/r/posts/p1", LIKES);
    put(rollups + "/shared", "posts/shared", LIKES);
    get(firestore.document(rollups + "/shared").update("label", "x"));
    var stars = put(rollups + "/p2", "posts/p2", STARS);
    var elsewhere = put(rollups + "/p3", "posts/other", LIKES);
    var deeper = put("rooms/r/" + rollups + "/p3", "posts/p3", LIKES);
    get(firestore.document(rollups + "/app").set(Map.of("total_of", LIKES)));

    assertThat(remove(LIKES, function("tallyroll", "'of': 'posts/{post}/shards', 'sum': 'count'")))
        .isZero();

    assertThat(printed())
        .contains(
            "looked at 7 documents; removed 2 roll-ups, and our fields from 1 that have others");
    assertThat(data(rollups + "/p1")).isNull();
    assertThat(data("rooms/r/" + rollups + "/p1")).isNull();
    assertThat(data(rollups + "/shared")).isEqualTo(Map.of("label", "x"));
    assertThat(data(rollups + "/p2")).isEqualTo(stars);
    assertThat(data(rollups + "/p3")).isEqualTo(elsewhere);
    assertThat(data("rooms/r/" + rollups + "/p3")).isEqualTo(deeper);
    assertThat(data(rollups + "/app")).isEqualTo(Map.of("total_of", LIKES));
  }

  @Test
  void moreThanAPage_isRemoved() throws Exception {
    WriteBatch batch = firestore.batch();
    for (int i = 0; i < 301; i++) {
      batch.set(
          firestore.document(rollups + "/p" + i),
          Map.of("counter", "posts/p" + i, "total_of", LIKES));
    }
    get(batch.commit());

    assertThat(remove(LIKES)).isZero();

    assertThat(printed()).contains("looked at 301 documents; removed 301 roll-ups");
    assertThat(get(firestore.collection(rollups).get()).isEmpty()).isTrue();
  }

  @Test
  void totalsThatAFunctionKeeps_areRefused() throws Exception {
    var likes = put(rollups + "/p1", "posts/p1", LIKES);
    String keys = "'of': 'posts/{post}/likes'";

    assertThat(remove(LIKES, function("other", keys), function("tallyroll", keys))).isEqualTo(2);

    assertThat(printed())
        .isEqualTo(
            """
            expected totals that no function keeps, found likes-roll-up, which keeps '%s' in %s
            """
                .formatted(LIKES, rollups));
    assertThat(data(rollups + "/p1")).isEqualTo(likes);
    assertThat(remove(LIKES, function("other", keys))).isZero();
  }

  @Test
  void functionThatCannotBeRead_isARefusal() throws Exception {
    assertThat(remove(LIKES, function("tallyroll", "'of': '//'"))).isEqualTo(2);
    assertThat(remove(LIKES, "{")).isEqualTo(2);

    assertThat(printed().lines())
        .hasSize(2)
        .allMatch(line -> line.startsWith("could not read the deployed functions: "));
  }
}
