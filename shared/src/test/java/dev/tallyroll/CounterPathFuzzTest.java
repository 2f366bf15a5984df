package dev.tallyroll;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.tallyroll.internal.Layout;

/**
 * A path belongs to one counter or to none: shards whose paths differ before the shard's id never
 * share a roll-up. The build plays the stored inputs; {@code mvn test -Pfuzz} looks for more.
 */
class CounterPathFuzzTest {
  private static final Layout LAYOUT = Layout.DEFAULT;

  @FuzzTest
  void anyPath_isOneCountersOrNones(byte[] bytes) {
    String path = new String(bytes, UTF_8);
    String collection = path.substring(0, Math.max(0, path.lastIndexOf('/')));

    LAYOUT
        .counterOfShard(path)
        .ifPresent(
            counter -> {
              assertThat(LAYOUT.shardsCollection(counter)).isEqualTo(collection);
              assertLeadsBack(counter);
            });
    LAYOUT
        .counterOfRollup(path)
        .ifPresent(counter -> assertThat(LAYOUT.rollupDocument(counter)).isEqualTo(path));
    LAYOUT
        .counterOfDocument(path)
        .ifPresent(counter -> assertThat(LAYOUT.counterDocument(counter)).isEqualTo(path));
  }

  /** Checks that paths lead back to the counter, and that a roll-up's write is no event. */
  static void assertLeadsBack(CounterPath counter) {
    assertThat(LAYOUT.counterOfDocument(LAYOUT.counterDocument(counter))).contains(counter);
    String rollup = LAYOUT.rollupDocument(counter);
    assertThat(LAYOUT.counterOfRollup(rollup)).contains(counter);
    assertThat(LAYOUT.counterOfShard(rollup)).isEmpty();
    assertThat(LAYOUT.counterOfShard(LAYOUT.shardsCollection(counter) + "/0")).contains(counter);
  }
}
