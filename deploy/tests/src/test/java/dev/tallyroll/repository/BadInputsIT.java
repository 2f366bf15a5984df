package dev.tallyroll.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Home;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The list of bad inputs is complete, and each of its promises names a test. */
final class BadInputsIT {
  private static final int INPUTS = 62;
  private static final List<String> MODULES =
      List.of(
          "shared",
          "functions",
          "functions/simulation",
          "deploy/local",
          "deploy/tests",
          "deploy/gcloud");
  private static final Pattern ROW =
      Pattern.compile("^\\| (\\d+) \\| ([^|]+) \\| ([^|]+) \\| ([^|]+) \\|$", Pattern.MULTILINE);
  private static final Pattern TEST = Pattern.compile("`(\\w+)\\.(\\w+)`");

  private static final Pattern ANNOTATION =
      Pattern.compile("@(Test|RepeatedTest|ParameterizedTest|FuzzTest)\\b");

  private List<MatchResult> rows() throws IOException {
    var list = Files.readString(Home.ROOT.resolve("functions/src/test/README.md"));
    return ROW.matcher(list).results().toList();
  }

  @Test
  void list_isComplete() throws Exception {
    assertThat(rows())
        .extracting(row -> Integer.parseInt(row.group(1)))
        .containsExactlyElementsOf(IntStream.rangeClosed(1, INPUTS).boxed().toList());
  }

  @Test
  void everyRow_namesTestsThatAreThere() throws Exception {
    for (var row : rows()) {
      var tests = TEST.matcher(row.group(4)).results().toList();
      assertThat(tests).as("tests of row " + row.group(1)).isNotEmpty();
      for (var test : tests) {
        assertThat(isTest(test.group(1), test.group(2)))
            .as("row %s: %s is a test", row.group(1), test.group())
            .isTrue();
      }
    }
  }

  @Test
  void testsThatAreNone_areNoticed() throws Exception {
    assertThat(isTest("BadInputsIT", "list_isComplete")).isTrue();
    assertThat(isTest("BadInputsIT", "rows")).isFalse();
    assertThat(isTest("NoSuchIT", "list_isComplete")).isFalse();
  }

  private boolean isTest(String type, String method) throws IOException {
    var source = source(type);
    if (source.isEmpty()) {
      return false;
    }
    var text = Files.readString(source.get());
    int at = text.indexOf(" void " + method + "(");
    int before = text.lastIndexOf(" void ", at - 1);
    return at >= 0 && ANNOTATION.matcher(text.substring(Math.max(0, before), at)).find();
  }

  private Optional<Path> source(String type) throws IOException {
    for (var module : MODULES) {
      try (Stream<Path> files = Files.walk(Home.ROOT.resolve(module).resolve("src/test/java"))) {
        var found = files.filter(file -> file.endsWith(type + ".java")).findFirst();
        if (found.isPresent()) {
          return found;
        }
      }
    }
    return Optional.empty();
  }
}
