/**
 * Where counters are stored, and what their documents hold: paths, roll-ups, sums. The library and
 * the functions share it.
 */
@NullMarked
package dev.tallyroll.stored;

import org.jspecify.annotations.NullMarked;
