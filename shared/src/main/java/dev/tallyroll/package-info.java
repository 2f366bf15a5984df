/**
 * Distributed counters for Cloud Firestore: their names, their totals and where both are stored.
 */
@NullMarked
package dev.tallyroll;

import org.jspecify.annotations.NullMarked;
