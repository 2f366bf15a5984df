/**
 * Distributed counters for Cloud Firestore: the library of servers. Begin with {@link
 * dev.tallyroll.Counters}.
 */
@NullMarked
package dev.tallyroll;

import org.jspecify.annotations.NullMarked;
