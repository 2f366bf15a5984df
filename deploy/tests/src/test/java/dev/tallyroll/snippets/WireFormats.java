package dev.tallyroll.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.it.TestCloud;
import dev.tallyroll.it.TestCounter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Sends the increments of each language's library, installed here or not. The field that samples
 * increment differs, too; that is a setting of the functions. Stateless.
 */
final class WireFormats {
  private static final int INCREMENTS = 12;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private WireFormats() {}

  static void countInEachLanguage(TestCloud cloud) throws Exception {
    Map<Language, TestCounter> counters = new LinkedHashMap<>();
    for (var language : Language.values()) {
      var counter = cloud.counter();
      counters.put(language, counter);
      var name = name(cloud, cloud.layout().counterDocument(counter.path()));
      var shard = name + "/" + cloud.layout().shards() + "/0";
      // Only a merging set may create a shard. For others, the sample's precondition refuses it.
      int expected = language == Language.MERGING_SET ? OK : NOT_FOUND;
      var increment = List.of(language.increment(shard));
      assertThat(send(cloud, increment)).as("%s", language).isEqualTo(expected);
      assertThat(send(cloud, language.creation(name, shard))).as("%s", language).isEqualTo(OK);
      for (int call = 0; call < INCREMENTS; call++) {
        assertThat(send(cloud, increment)).as("%s", language).isEqualTo(OK);
      }
    }
    for (var one : counters.entrySet()) {
      cloud.tickUntil("the total of " + one.getKey(), () -> one.getValue().shows(INCREMENTS));
      one.getValue().awaitTotal((long) INCREMENTS);
    }
  }

  // The formats of an increment, read from the sources of the client libraries. Libraries for
  // phones send the same message in a stream.

  /**
   * Servers' {@code update} with transforms only becomes one transform of a document that must
   * exist. Go: {@code DocumentRef.newUpdateWithTransform}; Python: {@code pbs_for_update}; C#:
   * {@code WriteBatch.AddUpdateWrites}; Ruby: {@code Convert.writes_for_update}; PHP: {@code
   * BulkWriter.update}.
   */
  private static final String TRANSFORM_OF_EXISTING =
      """
      {"transform": {"document": "%1$s", "fieldTransforms": [%2$s]},
       "currentDocument": {"exists": true}}""";

  /** Servers' merging {@code set}, in the same sources. The document need not exist. */
  private static final String TRANSFORM =
      """
      {"transform": {"document": "%1$s", "fieldTransforms": [%2$s]}}""";

  /**
   * Phones' and browsers' {@code update}: a patch of no field, with transforms after it. Android:
   * {@code RemoteSerializer.encodeMutation}; Apple: {@code Serializer::EncodeMutation}.
   */
  private static final String PATCH =
      """
      {"update": {"name": "%1$s", "fields": {}}, "updateMask": {"fieldPaths": []},
       "updateTransforms": [%2$s], "currentDocument": {"exists": true}}""";

  /** Languages with the same format of their libraries. */
  private enum Language {
    GO_PHP_PYTHON_CSHARP_AND_RUBY("", TRANSFORM_OF_EXISTING),
    MERGING_SET("", TRANSFORM),
    KOTLIN_JAVA_SWIFT_AND_OBJECTIVE_C("numShards", PATCH);

    private static final String COUNT = "count";

    /** The counter's field for the number of shards; empty if the sample does not write it. */
    private final String shardsField;

    private final String format;

    Language(String shardsField, String format) {
      this.shardsField = shardsField;
      this.format = format;
    }

    /** The writes that create one shard, and the counter if the sample creates it. */
    List<String> creation(String counter, String shard) {
      var first = integer(shard, COUNT, 0);
      return shardsField.isEmpty()
          ? List.of(first)
          : List.of(integer(counter, shardsField, 1), first);
    }

    private static String integer(String document, String field, int value) {
      return "{\"update\": {\"name\": \"%s\", \"fields\": {\"%s\": {\"integerValue\": \"%d\"}}}}"
          .formatted(document, field, value);
    }

    /** A write that adds one to the count of the shard. */
    String increment(String shard) {
      return format.formatted(
          shard,
          "{\"fieldPath\": \"%s\", \"increment\": {\"integerValue\": \"1\"}}".formatted(COUNT));
    }
  }

  /** A document's full name. */
  private static String name(TestCloud cloud, String document) {
    return documents(cloud) + "/" + document;
  }

  private static String documents(TestCloud cloud) {
    return "projects/%s/databases/%s/documents"
        .formatted(cloud.local().project(), cloud.local().database());
  }

  /** Commits by REST, which takes any client's request; returns the status of the answer. */
  private static int send(TestCloud cloud, List<String> writes) throws Exception {
    var commit =
        "http://%s/v1/%s:commit".formatted(cloud.local().firestoreHost(), documents(cloud));
    var request =
        HttpRequest.newBuilder(URI.create(commit))
            .timeout(ANSWER_WITHIN)
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer owner")
            .POST(BodyPublishers.ofString("{\"writes\": [" + String.join(",", writes) + "]}"))
            .build();
    return HTTP.send(request, BodyHandlers.discarding()).statusCode();
  }
}
