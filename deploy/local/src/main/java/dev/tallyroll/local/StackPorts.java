package dev.tallyroll.local;

/**
 * The ports of the children, chosen before any of them starts, so that all can start at once.
 * Immutable.
 */
record StackPorts(int firestore, int pubSub, int onShardWritten, int rollUp) {
  private static final int FREE = 0;
  private static final int PORTS = 4;

  static StackPorts choose(LocalCloudOptions options) {
    var free = Ports.free(PORTS);
    return new StackPorts(
        given(options.firestorePort(), free.get(0), "the Firestore emulator"),
        given(options.pubSubPort(), free.get(1), "the Pub/Sub emulator"),
        free.get(2),
        free.get(3));
  }

  private static int given(int wanted, int free, String user) {
    return wanted == FREE ? free : Ports.require(wanted, user);
  }
}
