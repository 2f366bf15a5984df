package dev.tallyroll.timestamps;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MergeTest {

  /** Sources of numbers, read in batches like pages. */
  private static final class Reading {
    final List<List<Integer>> sources;
    final Merge<Integer> merge;
    final int firstBatch;
    final int[] read;
    int fetches;

    Reading(List<List<Integer>> sources, int wanted) {
      this.sources = sources;
      this.merge =
          new Merge<>(Comparator.naturalOrder(), Function.identity(), sources.size(), wanted);
      this.firstBatch = merge.batch();
      this.read = new int[sources.size()];
    }

    List<Integer> run() {
      for (var dry = merge.advance(); !dry.isEmpty(); dry = merge.advance()) {
        int batch = merge.batch();
        dry.forEach(source -> fetch(source, batch));
      }
      return merge.merged();
    }

    private void fetch(int source, int batch) {
      fetches++;
      List<Integer> all = sources.get(source);
      int end = Math.min(all.size(), read[source] + batch);
      merge.add(source, all.subList(read[source], end), batch);
      read[source] = end;
    }

    int documentsRead() {
      return IntStream.of(read).sum();
    }
  }

  /** Distinct numbers, some sources getting more of them than others. */
  private static List<List<Integer>> deal(Random random, int sources, int count) {
    List<List<Integer>> dealt = new ArrayList<>();
    IntStream.range(0, sources).forEach(i -> dealt.add(new ArrayList<>()));
    double skew = random.nextDouble();
    for (int number = 0; number < count; number++) {
      dealt.get(random.nextDouble() < skew ? 0 : random.nextInt(sources)).add(number);
    }
    return dealt;
  }

  @Test
  void merge_isTheSortedWhole_withinTheBounds() {
    for (int seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      int count = random.nextInt(200);
      int sources = 1 + random.nextInt(8);
      int wanted = 1 + random.nextInt(100);
      Reading reading = new Reading(deal(random, sources, count), wanted);

      assertThat(reading.run())
          .as("seed %d", seed)
          .isEqualTo(IntStream.range(0, Math.min(count, wanted)).boxed().toList());
      assertThat(reading.documentsRead())
          .as("seed %d", seed)
          .isLessThanOrEqualTo(wanted + sources * reading.firstBatch);
      assertThat(reading.fetches).as("seed %d", seed).isLessThanOrEqualTo(2 * sources);
    }
  }

  @Test
  void evenSources_areReadOnceAndLittleFurtherThanWanted() {
    List<Integer> numbers = IntStream.range(0, 300).boxed().toList();
    for (int sources : new int[] {1, 3}) {
      Reading reading =
          new Reading(
              IntStream.range(0, sources)
                  .mapToObj(i -> numbers.stream().filter(n -> n % sources == i).toList())
                  .toList(),
              30);

      reading.run();

      assertThat(reading.fetches).isEqualTo(sources);
      assertThat(reading.documentsRead()).isEqualTo(sources == 1 ? 30 : 3 * (10 + 3));
    }
  }

  @Test
  void documentThatMovedBetweenSources_isMergedOnce() {
    Merge<Integer> merge = new Merge<>(Comparator.naturalOrder(), number -> number % 10, 2, 10);
    merge.add(0, List.of(1, 2), 3);
    merge.add(1, List.of(3, 11), 3);

    assertThat(merge.advance()).isEmpty();
    assertThat(merge.merged()).containsExactly(1, 2, 3);
  }

  @Test
  void drySource_isNamed() {
    Merge<Integer> merge = new Merge<>(Comparator.naturalOrder(), Function.identity(), 2, 10);
    assertThat(merge.advance()).containsExactly(0, 1);
    merge.add(0, List.of(1, 5), 2);
    merge.add(1, List.of(2), 1);

    assertThat(merge.advance()).containsExactly(1);
    assertThat(merge.merged()).containsExactly(1, 2);
  }
}
