package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine.TypeConversionException;

final class SecurityRulesTest {
  private static final String FIRST =
      """
      rules_version = '2';
      service cloud.firestore { // a }
        match /databases/{database}/documents {
          function signedIn() { return request.auth != null; }
          match /a/{id} { allow get: if signedIn(); }
        }
      }
      """;

  private static final String WHOLE =
      """
      rules_version = '2';
      /* match /databases/{database}/documents { */
      service cloud.firestore {
        function isMine(id) { return id.matches('}{'); }
        match /databases/{database}/documents {
          function signedIn() {
            return request.auth != null;
          }
          match /b/{id} { allow get: if signedIn() && isMine(id); }
        }
      }
      // The end, without a }.
      """;

  @TempDir private Path folder;

  @Test
  void file_isAsItIs() throws Exception {
    assertThat(join("x { y }\n").text()).isEqualTo("x { y }\n");
  }

  /** The matches get below those of the first, and functions that are the same are there once. */
  @Test
  void wholeFile_givesWhatItSaysOfTheDocuments() throws Exception {
    var joined = join(FIRST, WHOLE, "match /c/{id} { allow get; }").text();

    assertThat(joined.replaceAll("\\s+", " "))
        .isEqualTo(
            "rules_version = '2'; service cloud.firestore { // a } match"
                + " /databases/{database}/documents { function signedIn() { return request.auth !="
                + " null; } match /a/{id} { allow get: if signedIn(); } function isMine(id) { return"
                + " id.matches('}{'); } match /b/{id} { allow get: if signedIn() && isMine(id); }"
                + " match /c/{id} { allow get; } } } ");
  }

  @Test
  void compilersMessage_namesTheFileAndItsLine() throws Exception {
    var rules = join(FIRST, WHOLE, "match /c/{id} { allow get; }");
    List<String> lines = rules.text().lines().toList();
    List<String> places = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).matches(".*(/a/|isMine.id. \\{|/b/|/c/).*|}")) {
        places.add(rules.inFiles("Not so:\nL" + (i + 1) + ":5 Unexpected 'x'."));
      }
    }

    assertThat(places)
        .containsExactly(
            "Not so:\n" + folder.resolve("0.rules:5: Unexpected 'x'."),
            "Not so:\n" + folder.resolve("1.rules:4: Unexpected 'x'."),
            "Not so:\n" + folder.resolve("1.rules:9: Unexpected 'x'."),
            "Not so:\n" + folder.resolve("2.rules:1: Unexpected 'x'."),
            "Not so:\n" + folder.resolve("0.rules:6: Unexpected 'x'."),
            "Not so:\n" + folder.resolve("0.rules:7: Unexpected 'x'."));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          match /a/{id} { allow get; }} | expected a { before each }; found '} in line 1'
          match /a/{id} { allow get;    | expected a } for each {; found '1 more {'
          service cloud.firestore { match /databases/{d}/documents { } } | expected one match /databases/{database}/documents {
          service cloud.firestore { match /databases/{database}/documents { } match /x/{y} { } } | expected no match beside
          function signedIn() { return true; } | expected the function signedIn as FIRST has it, or another name; found 'function signedIn() { return true; }'
          """)
  void furtherFileThatCannotBeJoined_isRefusedByName(String text, String message) {
    assertThatThrownBy(() -> join(FIRST, text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageStartingWith(
            folder.resolve("1.rules")
                + ": "
                + message.replace("FIRST", folder.resolve("0.rules").toString()));
  }

  @Test
  void firstFileWithMatchesOnly_isRefusedByName() {
    assertThatThrownBy(() -> join("match /a/{id} { allow get; }", FIRST))
        .hasMessageStartingWith(folder.resolve("0.rules") + ": expected one match /databases/");
  }

  private SecurityRules join(String... texts) throws Exception {
    List<Path> files = new ArrayList<>();
    for (String text : texts) {
      files.add(Files.writeString(folder.resolve(files.size() + ".rules"), text));
    }
    return SecurityRules.of(files);
  }
}
