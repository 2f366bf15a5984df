package dev.tallyroll.runs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerRangeTest {
  private static final List<String> IDS =
      IntStream.range(0, 1 << 16).mapToObj("%04x0123456789abcdef"::formatted).toList();

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 64})
  void everyId_isInThePartOfItsWorkerOnly(int workers) {
    List<WorkerRange> parts =
        IntStream.range(0, workers).mapToObj(worker -> WorkerRange.of(worker, workers)).toList();

    assertThat(IDS)
        .allSatisfy(
            id ->
                assertThat(parts.stream().filter(range -> range.holds(id)))
                    .containsExactly(parts.get(WorkerRange.workerOf(id, workers))));
  }
}
