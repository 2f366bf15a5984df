/**
 * Where counters are stored, and what their documents hold: paths, roll-ups, sums. The functions
 * share it with the library; it is no part of the library's API, and may change in any release.
 */
@NullMarked
package dev.tallyroll.internal;

import org.jspecify.annotations.NullMarked;
