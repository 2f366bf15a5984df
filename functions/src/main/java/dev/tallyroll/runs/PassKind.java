package dev.tallyroll.runs;

/** How much of its list a sweep looks at. */
public enum PassKind {
  /** From where the last sweep has ended, as many documents as a sweep may look at. */
  PART,
  /** All of it, from the beginning: it takes over from a sweep that is at work. */
  ALL,
  /** What a sweep of all has left when its time was up. */
  REST
}
