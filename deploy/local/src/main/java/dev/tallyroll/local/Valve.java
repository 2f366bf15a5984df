package dev.tallyroll.local;

import java.util.function.BooleanSupplier;

/**
 * Lets messages through one by one: the next is asked for when the receiver has room for it, so
 * that nothing piles up in between. Thread-safe.
 */
final class Valve {
  private final Runnable askForNext;
  private final BooleanSupplier receiverHasRoom;
  private boolean waiting;

  Valve(Runnable askForNext, BooleanSupplier receiverHasRoom) {
    this.askForNext = askForNext;
    this.receiverHasRoom = receiverHasRoom;
  }

  /** A message was handed on. */
  void passed() {
    synchronized (this) {
      if (!receiverHasRoom.getAsBoolean()) {
        waiting = true;
        return;
      }
    }
    askForNext.run();
  }

  /** The receiver may have room again. */
  void open() {
    synchronized (this) {
      if (!waiting) {
        return;
      }
      waiting = false;
    }
    askForNext.run();
  }
}
