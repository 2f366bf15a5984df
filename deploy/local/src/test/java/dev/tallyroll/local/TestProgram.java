package dev.tallyroll.local;

import dev.tallyroll.local.JvmCommand.Program;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** A program that does as its argument tells it, then works until it is ended. */
public final class TestProgram {
  private TestProgram() {}

  static ChildProcess start(String what, Consumer<String> lines) {
    var command =
        new JvmCommand(
            "the test program",
            new Program(List.of(JvmCommand.homeOf(TestProgram.class)), TestProgram.class.getName()),
            List.of("-Xmx64m"),
            List.of(what),
            Map.of("GIVEN", "yes"));
    return ChildProcess.start(command, lines);
  }

  public static void main(String[] arguments) throws InterruptedException {
    switch (arguments[0]) {
      case "fail" -> throw new IllegalStateException("the reason is here");
      case "taken" -> throw new IllegalStateException("Address already in use");
      case "environment" -> System.out.println(System.getenv());
      case "hook" ->
          Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("closing")));
      default -> {}
    }
    System.out.println(arguments[0]);
    new CountDownLatch(1).await();
  }
}
