package dev.tallyroll.local.soak;

import java.util.ArrayList;
import java.util.List;

/** Checks what one reader saw one after the other: time does not go back. Stateless. */
final class NeverBack {
  private NeverBack() {}

  /**
   * The steps back, each in a sentence.
   *
   * @param rising whether the counter was only ever added to, so that its total must not fall
   *     either
   */
  static List<String> broken(List<Seen> seen, boolean rising) {
    var broken = new ArrayList<String>();
    for (int i = 1; i < seen.size(); i++) {
      var before = seen.get(i - 1);
      var after = seen.get(i);
      if (after.asOf().isBefore(before.asOf())) {
        broken.add("expected as_of not before %s, found %s".formatted(before.asOf(), after.asOf()));
      }
      if (rising && after.count() < before.count()) {
        broken.add(
            "expected a total of at least %d as of %s, found %d"
                .formatted(before.count(), after.asOf(), after.count()));
      }
      if (after.asOf().equals(before.asOf()) && after.count() != before.count()) {
        broken.add(
            "expected one total as of %s, found %d and %d"
                .formatted(after.asOf(), before.count(), after.count()));
      }
    }
    return broken;
  }
}
