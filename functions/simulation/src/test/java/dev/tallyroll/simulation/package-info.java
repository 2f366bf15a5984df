/**
 * The protocol's own code with a simulated Firestore in virtual time. Every delay, fault and order
 * is drawn from one seed.
 */
@NullMarked
package dev.tallyroll.simulation;

import org.jspecify.annotations.NullMarked;
