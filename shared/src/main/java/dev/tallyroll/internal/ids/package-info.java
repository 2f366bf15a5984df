/** Firestore's rules for the names of documents and collections; no part of the library's API. */
@NullMarked
package dev.tallyroll.internal.ids;

import org.jspecify.annotations.NullMarked;
