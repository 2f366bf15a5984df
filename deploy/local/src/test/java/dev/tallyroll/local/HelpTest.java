package dev.tallyroll.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The scripts print the help of a program without a build. */
class HelpTest {
  @ParameterizedTest
  @CsvSource({
    "up, dev.tallyroll.local.up.Up",
    "bench, dev.tallyroll.local.up.Bench",
    "bill, dev.tallyroll.local.bill.Bill"
  })
  void file_isWhatTheProgramPrints(String name, String program) throws Exception {
    var constructor = Class.forName(program).getDeclaredConstructor();
    constructor.setAccessible(true);
    var out = new StringWriter();
    @SuppressWarnings("unchecked")
    var callable = (Callable<Integer>) constructor.newInstance();

    Invocation.run(callable, List.of("--help"), new PrintWriter(out), new PrintWriter(out));

    Files.writeString(Path.of("target", name + ".help"), out.toString());
    assertThat(Files.readString(Path.of("lib", name + ".help"))).isEqualTo(out.toString());
  }
}
