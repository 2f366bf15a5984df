package dev.tallyroll.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.settings.TotalsFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompositeIndexTest {
  private static final String BY_TEAM =
      "\"of\": \"tickets\", \"where\": {\"open\": true}, \"document\": \"teams/{teamId}\"";

  private static Entry entry(String keys) {
    return TotalsFile.parse("{\"tickets\": {" + keys + "}}").entries().get(0);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "of": "posts/{post}/likes" | none
          "of": "posts/{post}/likes", "sum": "n" | none
          "of": "posts/{post}/likes", "where": {"n": 1} | none
          "of": "posts/{post}/likes", "where": {"n": 1}, "sum": "n" | none
          "of": "posts/{post}/likes", "where": {"b": 1, "a.c": 2} | likes: a.c, b
          "of": "posts/{post}/likes", "where": {"z": 1}, "sum": "n" | likes: z, n
          "of": "posts/{post}/likes", "where": {"z": 1}, "sum": "n", "index": false | none
          "of": "tickets", "document": "teams/{teamId}" | none
          "of": "tickets", "document": "teams/{teamId}", "sum": "n" | tickets: teamId, n
          """)
  void index_isThatOfTheEntrysQuery(String keys, String expected) {
    assertThat(CompositeIndex.of(entry(keys)).map(CompositeIndex::toString).orElse("none"))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          tickets | COLLECTION       | open ASCENDING, teamId ASCENDING, __name__ ASCENDING | true
          tickets | COLLECTION       | teamId ASCENDING, open ASCENDING | true
          tickets | COLLECTION       | teamId ASCENDING, open DESCENDING | false
          tickets | COLLECTION       | teamId ASCENDING, open ASCENDING, at ASCENDING | false
          tickets | COLLECTION       | teamId ASCENDING | false
          tickets | COLLECTION_GROUP | teamId ASCENDING, open ASCENDING | false
          others  | COLLECTION       | teamId ASCENDING, open ASCENDING | false
          """)
  void index_isKnownByItsFields(String collection, String scope, String fields, boolean isIt) {
    StringBuilder all = new StringBuilder();
    for (String field : fields.split(", ", -1)) {
      String[] parts = field.split(" ", -1);
      all.append("{'fieldPath': '%s', 'order': '%s'},".formatted(parts[0], parts[1]));
    }
    String index =
        "{'name': 'projects/p/databases/d/collectionGroups/%s/indexes/i', 'queryScope': '%s', 'fields': [%s]}"
            .formatted(collection, scope, all.substring(0, all.length() - 1));

    assertThat(
            CompositeIndex.of(entry(BY_TEAM))
                .orElseThrow()
                .is(JsonParser.parseString(index.replace('\'', '"')).getAsJsonObject()))
        .isEqualTo(isIt);
  }

  @Test
  void index_isMadeByOneCommand() {
    CompositeIndex index = CompositeIndex.of(entry(BY_TEAM + ", \"sum\": \"hours\"")).orElseThrow();

    assertThat(index.command("(default)", "p"))
        .isEqualTo(
            "gcloud firestore indexes composite create --collection-group=tickets --query-scope=collection --field-config=field-path=open,order=ascending --field-config=field-path=teamId,order=ascending --field-config=field-path=hours,order=ascending --database='(default)' --project=p");
    assertThat(index.json())
        .hasToString(
            "{\"collectionGroup\":\"tickets\",\"queryScope\":\"COLLECTION\",\"fields\":[{\"fieldPath\":\"open\",\"order\":\"ASCENDING\"},{\"fieldPath\":\"teamId\",\"order\":\"ASCENDING\"},{\"fieldPath\":\"hours\",\"order\":\"ASCENDING\"}]}");
  }
}
