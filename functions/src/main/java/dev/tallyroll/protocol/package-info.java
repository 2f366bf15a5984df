/**
 * The protocol that keeps roll-ups: one document, compare-and-set, a lease in Firestore's time.
 *
 * <p>Decisions are pure functions of what was read ({@link dev.tallyroll.protocol.HandlerDecision},
 * {@link dev.tallyroll.protocol.RollerDecision}). What is read and written goes through two narrow
 * interfaces, {@link dev.tallyroll.protocol.RollupStore} and {@link
 * dev.tallyroll.protocol.RunStore}; time and threads through {@link
 * dev.tallyroll.protocol.EventLoop}. All code of this package runs on that one loop, so it needs no
 * locks, and a simulation can hold and order its every step.
 */
@NullMarked
package dev.tallyroll.protocol;

import org.jspecify.annotations.NullMarked;
