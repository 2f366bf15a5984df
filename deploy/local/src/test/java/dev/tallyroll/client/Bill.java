package dev.tallyroll.client;

/** What calls cost: how many there were, and what Firestore bills for them. */
record Bill(long calls, long reads, long writes, long deletes) {}
