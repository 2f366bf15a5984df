package dev.tallyroll.timestamps;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MergeTest {

  /** Sources of numbers, read in batches as pages are. */
  private static final class Reading {
    final List<List<Integer>> sources;
    final Batches batches;
    final Merge<Integer> merge;
    final int[] read;
    int refills;

    Reading(List<List<Integer>> sources, int wanted) {
      this.sources = sources;
      this.batches = new Batches(wanted, sources.size());
      this.merge =
          new Merge<>(Comparator.<Integer>naturalOrder(), Function.identity(), sources.size());
      this.read = new int[sources.size()];
    }

    List<Integer> run() {
      IntStream.range(0, sources.size()).forEach(source -> fetch(source, batches.size()));
      OptionalInt dry = merge.advance(batches.wanted());
      while (dry.isPresent()) {
        refills++;
        fetch(dry.getAsInt(), batches.size(merge.merged().size()));
        dry = merge.advance(batches.wanted());
      }
      return merge.merged();
    }

    private void fetch(int source, int size) {
      List<Integer> all = sources.get(source);
      int end = Math.min(all.size(), read[source] + size);
      List<Integer> batch = all.subList(read[source], end);
      merge.add(source, batch, batch.size() < size);
      read[source] = end;
    }

    int documentsRead() {
      return IntStream.of(read).sum();
    }
  }

  /** Distinct numbers, dealt to the sources with a skew. */
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
    long seed = System.nanoTime();
    System.out.println("MergeTest seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 2_000; round++) {
      int count = random.nextInt(200);
      int sources = 1 + random.nextInt(8);
      int wanted = 1 + random.nextInt(100);
      Reading reading = new Reading(deal(random, sources, count), wanted);

      List<Integer> merged = reading.run();

      String what = "seed " + seed + ", round " + round;
      assertThat(merged)
          .as(what)
          .isEqualTo(IntStream.range(0, Math.min(count, wanted)).boxed().toList());
      assertThat(reading.documentsRead())
          .as(what)
          .isLessThanOrEqualTo(wanted + sources * reading.batches.size());
      assertThat(reading.refills).as(what).isLessThanOrEqualTo(sources);
    }
  }

  @Test
  void oneSource_isReadOnceAndNoFurtherThanWanted() {
    Reading reading = new Reading(List.of(IntStream.range(0, 100).boxed().toList()), 11);

    reading.run();

    assertThat(reading.documentsRead()).isEqualTo(11);
    assertThat(reading.refills).isZero();
  }

  @Test
  void evenSources_needNoRefill() {
    List<List<Integer>> even = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    IntStream.range(0, 300).forEach(i -> even.get(i % 3).add(i));
    Reading reading = new Reading(even, 30);

    reading.run();

    assertThat(reading.refills).isZero();
    assertThat(reading.documentsRead()).isEqualTo(3 * (10 + 3));
  }

  @Test
  void documentThatMovedBetweenSources_isMergedOnce() {
    Merge<Integer> merge =
        new Merge<>(Comparator.<Integer>naturalOrder(), number -> number % 10, 2);
    merge.add(0, List.of(1, 2), true);
    merge.add(1, List.of(3, 11), true);

    assertThat(merge.advance(10)).isEmpty();
    assertThat(merge.merged()).containsExactly(1, 2, 3);
  }

  @Test
  void drySource_isNamed() {
    Merge<Integer> merge = new Merge<>(Comparator.<Integer>naturalOrder(), Function.identity(), 2);
    merge.add(0, List.of(1, 5), false);
    merge.add(1, List.of(2), false);

    assertThat(merge.advance(10)).hasValue(1);
    assertThat(merge.merged()).containsExactly(1, 2);
  }
}
