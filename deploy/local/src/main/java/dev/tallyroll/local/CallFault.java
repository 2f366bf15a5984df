package dev.tallyroll.local;

/** What can happen to one call on its way between a client and Firestore. */
public enum CallFault {
  /** Its request arrives late, now and then after the caller has stopped waiting. */
  DELAYED,
  /** It never arrives, and the caller gets an error. */
  REFUSED,
  /** It was carried out, but the caller gets an error. */
  REPLY_LOST,
  /** Its stream of answers ends in an error, half-way. */
  BROKEN
}
