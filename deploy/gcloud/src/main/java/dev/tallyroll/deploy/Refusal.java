package dev.tallyroll.deploy;

/** What is not begun, and why. Before anything was done, the exit code is 2. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Whether what is there is the reason, and not what was asked for. */
  final boolean isOfState;

  Refusal(String words) {
    this(words, /* isOfState= */ false);
  }

  Refusal(String words, boolean isOfState) {
    super(words);
    this.isOfState = isOfState;
  }
}
