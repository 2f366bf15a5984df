/**
 * Whatever is worked through by runs, ticks, claims and passes; it knows no total. Time and threads
 * come through {@link dev.tallyroll.runs.EventLoop}: all methods of this package must be called on
 * that one loop, where futures complete, too, unless they say otherwise.
 */
@NullMarked
package dev.tallyroll.runs;

import org.jspecify.annotations.NullMarked;
