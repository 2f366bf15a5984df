package dev.tallyroll.local;

import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

/** A program that starts a local cloud, prints its processes, and works until it is ended. */
final class Launcher {
  private Launcher() {}

  public static void main(String[] arguments) throws InterruptedException {
    var cloud = LocalCloud.start(Stubs.optionsFor(arguments[0]));
    System.out.println(cloud.pids().stream().map(String::valueOf).collect(Collectors.joining(" ")));
    new CountDownLatch(1).await();
  }
}
