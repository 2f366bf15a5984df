package dev.tallyroll.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Home;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the libraries' users get beside them fits platforms that manage an older protobuf. */
@Tag("core")
final class LibrariesIT {
  private static final String CLIENT = "google-cloud-firestore-(\\d.*)[.]jar";

  /** Code that protobuf 4 generated names this class, which protobuf 3 lacks. */
  private static final String GENERATED_BY_4 = "com/google/protobuf/RuntimeVersion";

  private static final Pattern IN_README =
      Pattern.compile(
          "asks for Firestore's client (\\S+), .*(?s:.*)^\\| client \\| (\\S+) and (\\S+) in the tests",
          Pattern.MULTILINE);

  @ParameterizedTest
  @ValueSource(strings = {"shared", "shared/timestamps"})
  void client_isTheOneThatTheReadmeNames(String module) throws Exception {
    var readme = IN_README.matcher(Files.readString(Home.ROOT.resolve("shared/README.md")));
    assertThat(readme.find()).isTrue();

    assertThat(versions(classPath(module))).containsExactly(readme.group(1));
    assertThat(readme.group(2)).isEqualTo(readme.group(1));
    assertThat(versions(Home.libraries())).as("the functions'").containsExactly(readme.group(3));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shared", "shared/timestamps"})
  void messages_needNoNewProtobuf(String module) throws Exception {
    var jars = messages(classPath(module));

    assertThat(jars).hasSizeGreaterThan(2);
    for (var jar : jars) {
      assertThat(Home.contents(jar, ".*[.]class").values())
          .as("%s", jar)
          .isNotEmpty()
          .noneMatch(code -> code.contains(GENERATED_BY_4));
    }
  }

  /** The functions' newer client has some, so the test above would see them. */
  @Test
  void newProtobuf_isSeen() throws Exception {
    List<String> code = new ArrayList<>();
    for (var jar : messages(Home.libraries())) {
      code.addAll(Home.contents(jar, ".*[.]class").values());
    }

    assertThat(code).anyMatch(each -> each.contains(GENERATED_BY_4));
  }

  private static List<Path> messages(List<Path> jars) {
    return jars.stream().filter(jar -> jar.getFileName().toString().startsWith("proto-")).toList();
  }

  private static List<String> versions(List<Path> jars) {
    return jars.stream()
        .map(jar -> jar.getFileName().toString())
        .filter(name -> name.matches(CLIENT))
        .map(name -> name.replaceFirst(CLIENT, "$1"))
        .toList();
  }

  private static List<Path> classPath(String module) throws Exception {
    var list = Home.ROOT.resolve(module).resolve("target/runtime.classpath");
    return Pattern.compile(Pattern.quote(File.pathSeparator))
        .splitAsStream(Files.readString(list).strip())
        .map(Path::of)
        .toList();
  }
}
