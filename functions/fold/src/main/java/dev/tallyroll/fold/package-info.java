/**
 * Counting in the place of Firebase's extension {@code firestore-counter}: clients increment shards
 * in {@code {document}/_counter_shards_}, and the functions move what they hold into the fields of
 * the document itself.
 *
 * <p>A document's field holds what has been moved, its shards hold the rest. One batch deletes
 * shards, each at the version that was read, and adds their sums to the document: so each increment
 * is moved once, whoever else does the same, and field and shards together are exact in each
 * snapshot. Nothing here knows of roll-ups.
 */
@NullMarked
package dev.tallyroll.fold;

import org.jspecify.annotations.NullMarked;
