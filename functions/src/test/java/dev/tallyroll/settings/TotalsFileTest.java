package dev.tallyroll.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.common.io.Resources;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.tallyroll.CounterPath;
import dev.tallyroll.SumMode;
import dev.tallyroll.internal.FieldName;
import dev.tallyroll.internal.Layout;
import dev.tallyroll.protocol.Entry;
import dev.tallyroll.protocol.Figure;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TotalsFileTest {
  private static final String LIKES = "\"of\": \"posts/{post}/likes\"";

  private static Map<String, Entry> entries(String text) {
    return TotalsFile.parse(text).entries().stream()
        .collect(Collectors.toMap(Entry::name, entry -> entry));
  }

  private static Entry entry(String keys) {
    return TotalsFile.parse("{\"likes\": {" + keys + "}}").entries().get(0);
  }

  private static List<String> mistakes(String text) {
    try {
      TotalsFile.parse(text);
      return List.of();
    } catch (IllegalArgumentException refused) {
      return String.valueOf(refused.getMessage()).lines().toList();
    }
  }

  @Test
  void everyKey_isRead() {
    TotalsFile file =
        TotalsFile.parse(
            """
            {
              "$schema": "totals.schema.json",
              "likes": {"of": "posts/{post}/likes", "into": {"count": "stats.likes"}},
              "ratings": {
                "of": "products/{product}/reviews", "sum": "review.stars", "rollups": "stars",
                "into": {"sum": "stars", "count": "reviews", "average": "rating"},
                "every": "PT5S", "hold": "PT30S", "precision": 0.1,
                "rules": {"kind": "own", "values": [1, 5]}
              },
              "views": {
                "of": "counters/{counter}/shards", "document": "counters/{counter}",
                "sum": "count", "rollups": "rollups",
                "events": false, "index": false, "every": "PT1M", "rules": "strict"
              }
            }
            """);

    Entry likes = file.entries().get(0);
    Entry ratings = file.entries().get(1);
    Entry views = file.entries().get(2);
    assertThat(likes.layout()).isEqualTo(new Layout("posts/{post}/likes", "likes_rollups", ""));
    assertThat(likes.totalOf()).isEqualTo("number of posts/{1}/likes");
    assertThat(likes.fields()).isEqualTo(Map.of(Figure.COUNT, FieldName.of("stats", "likes")));
    assertThat(likes.timing().tick()).isEqualTo(Duration.ofSeconds(1));
    assertThat(likes.timing().burst()).as("two a second").isEqualTo(10);
    assertThat(likes.timing().holds()).isFalse();
    assertThat(ratings.layout())
        .isEqualTo(new Layout("products/{product}/reviews", "stars", "review.stars"));
    assertThat(ratings.fields()).hasSize(3).containsEntry(Figure.AVERAGE, FieldName.of("rating"));
    assertThat(ratings.timing().tick()).isEqualTo(Duration.ofSeconds(5));
    assertThat(ratings.timing().lease()).isEqualTo(Duration.ofSeconds(15));
    assertThat(ratings.timing().hold()).isEqualTo(Duration.ofSeconds(30));
    assertThat(ratings.timing().precision()).isEqualTo(0.1);
    assertThat(ratings.hasEvents()).isTrue();
    assertThat(ratings.sum()).isEqualTo(SumMode.AGGREGATE);
    assertThat(views.layout()).isEqualTo(Layout.DEFAULT.in("counters"));
    assertThat(views.hasEvents()).isFalse();
    assertThat(views.sum()).isEqualTo(SumMode.DOCUMENTS);
    assertThat(file.rules())
        .isEqualTo(
            Map.of(
                "ratings",
                    new EntryRules(
                        EntryRules.RulesKind.OWN, Optional.of(new EntryRules.Values(1, 5))),
                "views", new EntryRules(EntryRules.RulesKind.STRICT, Optional.empty())));
  }

  @Test
  void fileThatIsNotThere_isThatOfShardedCounters() {
    TotalsFile file = TotalsFile.parse(TotalsFile.DEFAULT);

    assertThat(file.entries()).hasSize(1);
    assertThat(file.entries().get(0).layout()).isEqualTo(Layout.DEFAULT.in("counters"));
    assertThat(file.rules().get("counters"))
        .isEqualTo(new EntryRules(EntryRules.RulesKind.PLAIN, Optional.empty()));
  }

  @Test
  void documentElsewhere_isRead() {
    Entry entry =
        entry("\"of\": \"users/{u}/shards\", \"document\": \"profiles/{u}\", \"rollups\": \"r\"");

    assertThat(entry.layout()).isEqualTo(new Layout("users/{u}/shards", "profiles/{u}", "r", ""));
    assertThat(entry.totalOf()).isEqualTo("number of users/{1}/shards for profiles/{1}");
  }

  /** The contract's own examples. */
  @Test
  void conditionsAndFieldsOfDocuments_areRead() {
    Entry comments =
        entry(
            "\"of\": \"posts/{post}/comments\", \"where\": {\"state\": \"published\", \"a.b\": null, \"n\": 1.0, \"m\": 9007199254740993, \"t\": true}");
    Entry open =
        entry("\"of\": \"tickets\", \"where\": {\"open\": true}, \"document\": \"teams/{teamId}\"");
    Entry users = entry("\"of\": \"users\", \"document\": \"stats/app\", \"events\": false");

    assertThat(comments.layout().where().all())
        .isEqualTo(
            Map.of(
                FieldName.of("state"), Optional.of("published"),
                FieldName.of("a", "b"), Optional.empty(),
                FieldName.of("n"), Optional.of(1.0),
                FieldName.of("m"), Optional.of(9_007_199_254_740_993L),
                FieldName.of("t"), Optional.of(true)));
    assertThat(comments.totalOf())
        .isEqualTo(
            "number of posts/{1}/comments where a.b = null and m = 9007199254740993 and n = 1 and state = \"published\" and t = true");
    assertThat(open.totalOf())
        .isEqualTo("number of tickets where open = true and teamId = {1} for teams/{1}");
    assertThat(open.layout().trigger()).isEqualTo("tickets/{shard}");
    assertThat(users.totalOf()).isEqualTo("number of users for stats/app");
    assertThat(users.layout().only()).contains(CounterPath.of("app"));
  }

  @Test
  void countersOfAnyParent_areAPattern() {
    Entry entry = entry("\"of\": \"{parent=**}/posts/{p}/likes\"");

    assertThat(entry.layout().counters()).isEqualTo("{parent=**}/posts");
    assertThat(entry.totalOf()).isEqualTo("number of {**}/posts/{1}/likes");
  }

  /** A mistake of a beginner, what is expected of him, and what was found. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`\"of\": \"posts/{post}/likes/{like}\"` | `likes.of: expected a collection, so without '/{like}' at its end; found 'posts/{post}/likes/{like}'`",
        "`\"of\": \"/posts/{post}/likes\"` | `likes.of: expected the path of a collection, such as \"posts/{post}/likes\", without a slash at either end; found '/posts/{post}/likes'`",
        "`\"of\": \"posts\"` | `likes.document: expected the document that the total is of, such as \"stats/app\", as \"of\" is at the root; found nothing`",
        "`\"of\": \"posts/{a}/x/{a}/likes\"` | `likes.of: expected the path of a collection, such as \"posts/{post}/likes\", with variables for documents only, and each variable once; found 'posts/{a}/x/{a}/likes'`",
        "`\"of\": \"posts/{post}/größe\"` | `likes.of: expected names of A-Z, a-z, 0-9, _ and -, as a trigger takes no others, and variables such as {post}; found 'größe' in 'posts/{post}/größe'`",
        "`\"of\": \"posts/{post}/__x__\"` | `likes.of: expected names that Firestore takes`",
        "`\"of\": \"posts/{post}\"` | `likes.of: expected a collection, so without '/{post}' at its end`",
        "`\"of\": \"{x}/{post}/likes\"` | `likes.of: expected the path of a collection`",
        "`\"of\": \"rollup_runs/{post}/likes\"` | `likes: collections: expected three different names, none of them 'rollup_runs'`",
        "`\"of\": \"posts/{post}/live\"` | `likes: collections: expected three different names`",
        "`\"of\": 7` | `likes.of: expected the path of a collection, such as \"posts/{post}/likes\"; found 7`",
        "`\"off\": \"posts/{post}/likes\"` | `likes.off: expected one of the keys of, sum, where, document, into, rollups, every, hold, precision, events, index, rules; found 'off'`",
        "`\"of\": \"posts/{post}/likes\", \"into\": \"likes\"` | `likes.into: expected an object that names a field for each figure, such as {\"count\": \"likes\"}; found 'likes'`",
        "`\"of\": \"posts/{post}/likes\", \"into\": {\"likes\": \"count\"}` | `likes.into: expected the figure before the field: {\"count\": \"likes\"}; found 'likes'`",
        "`\"of\": \"posts/{post}/likes\", \"into\": {\"total\": \"likes\"}` | `likes.into: expected sum, count or average, each with the name of a field, such as {\"count\": \"likes\"}; found 'total'`",
        "`\"of\": \"posts/{post}/likes\", \"into\": {\"sum\": \"likes\"}` | `likes.into: expected count alone without \"sum\", as each document counts one; found 'sum'`",
        "`\"of\": \"posts/{post}/likes\", \"into\": {}` | `likes.into: expected at least one figure, such as {\"count\": \"likes\"}; found {}`",
        "`\"of\": \"posts/{post}/likes\", \"into\": {\"count\": \"num_shards\"}` | `likes.into.count: expected a field's name or path`",
        "`\"of\": \"posts/{post}/likes\", \"into\": {\"count\": \"reset_id.x\"}` | `likes.into.count: expected a field's name or path`",
        "`\"of\": \"posts/{post}/likes\", \"into\": {\"count\": \"stats.__x__\"}` | `likes.into.count: expected a field's name or path`",
        "`\"of\": \"posts/{post}/likes\", \"into\": {\"count\": \"my likes\"}` | `likes.into.count: expected a field's name or path`",
        "`\"of\": \"posts/{post}/likes\", \"into\": {\"count\": true}` | `likes.into.count: expected a field's name or path`",
        "`\"of\": \"posts/{post}/likes\", \"sum\": \"stars\", \"into\": {\"sum\": \"a\", \"count\": \"a.b\"}` | `likes.into.count: expected a field other than [a], and not on the way to it or inside; found 'a.b'`",
        "`\"of\": \"posts/{post}/likes\", \"sum\": \"a..b\"` | `likes.sum: expected a field's name or path, such as \"stars\" or \"review.stars\"; found 'a..b'`",
        "`\"of\": \"posts/{post}/likes\", \"sum\": true` | `likes.sum: expected a field's name or path, such as \"stars\"; found true`",
        "`\"of\": \"posts/{post}/likes\", \"events\": \"true\"` | `likes.events: expected true without quotes; found 'true'`",
        "`\"of\": \"posts/{post}/likes\", \"index\": 1` | `likes.index: expected true or false; found 1`",
        "`\"of\": \"posts/{post}/likes\", \"index\": false` | `likes.index: expected true without \"sum\", as then no field is read; found false`",
        "`\"of\": \"a/{b}/posts/{post}/likes\", \"events\": false` | `likes.events: expected true, as \"of\" has a variable before its last one`",
        "`\"of\": \"{parent=**}/posts/{post}/likes\", \"events\": false` | `likes.events: expected true, as \"of\" has a variable before its last one`",
        "`\"of\": \"posts/{post}/likes\", \"every\": 1` | `likes.every: expected a duration from PT0.1S to PT1M in double quotes, such as \"PT5S\" for five seconds; found 1`",
        "`\"of\": \"posts/{post}/likes\", \"every\": \"1s\"` | `likes.every: expected a duration from PT0.1S to PT1M in double quotes, such as \"PT5S\" for five seconds; found '1s'`",
        "`\"of\": \"posts/{post}/likes\", \"every\": \"PT0.05S\"` | `likes.every: expected a duration from PT0.1S to PT1M`",
        "`\"of\": \"posts/{post}/likes\", \"every\": \"PT2M\"` | `likes.every: expected a duration from PT0.1S to PT1M`",
        "`\"of\": \"posts/{post}/likes\", \"events\": false, \"every\": \"PT0.5S\"` | `likes.every: expected a duration from PT1S to PT1M`",
        "`\"of\": \"posts/{post}/likes\", \"every\": \"PT5S\", \"hold\": \"PT1S\"` | `likes.hold: expected a duration from PT5S to PT4M`",
        "`\"of\": \"posts/{post}/likes\", \"hold\": \"PT5M\"` | `likes.hold: expected a duration from PT1S to PT4M`",
        "`\"of\": \"posts/{post}/likes\", \"hold\": \"PT9S\", \"precision\": 1` | `likes.precision: expected a part of the total, from 0 to below 1, such as 0.01; found 1`",
        "`\"of\": \"posts/{post}/likes\", \"hold\": \"PT9S\", \"precision\": \"0.1\"` | `likes.precision: expected a part of the total, from 0 to below 1, such as 0.01; found '0.1'`",
        "`\"of\": \"posts/{post}/likes\", \"precision\": 0.1` | `likes.precision: expected nothing without \"hold\", which it belongs to; found 0.1`",
        "`\"of\": \"posts/{post}/likes\", \"where\": 7` | `likes.where: expected an object of 1 to 10 fields or their paths, each with a text, a number, true, false or null, such as {\"state\": \"published\"}; found 7`",
        "`\"of\": \"posts/{post}/likes\", \"where\": {}` | `likes.where: expected an object of 1 to 10 fields`",
        "`\"of\": \"posts/{post}/likes\", \"where\": {\"a\": [1]}` | `likes.where.a: expected fields or their paths, each with a text, a number, true, false or null, such as {\"state\": \"published\"}; found [1]`",
        "`\"of\": \"posts/{post}/likes\", \"where\": {\"a.b-c\": 1}` | `likes.where.a.b-c: expected fields or their paths`",
        "`\"of\": \"posts/{post}/likes\", \"where\": {\"a\": 1e999}` | `likes.where.a: expected fields or their paths`",
        "`\"of\": \"posts/{post}/likes\", \"where\": {\"a\": 1, \"a.b\": 2}` | `likes.where.a.b: expected a field that is not on the way to another, or inside`",
        "`\"of\": \"posts/{post}/likes\", \"document\": \"stats/app\"` | `likes.document: expected all variables of \"of\", also {post}; found 'stats/app'`",
        "`\"of\": \"posts\", \"document\": \"teams/{__name__}\"` | `likes.document: expected fields other than __.*__ as variables; found '__name__'`",
        "`\"of\": \"posts/{post}/likes\", \"document\": \"teams/{teamId}\"` | `likes.document: expected all variables of \"of\", also {post}`",
        "`\"of\": \"posts/{post}/likes\", \"document\": \"a/{post}/b/{c}\", \"events\": false` | `likes.events: expected true, as \"document\" has a field: no list says which documents it names; found false`",
        "`\"of\": \"posts/{post}/likes\", \"document\": \"a/{post}/b/{c}\", \"where\": {\"c\": 1}` | `likes.where: expected no field that \"document\" takes an id from; found 'c'`",
        "`\"of\": \"a/{b}/posts/{post}/likes\", \"document\": \"tops/{post}\"` | `likes.document: expected all variables of \"of\", also {b}`",
        "`\"of\": \"posts/{post}/likes\", \"document\": \"tops/{post}/by/{post}\"` | `likes.document: expected the path of a document, such as \"profiles/{user}\", with variables for documents only, and each variable once; found 'tops/{post}/by/{post}'`",
        "`\"of\": \"posts/{post}/likes\", \"document\": \"/tops/{post}\"` | `likes.document: expected the path of a document, such as \"profiles/{user}\"`",
        "`\"of\": \"posts/{post}/likes\", \"document\": \"größe/{post}\"` | `likes.document: expected names of A-Z, a-z, 0-9, _ and -`",
        "`\"of\": \"posts/{post}/likes\", \"document\": \"rollup_runs/{post}\"` | `likes: collections: expected three different names`",
        "`\"of\": \"posts/{post}/likes\", \"document\": \"rollup_runs/x/tops/{post}\"` | `likes: counters: expected counters outside of rollup_runs`",
        "`\"of\": \"{parent=**}/posts/{post}/likes\", \"document\": \"tops/{post}\"` | `likes.document: expected nothing, as \"of\" is below any document; found 'tops/{post}'`",
        "`\"of\": \"posts/{post}/likes\", \"document\": 7` | `likes.document: expected a document's path, such as \"posts/{post}\"; found 7`",
        "`\"of\": \"posts/{post}/likes\", \"sum\": \"stars\", \"document\": \"tops/{post}\", \"rules\": \"plain\"` | `likes.rules: expected no \"document\" beside plain and strict rules, as shards that clients increment are below the document that their total is of; found 'plain'`",
        "`\"of\": \"posts/{post}/likes\", \"document\": \"posts\"` | `likes.document: expected the path of a document, such as \"profiles/{user}\", which has an id behind each collection; found 'posts'`",
        "`\"of\": \"posts/{post}/likes\", \"rollups\": \"a/b\"` | `likes.rollups: expected the name of a collection`",
        "`\"of\": \"posts/{post}/likes\", \"rollups\": \"increment_names\"` | `likes.rollups: expected the name of a collection`",
        "`\"of\": \"posts/{post}/likes\", \"rollups\": \"posts\"` | `likes: collections: expected three different names`",
        "`\"of\": \"counters/{c}/shards\", \"sum\": \"count\"` | `likes.rollups: expected \"rollups\", where the libraries read the totals of counters, or another collection, as \"of\" ends in 'shards'; found nothing`",
        "`\"of\": \"posts/{post}/likes\", \"rules\": \"all\"` | `likes.rules: expected \"plain\", \"strict\", \"own\", or {\"kind\": \"own\", \"values\": [1, 5]}; found 'all'`",
        "`\"of\": \"posts/{post}/likes\", \"rules\": \"plain\"` | `likes.rules: expected \"own\" without \"sum\", as each document counts one: no client increments; found 'plain'`",
        "`\"of\": \"posts/{post}/likes\", \"sum\": \"stars\", \"rules\": \"own\"` | `likes.rules: expected the least and the most of \"sum\", such as {\"kind\": \"own\", \"values\": [1, 5]}; found 'own'`",
        "`\"of\": \"posts/{post}/likes\", \"rules\": {\"kind\": \"own\", \"values\": [1, 5]}` | `likes.rules: expected no \"values\" but with \"own\" and \"sum\"`",
        "`\"of\": \"posts/{post}/likes\", \"sum\": \"stars\", \"rules\": {\"kind\": \"own\", \"values\": [5, 1]}` | `likes.rules.values: expected the least and the most, two integers`",
        "`\"of\": \"posts/{post}/likes\", \"rules\": {\"kind\": \"own\", \"set\": [\"a\"]}` | `likes.rules.set: expected with \"own\", a list of fields of \"where\" and \"document\", some of []; found [\"a\"]`"
      })
  void mistake_isNamedWithWhatWasMeant(String keys, String message) {
    assertThat(mistakes("{\"likes\": {" + keys + "}}"))
        .anyMatch(mistake -> mistake.startsWith(message));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`[]` | `expected an object with an entry for each kind of total; found []`",
        "`{}` | `expected 1 to 20 entries; found 0`",
        "`{\"likes\": \"posts/{post}/likes\"}` | `likes: expected an object such as {\"of\": \"posts/{post}/likes\"}; found 'posts/{post}/likes'`",
        "`{\"Likes\": {\"of\": \"posts/{post}/likes\"}}` | `Likes: expected a name of a small letter, then small letters, digits and dashes, at most 20 in all; found 'Likes'`",
        "`{\"likes\": {}}` | `likes.of: expected the path of a collection, such as \"posts/{post}/likes\"; found nothing`",
        "`{\"likes\": {\"of\": \"a/{b}/c\", \"of\": \"a/{b}/d\"}}` | `likes.of: expected it once; found it twice`",
        "`{\"likes\": {\"of\": \"a/{b}/c\"}, \"likes\": {\"of\": \"a/{b}/d\"}}` | `likes: expected it once; found it twice`"
      })
  void mistakeOfTheFile_isNamed(String text, String message) {
    assertThat(mistakes(text)).containsExactly(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{} {}",
        "{\"likes\": {\"of\": \"posts/{post}/likes\",}}",
        "{'likes': {}}",
        "{likes: {}}",
        "// a comment\n{}",
        "{\"likes\": NaN}",
        "{\"likes\": {\"precision\": 01}}"
      })
  void textThatIsNotJson_isRefused(String text) {
    assertThat(mistakes(text)).hasSize(1).allMatch(line -> line.startsWith("expected JSON, with"));
  }

  @Test
  void allMistakes_areToldAtOnce() {
    assertThat(
            mistakes(
                """
                {
                  "Likes": {"of": "posts/{post}/likes/{like}", "into": "likes", "events": "true"},
                  "open": {"of": "tickets", "every": 1}
                }
                """))
        .hasSize(6);
  }

  @Test
  void tooManyOrTooMuch_isRefused() {
    String many =
        IntStream.range(0, 21)
            .mapToObj(i -> "\"e%d\": {\"of\": \"posts/{post}/c%d\"}".formatted(i, i))
            .collect(Collectors.joining(",", "{", "}"));

    assertThat(mistakes(many)).containsExactly("expected 1 to 20 entries; found 21");
    assertThat(entries(many.replaceFirst("\"e0\": [^}]+}[^}]+},", ""))).hasSize(20);
    assertThat(mistakes("{}" + " ".repeat(24 * 1024 - 1)))
        .containsExactly(
            "expected at most 24576 bytes, as the functions have it in their environment; found 24577");
  }

  /** Entries that must not be in one file, and how the refusal begins. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`\"of\": \"users/{u}/followers\", \"rollups\": \"r\"` | `\"of\": \"profiles/{p}/likes\", \"rollups\": \"r\"` | `b.rollups: expected a collection whose documents are not those of a, as a total of one could be in the place of a total of the other; found 'r' beside profiles, and beside users`",
        "`\"of\": \"posts/{u}/likes\", \"rollups\": \"r\"` | `\"of\": \"posts/{p}/comments\", \"rollups\": \"r\"` | `b.rollups: expected a collection whose documents are not those of a`",
        "`\"of\": \"{parent=**}/posts/{u}/likes\", \"rollups\": \"r\"` | `\"of\": \"rooms/{p}/x/{y}/comments\", \"rollups\": \"r\"` | `b.rollups: expected a collection whose documents are not those of a`",
        "`\"of\": \"rooms/{r}/posts/{u}/likes\"` | `\"of\": \"rooms/r1/posts/{p}/likes\"` | `b.of: expected the pattern of a, rooms/{r}/posts/{u}/likes, or one that fits none of its paths, as each write has one event; found 'rooms/r1/posts/{p}/likes'`",
        "`\"of\": \"{parent=**}/posts/{u}/likes\"` | `\"of\": \"posts/{p}/likes\"` | `b.of: expected the pattern of a`",
        "`\"of\": \"posts/{p}/likes\", \"rollups\": \"users\"` | `\"of\": \"users/{u}/followers\"` | `a.rollups: expected a collection of totals alone; found 'users', where b has documents of the app's`",
        "`\"of\": \"users/{u}/posts/{p}/likes\", \"rollups\": \"followers\"` | `\"of\": \"users/{u}/followers\"` | `a.rollups: expected a collection of totals alone; found 'followers', where b has documents of the app's`",
        "`\"of\": \"posts/{p}/likes\", \"into\": {\"count\": \"n\"}` | `\"of\": \"posts/{q}/comments\", \"into\": {\"count\": \"n\"}` | `b.into: expected a field other than those of a in the same document, [n], and not on the way to one or inside; found 'n'`",
        "`\"of\": \"posts/{p}/likes\", \"into\": {\"count\": \"n\"}` | `\"of\": \"posts/{q}/comments\", \"into\": {\"count\": \"n.m\"}` | `b.into: expected a field other than those of a`",
        "`\"of\": \"{parent=**}/posts/{p}/likes\", \"into\": {\"count\": \"n\"}` | `\"of\": \"posts/{q}/comments\", \"into\": {\"count\": \"n\"}` | `b.into: expected a field other than those of a`",
        "`\"of\": \"users/{u}/followers\", \"document\": \"profiles/{u}\", \"rollups\": \"r\"` | `\"of\": \"users/{p}/likes\", \"document\": \"tops/{p}\", \"rollups\": \"r\"` | `b.rollups: expected a collection whose documents are not those of a`",
        "`\"of\": \"users/{u}/followers\", \"document\": \"profiles/{u}\", \"into\": {\"count\": \"n\"}` | `\"of\": \"profiles/{p}/likes\", \"into\": {\"count\": \"n\"}` | `b.into: expected a field other than those of a`",
        "`\"of\": \"a/{x}/b/{y}/c\", \"sum\": \"n\", \"document\": \"d/{x}/e/{y}\", \"into\": {\"sum\": \"m\"}` | `\"of\": \"d/{x}/e\", \"sum\": \"m\", \"document\": \"a/s/b/t/c/{x}\", \"into\": {\"sum\": \"n\"}` | `a: expected to read no field that depends on its own totals; found 'n', by way of [a, b]`",
        "`\"of\": \"a/{x}/b/{y}/c\", \"sum\": \"n.p\", \"document\": \"d/{x}/e/{y}\", \"into\": {\"sum\": \"m\"}` | `\"of\": \"d/{x}/e\", \"sum\": \"m.q\", \"document\": \"a/s/b/t/c/{x}\", \"into\": {\"sum\": \"n\"}` | `a: expected to read no field that depends on its own totals`"
      })
  void entriesThatMeet_areRefused(String one, String other, String message) {
    assertThat(mistakes("{\"a\": {" + one + "}, \"b\": {" + other + "}}"))
        .anyMatch(mistake -> mistake.startsWith(message));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`\"of\": \"posts/{p}/likes\", \"into\": {\"count\": \"n\"}` | `\"of\": \"posts/{q}/comments\", \"into\": {\"count\": \"m\"}`",
        "`\"of\": \"posts/{p}/reviews\", \"sum\": \"stars\"` | `\"of\": \"posts/{q}/reviews\"`",
        "`\"of\": \"a/{p}/likes\", \"rollups\": \"r\"` | `\"of\": \"b/{x}/a/{p}/likes\", \"rollups\": \"r\"`",
        "`\"of\": \"posts/{p}/likes\", \"into\": {\"count\": \"n\"}` | `\"of\": \"users/{u}/posts\", \"sum\": \"n\", \"into\": {\"sum\": \"n\"}`",
        "`\"of\": \"a/{b}/posts/{p}/likes\"` | `\"of\": \"x/{y}/posts/{p}/likes\"`",
        "`\"of\": \"users/{u}/followers\", \"document\": \"profiles/{u}\", \"into\": {\"count\": \"n\"}` | `\"of\": \"users/{u}/followers\", \"into\": {\"count\": \"n\"}`",
        "`\"of\": \"a/{x}/b/{y}/c\", \"sum\": \"n\", \"document\": \"d/{x}/e/{y}\", \"into\": {\"sum\": \"m\"}` | `\"of\": \"d/{x}/e\", \"sum\": \"m\", \"document\": \"a/s/b/t/c/{x}\", \"into\": {\"sum\": \"k\"}`"
      })
  void entriesThatDoNotMeet_areTaken(String one, String other) {
    assertThat(mistakes("{\"a\": {" + one + "}, \"b\": {" + other + "}}")).isEmpty();
  }

  @Test
  void file_isGivenOnOneLine(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("totals.json");
    Files.writeString(file, "{\n  \"likes\": {\n    " + LIKES + "\n  }\n}\n");

    assertThat(TotalsFile.text(file)).isEqualTo("{\"likes\":{\"of\":\"posts/{post}/likes\"}}");
    Files.writeString(file, "{\"likes\": {}, \"Open\": {" + LIKES + "}}");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TotalsFile.text(file))
        .satisfies(
            refused ->
                assertThat(String.valueOf(refused.getMessage()).lines())
                    .hasSize(2)
                    .allMatch(line -> line.startsWith(file + ": ")));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TotalsFile.text(folder.resolve("none")))
        .withMessageContaining("expected a file of totals; found ");
  }

  @Test
  void schema_hasTheSameKeysAndWords() throws Exception {
    JsonObject schema =
        JsonParser.parseString(
                Resources.toString(
                    Resources.getResource(TotalsFile.class, "totals.schema.json"),
                    StandardCharsets.UTF_8))
            .getAsJsonObject();
    JsonObject definitions = schema.getAsJsonObject("$defs");
    JsonObject keys = definitions.getAsJsonObject("entry").getAsJsonObject("properties");

    assertThat(keys.keySet()).containsExactlyElementsOf(TotalsFile.KEYS);
    assertThat(schema.getAsJsonObject("patternProperties").keySet())
        .containsExactly("^" + TotalsFile.NAME + "$");
    assertThat(schema.get("maxProperties").getAsInt())
        .as("all entries, and the schema's")
        .isEqualTo(TotalsFile.MOST_ENTRIES + 1);
    assertThat(schema.getAsJsonObject("properties").keySet()).containsExactly(TotalsFile.SCHEMA);
    assertThat(definitions.getAsJsonObject("field").get("pattern").getAsString())
        .isEqualTo("^" + FieldName.PATTERN + "$");
    assertThat(keys.getAsJsonObject("into").getAsJsonObject("properties").keySet())
        .containsExactlyElementsOf(words(Figure.values()));
    List<String> kinds = new ArrayList<>();
    keys.getAsJsonObject("rules")
        .getAsJsonArray("oneOf")
        .get(0)
        .getAsJsonObject()
        .getAsJsonArray("enum")
        .forEach(kind -> kinds.add(kind.getAsString()));
    assertThat(kinds).containsExactlyElementsOf(words(EntryRules.RulesKind.values()));
  }

  private static List<String> words(Enum<?>[] values) {
    return Stream.of(values).map(value -> value.name().toLowerCase(Locale.ROOT)).toList();
  }
}
