package dev.tallyroll.timestamps;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * Positions have an order; without it, merged pages would show documents twice or never. An input
 * is three paths, one a line. The build plays those stored; {@code mvn test -Pfuzz} finds more.
 */
class PositionFuzzTest {

  @FuzzTest
  void anyThreePaths_areInOneOrder(byte[] bytes) {
    String[] paths = (new String(bytes, UTF_8) + "\n\n").split("\n", -1);
    int ab = order(paths[0], paths[1]);
    int bc = order(paths[1], paths[2]);
    int ac = order(paths[0], paths[2]);

    assertThat(order(paths[1], paths[0])).isEqualTo(-ab);
    assertThat(ab == 0).isEqualTo(paths[0].equals(paths[1]));
    if (ab <= 0 && bc <= 0) {
      assertThat(ac).isEqualTo(Math.min(ab, bc));
    }
  }

  private static int order(String left, String right) {
    return Integer.signum(Position.comparePaths(left, right));
  }
}
