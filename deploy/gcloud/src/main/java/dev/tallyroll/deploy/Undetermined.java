package dev.tallyroll.deploy;

/** Why a question has no answer. */
final class Undetermined extends RuntimeException {
  private static final long serialVersionUID = 1;

  Undetermined(String why) {
    super(why);
  }
}
