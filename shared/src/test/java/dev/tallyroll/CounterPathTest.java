package dev.tallyroll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.tallyroll.internal.Layout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CounterPathTest {
  private static final Layout LAYOUT = Layout.DEFAULT;

  @Test
  void rollup_isBesideItsCounter() {
    CounterPath root = CounterPath.of("likes");
    CounterPath nested = new CounterPath("rooms/r1", "likes");

    assertThat(LAYOUT.counterDocument(root)).isEqualTo("counters/likes");
    assertThat(LAYOUT.shardsCollection(root)).isEqualTo("counters/likes/shards");
    assertThat(LAYOUT.rollupDocument(root)).isEqualTo("rollups/likes");
    assertThat(LAYOUT.shardsCollection(nested)).isEqualTo("rooms/r1/counters/likes/shards");
    assertThat(LAYOUT.rollupDocument(nested)).isEqualTo("rooms/r1/rollups/likes");
    assertThat(nested).hasToString("rooms/r1/likes");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "shards/0",
        "counters/likes",
        "counters/likes/shards",
        "counters//shards/0",
        "other/likes/shards/0",
        "counters/likes/other/0",
        "counters/likes/shards/0/x",
        "x/counters/likes/shards/0",
        "counters/../shards/0",
        "counters/__x__/shards/0"
      })
  void otherPaths_belongToNoCounter(String path) {
    assertThat(LAYOUT.counterOfShard(path)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", "__x__", "____", "a/b", "\ud800"})
  void idsThatFirestoreRefuses_areRefused(String id) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> CounterPath.of(id))
        .withMessageStartingWith("counter id: expected ")
        .withMessageContaining("; found '");
  }

  @Test
  void longIds_areMeasuredInBytes() {
    assertThat(CounterPath.of("\u00e9".repeat(750)).id()).hasSize(750);
    assertThatIllegalArgumentException().isThrownBy(() -> CounterPath.of("\u00e9".repeat(751)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rooms", "rooms/r1/x", "rooms//", "/rooms/r1", "rooms/.."})
  void parentsThatAreNoDocuments_areRefused(String parent) {
    assertThatIllegalArgumentException().isThrownBy(() -> new CounterPath(parent, "likes"));
  }

  @Test
  void depth_isLimitedAsInFirestore() {
    String deepest = "a/b/".repeat(98).replaceAll("/$", "");

    assertThat(new CounterPath(deepest, "x").parent()).isEqualTo(deepest);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new CounterPath(deepest + "/a/b", "x"))
        .withMessageContaining("100");
  }

  @Test
  void collections_mustDiffer() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Layout("c/{c}/s", "c", "count"))
        .withMessageContaining("three different names");
  }
}
