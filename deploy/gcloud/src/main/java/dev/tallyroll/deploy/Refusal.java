package dev.tallyroll.deploy;

/** What is not begun, and why. Before anything was done, the exit code is 2. */
final class Refusal extends RuntimeException {
  private static final long serialVersionUID = 1;

  Refusal(String words) {
    super(words);
  }
}
