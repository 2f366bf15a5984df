package dev.tallyroll.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.Home;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No package depends on itself by way of others. */
@Tag("core")
final class PackagesIT {
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (?:static )?(dev\\.tallyroll(?:\\.[a-z]\\w*)*)\\.[A-Z]");

  @Test
  void circle_isFound() {
    assertThat(inCircles(Map.of("a", Set.of("b"), "b", Set.of("c"), "c", Set.of("b"))))
        .containsExactly("a", "b", "c");
    assertThat(inCircles(Map.of("a", Set.of("b", "c"), "b", Set.of("c"), "c", Set.of()))).isEmpty();
  }

  @Test
  void packages_formNoCircle() throws Exception {
    Map<String, Set<String>> imports = new TreeMap<>();
    for (Path file : Home.trackedFiles()) {
      if (file.toString().matches(".*/src/main/java/.*\\.java")) {
        String text = Files.readString(file);
        String self = PACKAGE.matcher(text).results().findFirst().orElseThrow().group(1);
        Set<String> others = imports.computeIfAbsent(self, any -> new TreeSet<>());
        IMPORT.matcher(text).results().forEach(found -> others.add(found.group(1)));
        others.remove(self);
      }
    }

    assertThat(imports).containsKeys("dev.tallyroll", "dev.tallyroll.store");
    assertThat(imports.get("dev.tallyroll.store")).contains("dev.tallyroll.internal");
    assertThat(imports.get("dev.tallyroll")).containsOnly("dev.tallyroll.internal.ids");
    assertThat(imports.get("dev.tallyroll.runs")).containsOnly("dev.tallyroll.internal");
    assertThat(imports.get("dev.tallyroll.platform"))
        .containsOnly("dev.tallyroll.internal", "dev.tallyroll.internal.ids", "dev.tallyroll.runs");
    assertThat(imports.get("dev.tallyroll.fold"))
        .doesNotContain("dev.tallyroll.protocol", "dev.tallyroll.functions");
    assertThat(inCircles(imports)).isEmpty();
  }

  /** Documents that are folded have none. */
  @Test
  void runs_knowNoTotal() throws Exception {
    for (Path file : Home.trackedFiles()) {
      if (file.toString().contains("/src/main/java/dev/tallyroll/runs/")) {
        assertThat(Files.readString(file)).doesNotContainPattern("\\b(Rollup|Sum|Total)\\b");
      }
    }
  }

  /** The packages that are left when those that import no other are taken away, again and again. */
  private static Set<String> inCircles(Map<String, Set<String>> imports) {
    Map<String, Set<String>> left = new TreeMap<>(imports);
    while (left.values().removeIf(others -> Collections.disjoint(others, left.keySet()))) {}
    return left.keySet();
  }
}
