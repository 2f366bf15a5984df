package dev.tallyroll.simulation;

import dev.tallyroll.protocol.Change;
import dev.tallyroll.protocol.Change.LeaseChange;
import java.time.Instant;
import java.util.Optional;

/** What the code may come to: each must happen in some world, or nothing of it has been tested. */
enum Branch {
  ROLLUP_CREATED,
  ROLLUP_DELETED,
  MADE_LIVE,
  WRITTEN,
  SETTLED,
  REFUSED,
  RUN_NOTHING_LIVE,
  RUN_ALREADY_ALIVE,
  RUN_IDLE,
  RUN_DEADLINE,
  RUN_TAKEN_OVER,
  RUN_FAILED,
  NAME_COUNTED_BEFORE,
  SUMMED,
  RESET,
  RESIZED,
  RETIRED_SHARDS_LEFT,
  COMPACTED,
  NOT_FOUND,
  COUNTER_DELETED;

  static Branch of(Change change, Optional<Instant> applied) {
    if (applied.isEmpty()) {
      return REFUSED;
    }
    if (change instanceof Change.Update update) {
      return of(update);
    }
    return change instanceof Change.Create ? ROLLUP_CREATED : ROLLUP_DELETED;
  }

  private static Branch of(Change.Update update) {
    if (update.lease() instanceof LeaseChange.Remove) {
      return SETTLED;
    }
    return update.lease() instanceof LeaseChange.Set ? MADE_LIVE : WRITTEN;
  }
}
