package dev.tallyroll.snippets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.it.Counter;
import dev.tallyroll.it.On;
import dev.tallyroll.it.Site;
import dev.tallyroll.it.TestCloud;
import dev.tallyroll.local.LocalCloud;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * What libraries send, whether they can be installed here or not: every language's increments, on a
 * stack that counts its sample's field.
 */
final class WireFormatsIT {
  @Nested
  @On(Site.SHARED)
  final class WithCount {
    @Test
    void increments_reachTheRollUp(TestCloud cloud) throws Exception {
      countInEachLanguage(cloud);
    }
  }

  @Nested
  @On(Site.LONE)
  final class WithCapitalCount {
    @Test
    void increments_reachTheRollUp(TestCloud cloud) throws Exception {
      countInEachLanguage(cloud);
    }
  }

  @Nested
  @On(Site.RENAMED)
  final class WithCnt {
    @Test
    void increments_reachTheRollUp(TestCloud cloud) throws Exception {
      countInEachLanguage(cloud);
    }
  }

  private static final int INCREMENTS = 12;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  private static void countInEachLanguage(TestCloud cloud) throws Exception {
    var commits = new Commits(cloud.local());
    Map<Language, Counter> counters = new LinkedHashMap<>();
    for (var language : Language.spelling(cloud.layout().countField())) {
      var counter = cloud.counter();
      counters.put(language, counter);
      var name = commits.name(cloud.layout().counterDocument(counter.path()));
      var shard = name + "/" + cloud.layout().shards() + "/0";
      // Only a merging set may make a shard: else the samples' precondition got lost.
      int expected = language == Language.GO_MERGING ? OK : NOT_FOUND;
      assertThat(commits.send(List.of(language.increment(shard))))
          .as("%s", language)
          .isEqualTo(expected);
      assertThat(commits.send(language.creation(name, shard)))
          .as("%s creates", language)
          .isEqualTo(OK);
      for (int call = 0; call < INCREMENTS; call++) {
        assertThat(commits.send(List.of(language.increment(shard))))
            .as("%s", language)
            .isEqualTo(OK);
      }
    }
    assertThat(counters).isNotEmpty();
    for (var one : counters.entrySet()) {
      cloud.tickUntil("the total of " + one.getKey(), () -> one.getValue().shows(INCREMENTS));
      one.getValue().awaitTotal((long) INCREMENTS);
    }
  }

  /** A language, with its sample's spellings and its library's way to send an increment. */
  private enum Language {
    GO("Count", "", WireFormat.TRANSFORM_OF_EXISTING),
    GO_MERGING("Count", "", WireFormat.TRANSFORM),
    PHP("Cnt", "", WireFormat.TRANSFORM_OF_EXISTING),
    PYTHON("count", "", WireFormat.TRANSFORM_OF_EXISTING),
    CSHARP("count", "", WireFormat.TRANSFORM_OF_EXISTING),
    RUBY("count", "", WireFormat.TRANSFORM_OF_EXISTING),
    KOTLIN_AND_JAVA("count", "numShards", WireFormat.PATCH),
    SWIFT_AND_OBJECTIVE_C("count", "numShards", WireFormat.PATCH);

    private final String countField;

    /** Empty where the sample creates the shards only. */
    private final String shardsField;

    private final WireFormat format;

    Language(String countField, String shardsField, WireFormat format) {
      this.countField = countField;
      this.shardsField = shardsField;
      this.format = format;
    }

    static List<Language> spelling(String countField) {
      return Arrays.stream(values()).filter(one -> one.countField.equals(countField)).toList();
    }

    /** Writes that create the counter, where the sample does, and one shard. */
    List<String> creation(String counter, String shard) {
      var first = integer(shard, countField, 0);
      return shardsField.isEmpty()
          ? List.of(first)
          : List.of(integer(counter, shardsField, 1), first);
    }

    private static String integer(String document, String field, int value) {
      return """
      {"update": {"name": "%s", "fields": {"%s": {"integerValue": "%d"}}}}\
      """
          .formatted(document, field, value);
    }

    String increment(String shard) {
      return format.increment(shard, countField);
    }
  }

  /**
   * How client libraries send an increment, as JSON; which one a library uses is read from its
   * source. Those for phones send the same message in a stream rather than alone.
   */
  private enum WireFormat {
    /**
     * Servers' {@code update}: what has nothing but transforms becomes one transform, of a document
     * that must exist. Go: {@code DocumentRef.newUpdateWithTransform}; Python: {@code
     * pbs_for_update}; C#: {@code WriteBatch.AddUpdateWrites}; Ruby: {@code
     * Convert.writes_for_update}; PHP: {@code BulkWriter.update}.
     */
    TRANSFORM_OF_EXISTING(
        """
        {"transform": {"document": "%1$s", "fieldTransforms": [%2$s]},
         "currentDocument": {"exists": true}}\
        """),

    /** Servers' merging {@code set}, in the same places: the document need not exist. */
    TRANSFORM(
        """
        {"transform": {"document": "%1$s", "fieldTransforms": [%2$s]}}\
        """),

    /**
     * Phones' and browsers' {@code update}: a patch of no field, with transforms after it. Android:
     * {@code RemoteSerializer.encodeMutation}; Apple: {@code Serializer::EncodeMutation}.
     */
    PATCH(
        """
        {"update": {"name": "%1$s", "fields": {}}, "updateMask": {"fieldPaths": []},
         "updateTransforms": [%2$s], "currentDocument": {"exists": true}}\
        """);

    private final String json;

    WireFormat(String json) {
      this.json = json;
    }

    /** A write that adds one to the field of the document. */
    String increment(String document, String field) {
      return json.formatted(
          document,
          """
          {"fieldPath": "%s", "increment": {"integerValue": "1"}}\
          """
              .formatted(field));
    }
  }

  /** Firestore's commits by REST, where any client's bytes can be sent. Thread-safe. */
  private static final class Commits {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);
    private static final HttpClient HTTP =
        HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final LocalCloud cloud;

    Commits(LocalCloud cloud) {
      this.cloud = cloud;
    }

    /** As a document is named on the wire. */
    String name(String document) {
      return "projects/%s/databases/%s/documents/%s"
          .formatted(cloud.project(), cloud.database(), document);
    }

    /** Sends the writes as one commit; returns the status of the answer. */
    int send(List<String> writes) throws Exception {
      var request =
          HttpRequest.newBuilder(URI.create("http://" + cloud.firestoreHost() + "/v1/" + path()))
              .timeout(ANSWER_WITHIN)
              .header("Content-Type", "application/json")
              .header("Authorization", "Bearer owner")
              .POST(BodyPublishers.ofString("{\"writes\": [" + String.join(",", writes) + "]}"))
              .build();
      return HTTP.send(request, BodyHandlers.discarding()).statusCode();
    }

    private String path() {
      return "projects/%s/databases/%s/documents:commit"
          .formatted(cloud.project(), cloud.database());
    }
  }
}
