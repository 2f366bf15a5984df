package dev.tallyroll.operator;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckTotalsTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @TempDir private Path folder;

  private int check(String... arguments) throws Exception {
    return CheckTotals.run(
        new Program(
            name -> null, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8)),
        arguments);
  }

  private String file(String text) throws Exception {
    return Files.writeString(folder.resolve("totals.json"), text).toString();
  }

  @Test
  void entries_arePrintedWithWhereTheyShow() throws Exception {
    String file =
        file(
            """
            {
              "likes": {"of": "rooms/{room}/posts/{post}/likes", "into": {"count": "stats.likes"}},
              "ratings": {
                "of": "posts/{post}/ratings", "sum": "stars",
                "into": {"average": "rating", "count": "ratings"}
              },
              "counters": {"of": "{parent=**}/counters/{counter}/shards", "sum": "count"},
              "fans": {"of": "users/{user}/followers", "document": "profiles/{user}", "into": {"count": "fans"}}
            }
            """);

    assertThat(check(file)).isZero();
    assertThat(out.toString(UTF_8))
        .isEqualTo(
            """
            %s: 4 entries
              likes: number of rooms/{1}/posts/{2}/likes; in rooms/{room}/likes_rollups/{post}, and in rooms/{room}/posts/{post}: count as stats.likes
              ratings: sum of stars in posts/{1}/ratings; in ratings_rollups/{post}, and in posts/{post}: count as ratings, average as rating
              counters: sum of count in {**}/counters/{1}/shards; in {parent=**}/rollups/{counter}
              fans: number of users/{1}/followers for profiles/{1}; in fans_rollups/{user}, and in profiles/{user}: count as fans
            """
                .formatted(file));
    assertThat(err.toString(UTF_8)).isEmpty();
  }

  @Test
  void app_hasAFileThatIsRight() throws Exception {
    assertThat(check("../deploy/clients/examples/likes/totals.json")).isZero();
    assertThat(out.toString(UTF_8)).contains("totals.json: 3 entries\n");
  }

  @Test
  void mistakes_areToldAllAtOnce() throws Exception {
    String file = file("{\"likes\": {\"off\": 1}, \"B\": 3}");

    assertThat(check(file)).isEqualTo(2);
    assertThat(out.toString(UTF_8)).isEmpty();
    assertThat(err.toString(UTF_8).lines())
        .hasSize(4)
        .allMatch(line -> line.matches("%s: (likes|B)(\\.\\w+)?: expected .+".formatted(file)));
  }

  @Test
  void anythingButAFile_isRefused() throws Exception {
    assertThat(check()).isEqualTo(2);
    assertThat(check("--quiet", "totals.json")).isEqualTo(2);
    assertThat(check(folder.resolve("none.json").toString())).isEqualTo(2);
    assertThat(err.toString(UTF_8))
        .contains("check: expected one file, such as totals.json; found ''\n")
        .contains("found '--quiet totals.json'\n")
        .contains("none.json: expected a file of totals; found ");
  }
}
