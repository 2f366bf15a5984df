package dev.tallyroll.local.up;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tallyroll.local.Invocation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What {@code bench} says before it starts anything: here it cannot, without a checkout. */
final class BenchTest {
  @ParameterizedTest
  @CsvSource({
    "--only=20, '1 row, some 1 minute'",
    "--only=20 --only=100, '2 rows, some 2 minutes'",
    "--only=20 --only=fold-20, '2 rows, some 2 minutes'",
    "--only=documents-50000, '1 row, some 6 minutes'",
    "'', '18 rows, some 16 minutes'"
  })
  void plan_isToldAtOnce(String options, String plan) {
    var err = new StringWriter();
    List<String> given = options.isEmpty() ? List.of() : List.of(options.split(" "));

    int status = Invocation.run(new Bench(), given, new PrintWriter(err), new PrintWriter(err));

    assertThat(status).isEqualTo(Invocation.NOT_STARTED);
    assertThat(err.toString()).startsWith("measuring " + plan + " in all: starts the emulators");
  }
}
