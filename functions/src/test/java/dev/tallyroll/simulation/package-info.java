/**
 * The protocol's own code over a simulated Firestore, on virtual time, with every delay, fault and
 * order drawn from one seed.
 */
@NullMarked
package dev.tallyroll.simulation;

import org.jspecify.annotations.NullMarked;
