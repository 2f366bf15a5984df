package dev.tallyroll.local;

/** Closes a local cloud when this JVM shuts down by itself or by a signal. Stateless. */
final class ShutdownHook {
  private ShutdownHook() {}

  /** Once closed, nothing of it is kept for the shutdown. */
  static void guard(Closing closing) {
    var runtime = Runtime.getRuntime();
    var hook = new Thread(closing::close, "close-local-cloud");
    try {
      runtime.addShutdownHook(hook);
    } catch (IllegalStateException e) {
      throw new LocalCloudException("this JVM is shutting down, so no local cloud starts", e);
    }
    closing.add(() -> remove(runtime, hook));
  }

  private static void remove(Runtime runtime, Thread hook) {
    if (Thread.currentThread() == hook) {
      return;
    }
    try {
      runtime.removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is shutting down, and the hook finds nothing left to close.
    }
  }
}
