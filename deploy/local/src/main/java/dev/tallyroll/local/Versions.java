package dev.tallyroll.local;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Orders file names by the numbers in them, so that 1.19.10 is newer than 1.19.9. Stateless. */
final class Versions {
  static final Comparator<List<Long>> ORDER =
      (left, right) -> Arrays.compare(left.toArray(Long[]::new), right.toArray(Long[]::new));
  private static final int MOST_DIGITS = 18;

  private Versions() {}

  static List<Long> of(String name) {
    return Arrays.stream(name.split("\\D+"))
        .filter(digits -> !digits.isEmpty() && digits.length() <= MOST_DIGITS)
        .map(Long::valueOf)
        .toList();
  }
}
