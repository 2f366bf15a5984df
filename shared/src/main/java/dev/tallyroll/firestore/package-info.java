/** Counters on Cloud Firestore. Begin with {@link dev.tallyroll.firestore.FirestoreCounters}. */
@NullMarked
package dev.tallyroll.firestore;

import org.jspecify.annotations.NullMarked;
