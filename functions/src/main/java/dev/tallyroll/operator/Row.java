package dev.tallyroll.operator;

import java.util.concurrent.Callable;

/**
 * A row of the canary's report, in Markdown.
 *
 * @param assumed what should be
 * @param seen what is, in the words of the answer
 */
record Row(String assumed, String seen, Answer right) {
  /** Whether the assumption holds. */
  enum Answer {
    YES("yes"),
    NO("no"),
    UNKNOWN("unknown");

    private final String word;

    Answer(String word) {
      this.word = word;
    }

    static Answer of(boolean right) {
      return right ? YES : NO;
    }
  }

  /** What was seen of it. */
  record Seen(String words, Answer right) {
    static Seen of(String words, boolean right) {
      return new Seen(words, Answer.of(right));
    }
  }

  /** Looks. If that fails, nothing was seen, and the row says why. */
  static Row of(String assumed, Callable<Seen> look) throws InterruptedException {
    try {
      Seen seen = look.call();
      return new Row(assumed, seen.words(), seen.right());
    } catch (InterruptedException stopped) {
      throw stopped;
    } catch (Exception failure) {
      return new Row(assumed, "not determined: " + failure, Answer.UNKNOWN);
    }
  }

  boolean isRight() {
    return right == Answer.YES;
  }

  @Override
  public String toString() {
    return "| %s | %s | %s |"
        .formatted(assumed, seen.replaceAll("\\s*\\R\\s*", " ").replace("|", "\\|"), right.word);
  }
}
