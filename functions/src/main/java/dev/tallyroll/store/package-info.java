/** The protocol's stores, on Cloud Firestore; for the event loop of their calls only. */
@NullMarked
package dev.tallyroll.store;

import org.jspecify.annotations.NullMarked;
