/**
 * Sharded timestamps: writes to a collection with a rising field, a time or a number, past 500 a
 * second.
 *
 * <p>A random shard value beside the rising field spreads the index; queries run once per chunk of
 * shard values and are merged. {@link dev.tallyroll.timestamps.ShardedTimestamp} is the way in.
 */
@NullMarked
package dev.tallyroll.timestamps;

import org.jspecify.annotations.NullMarked;
