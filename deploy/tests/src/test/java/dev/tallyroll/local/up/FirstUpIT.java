package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** README's first command, whose demo ends with all totals right. */
@Tag("core")
final class FirstUpIT {
  @Test
  void demo_endsWithAllTotalsRight(@TempDir Path folder) throws Exception {
    var up =
        UpProcess.start(folder.resolve("errors"), Map.of(), List.of("--seconds=6", "--traffic=20"));
    try {
      up.line(line -> line.startsWith("ready: FIRESTORE_EMULATOR_HOST=127.0.0.1:"));
      up.line(line -> line.matches("[0-9:]+ {2}[0-9]+ changes, 3 totals, .+"));
      up.line(line -> line.matches("wrong +none"));
      assertThat(up.exitCode()).isZero();
      assertThat(up.complaints()).doesNotContain("\tat ");
    } finally {
      up.process().destroy();
    }
  }
}
