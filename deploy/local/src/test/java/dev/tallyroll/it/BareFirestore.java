package dev.tallyroll.it;

import com.google.cloud.firestore.Firestore;
import com.google.cloud.firestore.FirestoreOptions;
import dev.tallyroll.local.FirestoreEmulator;
import dev.tallyroll.protocol.ThreadEventLoop;
import java.io.IOException;
import java.time.InstantSource;

/** The functions' own access to a Firestore whose events go nowhere, by a wire that can be torn. */
record BareFirestore(
    FirestoreEmulator emulator, TornWire wire, Firestore firestore, ThreadEventLoop loop)
    implements AutoCloseable {

  static BareFirestore start() throws Exception {
    var emulator = FirestoreEmulator.start(System.getenv(), line -> {});
    var wire = TornWire.to(portOf(emulator));
    return new BareFirestore(
        emulator, wire, open(wire.address()), new ThreadEventLoop("test", InstantSource.system()));
  }

  private static int portOf(FirestoreEmulator emulator) {
    var address = emulator.address();
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  private static Firestore open(String address) {
    return FirestoreOptions.newBuilder()
        .setProjectId("bare")
        .setEmulatorHost(address)
        .build()
        .getService();
  }

  @Override
  public void close() throws IOException {
    wire.hold(false);
    firestore.shutdownNow();
    loop.close();
    wire.close();
    emulator.close();
  }
}
