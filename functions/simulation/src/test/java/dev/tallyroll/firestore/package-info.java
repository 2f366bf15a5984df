/** The library in tests that repeat. */
@NullMarked
package dev.tallyroll.firestore;

import org.jspecify.annotations.NullMarked;
