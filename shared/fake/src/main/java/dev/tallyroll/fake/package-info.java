/** Counters in memory, for tests of code that counts. */
@NullMarked
package dev.tallyroll.fake;

import org.jspecify.annotations.NullMarked;
