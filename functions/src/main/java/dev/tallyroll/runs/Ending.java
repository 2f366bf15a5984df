package dev.tallyroll.runs;

/** Why a run ended. */
public enum Ending {
  NOTHING_LIVE,
  ALREADY_ALIVE,
  IDLE,
  DEADLINE,
  TAKEN_OVER,
  STOPPED,
  LEFT_TO_SCHEDULE
}
