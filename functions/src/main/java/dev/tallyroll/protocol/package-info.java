/**
 * The protocol that keeps roll-ups: one document, compare-and-set, a lease in Firestore's time.
 *
 * <p>{@link dev.tallyroll.protocol.Decisions} are pure functions of what was read. Reads and writes
 * go through one narrow interface, {@link dev.tallyroll.protocol.CounterStore}; time and threads
 * through {@link dev.tallyroll.runs.EventLoop}. All methods of this package must be called on that
 * one loop, where futures complete, too, unless they say otherwise: so it needs no locks, and a
 * simulation can order its steps.
 */
@NullMarked
package dev.tallyroll.protocol;

import org.jspecify.annotations.NullMarked;
