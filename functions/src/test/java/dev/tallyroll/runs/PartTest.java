package dev.tallyroll.runs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartTest {
  private static final List<String> IDS =
      IntStream.range(0, 1 << 16).mapToObj("%04x0123456789abcdef"::formatted).toList();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 64})
  void everyId_isInThePartOfItsWorkerOnly(int workers) {
    List<Part> parts =
        IntStream.range(0, workers).mapToObj(worker -> Part.of(worker, workers)).toList();

    assertThat(IDS)
        .allSatisfy(
            id ->
                assertThat(parts.stream().filter(part -> part.holds(id)))
                    .containsExactly(parts.get(Part.workerOf(id, workers))));
  }
}
