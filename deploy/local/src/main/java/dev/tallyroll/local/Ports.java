package dev.tallyroll.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Finds ports of 127.0.0.1 to listen on. They lie below the range that operating systems take
 * outgoing connections' ports from, so that a port is not lost between its choice and its use.
 * Stateless.
 */
final class Ports {
  private static final int LOWEST = 12_000;
  private static final int HIGHEST = 32_000;
  private static final int ATTEMPTS = 200;

  private Ports() {}

  /** As many different free ports. */
  static List<Integer> free(int count) {
    var random = RandomGenerator.getDefault();
    var found = new LinkedHashSet<Integer>();
    for (int attempt = 0; attempt < ATTEMPTS && found.size() < count; attempt++) {
      int candidate = random.nextInt(LOWEST, HIGHEST);
      if (isFree(candidate)) {
        found.add(candidate);
      }
    }
    if (found.size() < count) {
      throw new LocalCloudException(
          "expected %d free ports of 127.0.0.1 between %d and %d, found %d"
              .formatted(count, LOWEST, HIGHEST, found.size()));
    }
    return List.copyOf(found);
  }

  /** The wanted port, if nobody has it. */
  static int require(int port, String user) {
    if (!isFree(port)) {
      throw new LocalCloudException(
          "expected port %d of 127.0.0.1 to be free for %s, found another program listening there"
              .formatted(port, user));
    }
    return port;
  }

  static boolean isFree(int port) {
    try (var socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
