package dev.tallyroll;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * A parent and an id, one a line, are a counter's, or are refused. As {@link CounterPathFuzzTest}.
 */
class CounterNamesFuzzTest {
  @FuzzTest
  void anyParentAndId_areTakenOrRefused(byte[] bytes) {
    String[] lines = new String(bytes, UTF_8).split("\n", 2);
    try {
      CounterPathFuzzTest.assertLeadsBack(new CounterPath(lines[0], lines[lines.length - 1]));
    } catch (IllegalArgumentException refused) {
      assertThat(refused.getMessage()).contains(": expected ", "; found '").hasSizeLessThan(300);
    }
  }
}
