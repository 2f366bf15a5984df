package dev.tallyroll.local;

import dev.tallyroll.local.ChildProcess.Program;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** A program that does as its argument tells it, then works until it is ended. */
public final class TestProgram {
  private TestProgram() {}

  static ChildProcess start(String what, Consumer<String> lines) {
    return ChildProcess.start(
        "the test program",
        new Program(ChildProcess.homeOf(TestProgram.class).toString(), TestProgram.class.getName()),
        List.of(what),
        Map.of("GIVEN", "yes"),
        lines);
  }

  public static void main(String[] arguments) throws InterruptedException {
    switch (arguments[0]) {
      case "fail" -> throw new IllegalStateException("the reason is here");
      case "taken" -> throw new IllegalStateException("Address already in use");
      case "flood" -> IntStream.range(0, 1_000).forEach(System.out::println);
      case "environment" -> System.out.println(System.getenv());
      case "hook" ->
          Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("closing")));
      default -> {}
    }
    System.out.println(arguments[0]);
    new CountDownLatch(1).await();
  }
}
