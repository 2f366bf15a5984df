package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

final class ChildProcessTest {
  private final List<String> lines = new CopyOnWriteArrayList<>();

  @Test
  void output_comesLineByLine() throws Exception {
    try (var child = start("hello")) {
      Waiting.until("it printed", () -> lines.contains("hello"));

      assertThat(child.isAlive()).isTrue();
    }
  }

  @Test
  void environment_isExactlyWhatIsGiven() throws Exception {
    try (var child = start("environment")) {
      Waiting.until("it printed", () -> lines.contains("{GIVEN=yes}"));

      assertThat(child.lastLines().all()).contains("{GIVEN=yes}");
    }
  }

  @Test
  void close_letsShutdownHooksRun() throws Exception {
    var child = start("hook");
    Waiting.until("it is ready", () -> lines.contains("hook"));

    child.close();

    assertThat(child.isAlive()).isFalse();
    assertThat(lines).contains("closing");
  }

  @Test
  void kill_runsNoShutdownHook() throws Exception {
    var child = start("hook");
    Waiting.until("it is ready", () -> lines.contains("hook"));

    child.kill();

    assertThat(child.isAlive()).isFalse();
    assertThat(lines).doesNotContain("closing");
  }

  @Test
  void childThatFails_isQuoted() throws Exception {
    var child = start("fail");
    Waiting.until("it ended", () -> !child.isAlive());

    assertThat(child.died())
        .hasMessageContaining("the test program ended with exit code 1")
        .hasMessageContaining("the reason is here");
  }

  @Test
  void lastLines_areBounded() {
    var last = new LastLines();
    for (int i = 0; i < 1_000; i++) {
      last.add("line " + i);
    }

    assertThat(last.all()).hasSize(LastLines.KEPT).last().isEqualTo("line 999");
    assertThat(last.shown()).contains("line 999").doesNotContain("line 900");
  }

  private ChildProcess start(String what) {
    return TestProgram.start(what, lines::add);
  }
}
