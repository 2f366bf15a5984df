package dev.tallyroll.operator;

import dev.tallyroll.operator.History.Increment;
import dev.tallyroll.operator.History.Read;
import dev.tallyroll.operator.History.Total;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Judges a history: a total that is wrong, one that goes back, one that is late. Where no read
 * tells whether an increment showed in time, that is unknown, and not right.
 */
final class Judge {
  private final History history;
  private final List<String> faults = new ArrayList<>();
  private final List<Duration> cold = new ArrayList<>();
  private final List<Duration> warm = new ArrayList<>();
  private int shown; // how many increments the totals have shown that were read so far
  private int unknown;
  private int versions;
  private Instant lastRead = Instant.MIN;
  private Instant lastAsOf = Instant.MIN; // also without a total

  private Judge(History history) {
    this.history = history;
  }

  static Verdict of(History history) {
    Judge judge = new Judge(history);
    history.reads().forEach(judge::look);
    return judge.end();
  }

  private void look(Read read) {
    Instant asOf = read.total().map(Total::asOf).orElse(Instant.MIN);
    if (asOf.isBefore(lastAsOf)) {
      fault("goes back", read);
    } else if (asOf.isAfter(lastAsOf)) {
      versions++;
    }
    lastAsOf = asOf;
    read.total().ifPresent(total -> look(read, total));
    if (shown < increments() && read.at().isAfter(history.due(next()))) {
      Duration age = Duration.between(next().commit(), read.at());
      fault(
          String.format(Locale.ROOT, "late, lacks the increment of %s s before", seconds(age)),
          read);
    }
    lastRead = read.at();
  }

  private void look(Read read, Total total) {
    List<Long> right = right(total.asOf());
    if (!right.contains(total.count())) {
      fault("wrong, expected " + right.get(right.size() - 1), read);
    }
    for (; shown < increments() && !next().commit().isAfter(total.asOf()); shown++) {
      if (isUnseen(next(), read.at())) {
        unknown++;
      } else {
        (next().commit().isBefore(history.warm()) ? cold : warm)
            .add(Duration.between(next().commit(), total.updated()));
      }
    }
  }

  private int increments() {
    return history.increments().size();
  }

  private Increment next() {
    return history.increments().get(shown);
  }

  /**
   * Whether no read tells if the increment was late: none until this time that shows it, and none
   * after it was due that lacks it.
   */
  private boolean isUnseen(Increment increment, Instant shownAt) {
    Instant due = history.due(increment);
    return shownAt.isAfter(due) && !lastRead.isAfter(due);
  }

  /**
   * What a total may be as of a time: the sum of all commits until then, or of those before one in
   * the slack.
   */
  private List<Long> right(Instant asOf) {
    List<Long> sums = new ArrayList<>();
    long sum = 0;
    for (Increment increment : history.increments()) {
      if (increment.commit().isAfter(asOf)) {
        break;
      }
      if (increment.commit().isAfter(asOf.minus(history.slack()))) {
        sums.add(sum);
      }
      sum += increment.number();
    }
    sums.add(sum);
    return sums;
  }

  private void fault(String what, Read read) {
    faults.add(what + ": " + read.line());
  }

  private static String seconds(Duration duration) {
    return Double.toString(duration.toMillis() / 1e3);
  }

  private Verdict end() {
    for (; shown < increments(); shown++) {
      if (isUnseen(next(), Instant.MAX)) {
        unknown++;
      }
    }
    return new Verdict(increments(), versions, history.reads().size(), faults, unknown, cold, warm);
  }
}
