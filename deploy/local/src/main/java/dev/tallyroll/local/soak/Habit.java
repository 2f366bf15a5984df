package dev.tallyroll.local.soak;

/** What the clients of a counter do with it. */
enum Habit {
  /** Add to it. */
  RISING,
  /** Add and subtract. */
  WAVERING,
  /** Add under names, over a wire that loses replies, until it is known to be counted. */
  NAMED,
  /** Add to it, delete it, and create it again. */
  FLEETING;

  /** Many of the simple ones, some of each other one. */
  static Habit of(int counter) {
    return switch (counter % 10) {
      case 0, 1, 2, 3 -> RISING;
      case 4, 5 -> WAVERING;
      case 6, 7 -> NAMED;
      default -> FLEETING;
    };
  }
}
