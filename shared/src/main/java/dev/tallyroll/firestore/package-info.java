/** The protocol's stores, on Cloud Firestore. */
@NullMarked
package dev.tallyroll.firestore;

import org.jspecify.annotations.NullMarked;
