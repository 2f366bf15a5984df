package dev.tallyroll.deploy;

/** Says why a command does not begin. If nothing was done before, the exit code is 2. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Whether the reason lies in the project, not in the command line. */
  final boolean isOfState;

  Refusal(String words) {
    this(words, /* isOfState= */ false);
  }

  Refusal(String words, boolean isOfState) {
    super(words);
    this.isOfState = isOfState;
  }
}
