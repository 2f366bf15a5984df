/** Minutes of faults of all kinds with hundreds of counters, and the checks of their totals. */
@NullMarked
package dev.tallyroll.local.soak;

import org.jspecify.annotations.NullMarked;
