package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.TypeConversionException;

final class SecurityRulesTest {
  private static final String FIRST =
      """
      rules_version = '2';
      service cloud.firestore { // a }
        match /databases/{database}/documents {
          match /a/{id} { allow get: if true; }
        }
      }
      """;

  private static final String WHOLE =
      """
      // As printed.
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          function signedIn_b() { return request.auth != null; }
          match /b/{id} { allow get: if signedIn_b(); }
        }
      }
      """;

  private static final String MATCHES = "match /c/{id} { allow get; }";

  @TempDir private Path folder;

  @Test
  void file_isAsItIs() throws Exception {
    assertThat(join("x { y }\n").text()).isEqualTo("x { y }\n");
  }

  @Test
  void whatFurtherFilesSayOfTheDocuments_getsBelowTheFirstsMatches() throws Exception {
    assertThat(join(FIRST, WHOLE, MATCHES).text().replaceAll("\\s+", " "))
        .isEqualTo(
            "rules_version = '2'; service cloud.firestore { // a } match"
                + " /databases/{database}/documents { match /a/{id} { allow get: if true; } function"
                + " signedIn_b() { return request.auth != null; } match /b/{id} { allow get: if"
                + " signedIn_b(); } match /c/{id} { allow get; } } } ");
  }

  @Test
  void compilersMessage_namesTheFileAndItsLine() throws Exception {
    var rules = join(FIRST, WHOLE, MATCHES);
    List<String> lines = rules.text().lines().toList();
    List<String> places = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).matches(".*/[abc]/.*|}")) {
        places.add(rules.inFiles("Not so:\nL" + (i + 1) + ":5 Unexpected 'x'."));
      }
    }

    assertThat(places)
        .containsExactly(
            "Not so:\n" + folder.resolve("0.rules:4: Unexpected 'x'."),
            "Not so:\n" + folder.resolve("1.rules:6: Unexpected 'x'."),
            "Not so:\n" + folder.resolve("2.rules:1: Unexpected 'x'."),
            "Not so:\n" + folder.resolve("0.rules:5: Unexpected 'x'."),
            "Not so:\n" + folder.resolve("0.rules:6: Unexpected 'x'."));
  }

  @Test
  void fileThatCannotBeJoined_isRefusedByName() {
    assertThatThrownBy(() -> join(MATCHES, FIRST))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageStartingWith(folder.resolve("0.rules") + ": expected match /databases/");
    assertThatThrownBy(() -> join(FIRST, "service cloud.firestore { }"))
        .hasMessageStartingWith(folder.resolve("1.rules") + ": expected match /databases/");
  }

  private SecurityRules join(String... texts) throws Exception {
    List<Path> files = new ArrayList<>();
    for (String text : texts) {
      files.add(Files.writeString(folder.resolve(files.size() + ".rules"), text));
    }
    return SecurityRules.of(files);
  }
}
