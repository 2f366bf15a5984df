package dev.tallyroll.timestamps;

/**
 * Where a page starts: after a position, onwards or backwards. Immutable.
 *
 * @param backwards whether the page before the position is meant
 */
record PageToken(boolean backwards, Position position) {

  static PageToken after(Position position) {
    return new PageToken(false, position);
  }

  static PageToken before(Position position) {
    return new PageToken(true, position);
  }
}
