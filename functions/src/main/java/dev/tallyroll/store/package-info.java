/** The protocol's stores, on Cloud Firestore. */
@NullMarked
package dev.tallyroll.store;

import org.jspecify.annotations.NullMarked;
