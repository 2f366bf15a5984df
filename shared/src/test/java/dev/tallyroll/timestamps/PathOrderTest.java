package dev.tallyroll.timestamps;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PathOrderTest {

  @Test
  void paths_areOrderedBySegments() {
    assertOrder("a/b", "a/b/c/d", "a/b!/c/d", "a/ba");
  }

  @Test
  void segments_areOrderedByTheirUtf8() {
    assertOrder("c/A", "c/a", "c/aa", "c/\u00e4", "c/\uffee", "c/\ud83d\ude00");
  }

  @Test
  void numericIds_comeFirstByTheirNumber() {
    assertOrder("c/__id-5__", "c/__id7__", "c/__id10__", "c/!", "c/__idx__");
  }

  private static void assertOrder(String... ordered) {
    List<String> shuffled = new ArrayList<>(List.of(ordered));
    Collections.shuffle(shuffled, new Random(1));

    shuffled.sort(PathOrder::compare);

    assertThat(shuffled).containsExactly(ordered);
  }
}
