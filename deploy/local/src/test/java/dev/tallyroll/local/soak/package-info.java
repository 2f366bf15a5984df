/**
 * Minutes of everything going wrong with hundreds of counters, and the checks of what they showed.
 */
@NullMarked
package dev.tallyroll.local.soak;

import org.jspecify.annotations.NullMarked;
